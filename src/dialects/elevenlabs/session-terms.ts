// What the query of an upgrade says about the session: its preset, how long nothing may be said, and how characters are
// timed. Unknown parameters are ignored, for clients send whatever the vendor takes.

import { fieldError } from '../../base/check-fields.ts';
import type { Language } from '../../speech/language.ts';
import { languageOfTag, unknownLanguage } from '../../speech/language-tag.ts';
import { MAX_SEED } from '../../speech/speech-request.ts';
import type { Preset } from '../native-messages.ts';
import { readPacing } from '../pacing-query.ts';
import { checkPreset } from '../session-preset.ts';
import type { AlignmentClock } from './aligner.ts';
import { DEFAULT_OUTPUT_FORMAT, readOutputFormat } from './output-format.ts';
import { decodeVoice, type EnteredDoor, type FrontDoor } from './voice-path.ts';

/** A whole number of samples at every rate, and what fills up the last frame behind a flush is not heard as a pause. */
const FRAME_MS = 40;
/** A second hides a late event loop; a client that leaves loses no more than that. */
const LEAD_MS = 1000;
export const IDLE_SECONDS = 20;
const MAX_IDLE_SECONDS = 180;

/**
 * Contexts are sent as fast as they are made, as the vendor's are: their clients keep what they have not played, and tell
 * it by its context. A single context has nothing beside it, and its client has only the socket to close.
 */
const PACE: Readonly<Record<FrontDoor, 'realtime' | 'burst'>> = {
  multi: 'burst',
  dialogue: 'burst',
  single: 'realtime',
};

/** How long nothing may be said, ms; more than the vendor's most is the most, and undefined is what is no such time. */
export function idleMsOf(query: URLSearchParams): number | undefined {
  const seconds = Number(query.get('inactivity_timeout')?.trim() || IDLE_SECONDS);
  return seconds > 0 ? Math.min(seconds, MAX_IDLE_SECONDS) * 1000 : undefined;
}

function readSeed(query: URLSearchParams): number | undefined {
  const given = query.get('seed');
  if (given === null) return undefined;
  const seed = given.trim() === '' ? Number.NaN : Number(given);
  if (seed >= 0 && seed <= MAX_SEED) return seed;
  throw fieldError({ field: 'seed', allowed: `must be a number from 0 to ${MAX_SEED}`, given });
}

/** Another language than the one that was asked for would be no service. */
function readLanguage(query: URLSearchParams): Language | undefined {
  const code = query.get('language_code')?.trim() ?? '';
  const language = languageOfTag(code);
  if (code === '' || language !== undefined) return language;
  throw unknownLanguage('language_code', code);
}

/**
 * Clients read the same arrays in two ways. LiveKit asks for `sync_alignment` and takes times as those of the context;
 * pipecat does not ask, and adds up what the messages span, as it does in a dialogue, where it asks.
 */
export function readAlignmentClock(door: FrontDoor, query: URLSearchParams): AlignmentClock {
  const asked = query.get('sync_alignment');
  if (asked === 'false') return 'off';
  return asked === 'true' && door !== 'dialogue' ? 'absolute' : 'relative';
}

/** Throws `invalid_request` naming the parameter. */
export function readPreset({ door, rawVoice }: EnteredDoor, query: URLSearchParams): Preset {
  if (idleMsOf(query) === undefined)
    throw fieldError({
      field: 'inactivity_timeout',
      allowed: 'must be a number of seconds above 0',
      given: query.get('inactivity_timeout') ?? '',
    });
  const [seed, language] = [readSeed(query), readLanguage(query)];
  return checkPreset({
    ...readOutputFormat(query.get('output_format') ?? DEFAULT_OUTPUT_FORMAT),
    frameMs: FRAME_MS,
    pace: PACE[door],
    leadMs: LEAD_MS,
    ...readPacing(query),
    flow: 'clock',
    captions: readAlignmentClock(door, query) === 'off' ? 'off' : 'words',
    ...(rawVoice !== undefined && { voice: decodeVoice(rawVoice) }),
    ...(seed !== undefined && { seed }),
    ...(language !== undefined && { language }),
  });
}
