// The configured speech services as they are found at the start, the embedded engine among them: what a process needs to know to
// ask them. Plain data, so that processes that play can be told.

import { KEY_LIMITS, type UpstreamKey } from '../settings/credential-lists.ts';
import { PUBLIC_ADDRESSES, type ServiceKindName } from '../settings/service-kind-names.ts';
import { configuredServices, type UpstreamSetting } from '../settings/upstream-list.ts';
import type { ListedVoice } from '../speech/listed-voice.ts';
import { resolveVoices, type VoiceAliases } from '../speech/voice-aliases.ts';
import { WELL_KNOWN_VOICES } from '../speech/well-known-voices.ts';
import { quotaIdAt, quotaIdOf } from '../upstream/key-digest.ts';
import type { PoolKey } from '../upstream/pool/pool-members.ts';
import type { QuotaId } from '../upstream/quota/quota-store.ts';
import type { VoiceTable } from '../upstream/service-choice.ts';
import type { StartOptions } from './gateway.ts';

/** A key of one service; `quota`: what its requests are counted by. */
export type ServiceKey = PoolKey & Pick<UpstreamKey, KeyLimit> & { readonly quota: QuotaId };
type KeyLimit = (typeof KEY_LIMITS)[number];

export type SpeechService = Pick<
  UpstreamSetting,
  'name' | 'model' | 'group' | 'tenants' | 'options' | 'fallbackVoice' | 'fallbackVoice2'
> & {
  /** How it is asked; the embedded engine speaks our own interface. */
  readonly kind: Exclude<ServiceKindName, 'engine'>;
  readonly url: string;
  readonly keys: readonly ServiceKey[];
  readonly isEmbedded: boolean;
  /** Those that are known without asking. */
  readonly voices: readonly ListedVoice[];
  /** Short names for its own voices. */
  readonly ownNames: VoiceAliases;
  /** Of a turn that names none, where the gateway's settings name none either. */
  readonly voice: string | undefined;
  readonly voice2: string | undefined;
};

export type ConfiguredSpeech = {
  /** In order of preference. */
  readonly services: readonly [SpeechService, ...SpeechService[]];
  /** `list`: several by the list; `plain`: the one of plain settings. */
  readonly form: 'plain' | 'list';
  /** Short names that callers may use for voices; a name of the table, and one of the engine beside others, stands for itself. */
  readonly aliases: VoiceAliases;
  readonly table: VoiceTable;
  /** Of a turn that names none. */
  readonly voice: string | undefined;
  readonly voice2: string | undefined;
};

/** The embedded engine's voices by their names, `anna` and `Anna`, and by the well-known names of other services. */
export function engineNames(voices: readonly ListedVoice[]): VoiceAliases {
  const own = new Map(voices.flatMap(({ id, name }) => (name === undefined ? [] : [[name, id] as const])));
  const byName = new Map([...own].map(([name, id]) => [name.toLowerCase(), id]));
  const known = Object.entries(WELL_KNOWN_VOICES).flatMap(([name, voice]) => {
    const id = byName.get(voice);
    return id === undefined ? [] : [[name, id] as const];
  });
  return Object.fromEntries([...known, ...own, ...byName]);
}

/**
 * Short names that callers may use: of the table before those that are set, and these before the engine's (`own`), which stand
 * for its voices where it is alone, and beside others for whichever service has such a voice.
 */
export function voiceAliases(
  set: VoiceAliases,
  own: VoiceAliases,
  engine: 'lone' | 'beside-others',
  table: VoiceTable = {},
): VoiceAliases {
  const engines = engine === 'lone' ? own : themselves(Object.keys(own));
  return { ...engines, ...set, ...themselves(Object.keys(table)) };
}

const themselves = (names: readonly string[]): VoiceAliases =>
  Object.fromEntries(names.map((name) => [name, name]));

/** The limits of a group are those that any of its keys names. */
function groupLimit(
  services: readonly UpstreamSetting[],
  group: string,
  limit: KeyLimit,
): number | undefined {
  return services
    .filter((service) => service.group === group)
    .flatMap(({ keys }) => keys.flatMap((key) => key[limit] ?? []))[0];
}

function keysOf(
  service: UpstreamSetting,
  url: string,
  form: ConfiguredSpeech['form'],
  all: readonly UpstreamSetting[],
): readonly ServiceKey[] {
  const { group, name } = service;
  // A server without keys is asked with an empty one.
  const none = { userId: '', apiKey: '', perMinute: undefined, atOnce: undefined };
  const keys = service.keys.length === 0 ? [none] : service.keys;
  if (form === 'plain') return keys.map((key) => ({ ...key, quota: quotaIdOf(key.apiKey) }));
  return keys.map((key) => {
    if (group === undefined) return { ...key, quota: quotaIdAt({ url, apiKey: key.apiKey }), service: name };
    const limits = KEY_LIMITS.map((limit) => [limit, groupLimit(all, group, limit)] as const);
    return {
      ...key,
      ...Object.fromEntries(limits),
      quota: quotaIdAt({ group }),
      service: name,
    };
  });
}

/** Waits for the embedded engine, where it is one of them. */
export async function findServices({
  config,
  engine: launched,
}: Pick<StartOptions, 'config' | 'engine'>): Promise<ConfiguredSpeech> {
  const settings = configuredServices(config);
  const form = config.upstreams.length === 0 ? 'plain' : 'list';
  const engine = await launched?.started;
  const own = engine === undefined ? {} : engineNames(engine.voices);

  const toService = (setting: UpstreamSetting): SpeechService => {
    const { name, kind, keys: _keys, url: given, ...rest } = setting;
    if (kind === 'engine') {
      const { url, key, voices, femaleVoice, maleVoice } = engine!;
      const quota = quotaIdOf(key.apiKey);
      const keys = [{ ...key, atOnce: undefined, quota, service: form === 'list' ? name : undefined }];
      const its = { url, keys, voices, ownNames: own, voice: femaleVoice, voice2: maleVoice };
      return { ...rest, ...its, name, kind: 'speech-service', isEmbedded: true };
    }
    const url = given ?? PUBLIC_ADDRESSES[kind]!;
    const keys = keysOf(setting, url, form, settings);
    const none = { voices: [], ownNames: {}, voice: undefined, voice2: undefined };
    return { ...rest, ...none, name, kind, url, keys, isEmbedded: false };
  };
  const [first, ...others] = settings;
  const services: ConfiguredSpeech['services'] = [toService(first), ...others.map(toService)];

  const table = config.voices;
  const aliases = voiceAliases(config.voiceAliases, own, form === 'plain' ? 'lone' : 'beside-others', table);
  const { voice, voice2 } = resolveVoices(aliases, { voice: config.voice, voice2: config.voice2 });
  const lone = form === 'plain' ? services[0] : undefined;
  return {
    services: lone === undefined || lone.isEmbedded ? services : [withKnownVoices(lone, [voice, voice2])],
    form,
    aliases,
    table,
    voice: voice ?? lone?.voice,
    voice2: voice2 ?? lone?.voice2,
  };
}

/** The voices of the settings are known to be there. */
const withKnownVoices = (
  service: SpeechService,
  voices: readonly (string | null | undefined)[],
): SpeechService => ({ ...service, voices: voices.flatMap((id) => (id == null ? [] : [{ id }])) });

/** What the settings say of a quota: of the same API key under several names, or of a group, one limit holds for all. */
export function limitsOf(
  services: readonly Pick<SpeechService, 'keys'>[],
  quota: QuotaId,
): Readonly<Record<KeyLimit, number | undefined>> {
  const keys = services.flatMap((service) => service.keys.filter((key) => key.quota === quota));
  const least = (limits: readonly number[]) => (limits.length === 0 ? undefined : Math.min(...limits));
  const of = (limit: KeyLimit) => least(keys.flatMap((key) => key[limit] ?? []));
  return {
    perMinute: of('perMinute'),
    atOnce: of('atOnce'),
    charactersPerMinute: of('charactersPerMinute'),
    charactersPerMonth: of('charactersPerMonth'),
  };
}

/** Requests of all processes together that may be under way on a quota. */
export function placesOf(
  services: readonly Pick<SpeechService, 'keys'>[],
  quota: QuotaId,
  maxInFlightPerKey: number,
): number {
  const { atOnce } = limitsOf(services, quota);
  if (atOnce !== undefined) return atOnce;
  const keys = services.flatMap((service) => service.keys.filter((key) => key.quota === quota));
  return maxInFlightPerKey * new Set(keys.map(({ userId, apiKey }) => JSON.stringify([userId, apiKey]))).size;
}
