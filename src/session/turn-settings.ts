// The configuration of a session, and what it means for one turn. A turn takes the configuration in force when
// it is first named; its own fields win over the session's.

import { fieldError } from '../base/check-fields.ts';
import type { EventOf } from '../dialects/native-events.ts';
import type { Preset } from '../dialects/native-messages.ts';
import type { LastResort } from '../pipeline/speech-services.ts';
import { type OutputFormat, type SessionFormat, sampleRateRefusal } from '../speech/audio-format.ts';
import type { SynthesisFields } from '../speech/speech-request.ts';
import { resolveVoices, type VoiceAliases } from '../speech/voice-aliases.ts';
import type { WantedWords } from '../speech/wanted-words.ts';
import { stringBytes } from '../text/appended-text.ts';
import type { Pronunciation } from '../text/pronunciations.ts';
import type { Preference } from '../upstream/service-choice.ts';

export type TurnSettings = WantedWords &
  Required<LastResort> & {
    /** What decides among speech services. */
    readonly prefer: Preference;
    readonly format: SessionFormat;
    /** As asked; without one the format's own default holds. */
    readonly sampleRate: number | undefined;
    readonly frameMs: number;
    readonly pace: 'realtime' | 'burst';
    readonly leadMs: number;
    readonly flow: 'clock' | 'credit';
    readonly audio: 'binary' | 'base64';
    readonly markup: 'strip' | 'keep';
    /** Whether it may be played from speech that is kept. */
    readonly cache: 'off' | 'on';
    readonly synthesis: SynthesisFields;
    /** Names of the speech services that may speak, in order of preference; none: all. */
    readonly upstream: readonly string[];
    /** The user id whose texts they are. */
    readonly tenant: string;
    /** The gateway's short names for voices, under those of the session's agent. */
    readonly aliases: VoiceAliases;
    /** Throws `invalid_request` for a voice that is known not to exist. */
    readonly checkVoices: CheckVoices;
    /** Of the session's agent: how words are said that are written otherwise. */
    readonly pronunciations: readonly Pronunciation[];
  };

type CheckVoices = (
  named: {
    readonly voice?: string | null | undefined;
    readonly voice2?: string | null | undefined;
  },
  use: { readonly tenant: string; readonly upstream: readonly string[] },
) => void;

/** Memory that a turn's own texts take: prompts, prefixes, names of voices. */
export function settingsBytes({ synthesis }: TurnSettings): number {
  let bytes = 0;
  for (const value of Object.values(synthesis)) if (typeof value === 'string') bytes += stringBytes(value);
  return bytes;
}

/** 20 ms is what every telephony platform speaks; 200 ms of lead hides a busy event loop and a jittery network. */
export const defaultSettings = (
  leadMs: number,
  cache: TurnSettings['cache'] = 'off',
  voices: { readonly aliases: VoiceAliases; readonly check: CheckVoices } = { aliases: {}, check() {} },
): TurnSettings => ({
  format: 'mulaw',
  sampleRate: undefined,
  frameMs: 20,
  pace: 'realtime',
  leadMs,
  flow: 'clock',
  audio: 'binary',
  captions: 'off',
  wordList: 'off',
  markup: 'strip',
  cache,
  synthesis: {},
  upstream: [],
  prefer: 'order',
  lastResort: 'speak',
  lastResortText: undefined,
  tenant: '',
  aliases: voices.aliases,
  checkVoices: (named, use) => voices.check(named, use),
  pronunciations: [],
});

/** Hz of the output; undefined is mp3 as the upstream sends it. */
const rateOf = (settings: Pick<TurnSettings, 'format' | 'sampleRate'>): number | undefined => {
  if (settings.sampleRate !== undefined) return settings.sampleRate;
  if (settings.format === 'mp3') return undefined;
  return settings.format === 'mulaw' || settings.format === 'alaw' ? 8000 : 24_000;
};

/** Neither the listener's time nor the listener's credit holds it back. */
export const isSentAtOnce = ({ pace, flow }: Pick<TurnSettings, 'pace' | 'flow'>): boolean =>
  pace === 'burst' && flow === 'clock';

export const outputOf = (settings: TurnSettings): OutputFormat => ({
  format: settings.format,
  sampleRate: rateOf(settings),
  frameMs: settings.frameMs,
});

/**
 * `fields` over `settings`; absent fields keep their value. Throws `invalid_request` for a rate that the format has not, and for a
 * voice that is known not to exist.
 */
export function applySettings(settings: TurnSettings, fields: Preset): TurnSettings {
  const {
    format,
    sampleRate,
    frameMs,
    pace,
    leadMs,
    flow,
    audio,
    captions,
    wordList,
    markup,
    cache,
    upstream = settings.upstream,
    prefer,
    lastResort,
    lastResortText,
    ...synthesis
  } = fields;
  const { tenant, aliases, checkVoices, pronunciations } = settings;
  const inForce = settings.synthesis;
  const { turnPrefix = inForce.turnPrefix, turnPrefix2 = inForce.turnPrefix2, voice, voice2 } = synthesis;
  const voices = resolveVoices(aliases, { voice, voice2, turnPrefix, turnPrefix2 });
  // With another service the voices that were in force may be unknown.
  const named = upstream === settings.upstream ? voices : { ...inForce, ...voices };
  checkVoices({ voice: named.voice, voice2: named.voice2 }, { tenant, upstream });
  const next: TurnSettings = {
    format: format ?? settings.format,
    sampleRate: sampleRate ?? settings.sampleRate,
    frameMs: frameMs ?? settings.frameMs,
    pace: pace ?? settings.pace,
    leadMs: leadMs ?? settings.leadMs,
    flow: flow ?? settings.flow,
    audio: audio ?? settings.audio,
    captions: captions ?? settings.captions,
    wordList: wordList ?? settings.wordList,
    markup: markup ?? settings.markup,
    cache: cache ?? settings.cache,
    synthesis: { ...inForce, ...synthesis, ...voices },
    upstream,
    prefer: prefer ?? settings.prefer,
    lastResort: lastResort ?? settings.lastResort,
    lastResortText: lastResortText ?? settings.lastResortText,
    tenant,
    aliases,
    checkVoices,
    pronunciations,
  };
  const refusal = next.sampleRate === undefined ? undefined : sampleRateRefusal(next.format, next.sampleRate);
  if (refusal !== undefined)
    throw fieldError({ field: 'sampleRate', allowed: refusal, given: next.sampleRate });
  return next;
}

export function configuredEvent(settings: TurnSettings): EventOf<'configured'> {
  const {
    sampleRate: _asked,
    wordList,
    synthesis,
    upstream,
    prefer,
    lastResort = 'speak',
    lastResortText,
    tenant: _tenant,
    aliases: _aliases,
    checkVoices: _check,
    pronunciations: _said,
    ...rest
  } = settings;
  const sampleRate = rateOf(settings);
  return {
    type: 'configured',
    ...rest,
    ...(sampleRate === undefined ? {} : { sampleRate }),
    ...(wordList === 'off' ? {} : { wordList }),
    ...(upstream.length === 0 ? {} : { upstream: [...upstream] }),
    ...(prefer === 'order' ? {} : { prefer }),
    ...(lastResort === 'speak' ? {} : { lastResort }),
    ...(lastResortText === undefined ? {} : { lastResortText }),
    synthesis,
  };
}
