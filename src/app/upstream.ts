// Everything about the speech service behind the gateway: which one it is, how its requests are counted and scheduled, what
// is cached of its speech, the short names of its voices. Adapters are chosen here as in alone.ts, and nowhere else.

import { createHash } from 'node:crypto';
import type { ServiceReport } from '../http/routes/operator-routes.ts';
import {
  createSpeechRecovery,
  type ResumeKind,
  type SpeechRecovery,
} from '../pipeline/whole-body/speech-recovery.ts';
import { createKnownVoices, createUncheckedVoices, type VoiceDirectory } from '../service/voice-directory.ts';
import { defaultSettings, type TurnSettings } from '../session/turn-settings.ts';
import type { Config } from '../settings/settings.ts';
import { PUBLIC_ADDRESSES, type ServiceKindName } from '../settings/upstream-settings.ts';
import { ASKED_FORMATS } from '../speech/audio-format.ts';
import type { ListedVoice } from '../speech/listed-voice.ts';
import { RECORDED_VOICE_FIELDS } from '../speech/speech-request.ts';
import { resolveVoices, type VoiceAliases } from '../speech/voice-aliases.ts';
import { WELL_KNOWN_VOICES } from '../speech/well-known-voices.ts';
import { spokenAs } from '../speech-program/program-language.ts';
import { createMemoryPhraseStore } from '../storage/memory-phrase-store.ts';
import type { PhraseStore } from '../storage/phrase-store.ts';
import type { createRedisPhraseStore, RedisPhraseStore } from '../storage/redis-phrase-store.ts';
import { quotaIdOf } from '../upstream/key-digest.ts';
import type { PoolReport } from '../upstream/pool/pool-report.ts';
import { createUpstreamPool, type UpstreamPool } from '../upstream/pool/upstream-pool.ts';
import { openFileLearnedQuotas } from '../upstream/quota/file-learned-quotas.ts';
import { createMemoryQuotaStore } from '../upstream/quota/memory-quota-store.ts';
import type { QuotaStore } from '../upstream/quota/quota-store.ts';
import { createHttpSpeechUpstream } from '../upstream/services/http-speech-upstream.ts';
import { createHttpVoiceList } from '../upstream/services/http-voice-list.ts';
import { createServiceKind } from '../upstream/services/service-kinds.ts';
import type { AppContext } from './context.ts';
import type { StartOptions } from './gateway.ts';

export type AppUpstream = {
  readonly pool: UpstreamPool;
  readonly recovery: SpeechRecovery;
  readonly phrases: PhraseStore | undefined;
  readonly voice: string | undefined;
  readonly voice2: string | undefined;
  readonly voices: VoiceDirectory;
  /** The embedded engine's address, when it is the service. */
  readonly engineUrl: string | undefined;
};

/** All that there are, by the compiler's word: each is counted from the start. */
const RESUMES: Readonly<Record<ResumeKind, true>> = {
  exact: true,
  aligned: true,
  regenerated: true,
  failed: true,
};
const DOUBTS: Readonly<Record<Parameters<SpeechRecovery['onDoubt']>[0], true>> = {
  'cut-frame': true,
  'frames-missing': true,
  'bytes-missing': true,
  'words-missing': true,
  'breaks-off': true,
  'too-short': true,
};
const PROOFS: Readonly<Record<Parameters<SpeechRecovery['onWhole']>[0], true>> = {
  told: true,
  heard: true,
  nothing: true,
};

const MAX_WAITING_REQUESTS = 1000;
const WARM_CONNECTIONS = 2;

/** `store` counts what the pool sends to `service`; the caller that opened it closes it. */
export async function openAppUpstream(
  context: AppContext,
  service: SpeechService,
  store: QuotaStore,
): Promise<AppUpstream> {
  const { config, clock, random, log, metrics, onStop } = context;
  const transport = createHttpSpeechUpstream({
    baseUrl: new URL(service.url),
    kind: createServiceKind(service.kind, { model: config.upstreamModel, sound: config.upstreamSound }),
    maxConnections: service.keys.reduce(
      (sum, { atOnce }) => sum + (atOnce ?? config.upstreamMaxInFlightPerKey),
      0,
    ),
    deadlines: {
      connectMs: config.upstreamConnectTimeoutMs,
      firstByteMs: config.upstreamFirstByteTimeoutMs,
      stallMs: config.upstreamStallTimeoutMs,
    },
    clock,
  });
  onStop(() => transport.close());
  const pool = createUpstreamPool({
    keys: service.keys,
    store,
    maxInFlightPerKey: config.upstreamMaxInFlightPerKey,
    maxWaitMs: {
      resume: 'while-served',
      first: config.upstreamMaxWaitMs,
      next: 'while-served',
      prefetch: 'while-served',
      batch: 'while-served',
    },
    maxWaiting: MAX_WAITING_REQUESTS,
    hedging: config.upstreamHedging,
    transport,
    clock,
    random,
    log,
    metrics,
  });
  onStop(() => pool.close());
  // Not waited for: a service that is silent must not hold up the start. It never throws and ends by its own deadline.
  void transport.warm(WARM_CONNECTIONS);

  const resumes = metrics.counters(
    'voxgate_resumes_total',
    'Speech that broke or was in doubt, by how it was made whole',
    { kind: Object.keys(RESUMES) },
  );
  const doubts = metrics.counters(
    'voxgate_doubtful_bodies_total',
    'Bodies that ended too early, by the sign',
    { doubt: Object.keys(DOUBTS) },
  );
  const whole = metrics.counters('voxgate_whole_bodies_total', 'Bodies taken for whole, by what proved it', {
    by: Object.keys(PROOFS),
  });
  const bodies = metrics.counters('voxgate_bodies_total', 'Bodies of speech that came, by what they were', {
    format: ASKED_FORMATS,
  });
  const phrases = await openPhraseStore(context);
  onStop(() => phrases?.close());
  return {
    pool,
    recovery: createSpeechRecovery({
      mostStallMs: config.upstreamStallTimeoutMs,
      onResume: (kind) => resumes.add(1, { kind }),
      onDoubt: (doubt) => doubts.add(1, { doubt }),
      onWhole: (by) => whole.add(1, { by }),
      onBody: ({ format }) => bodies.add(1, { format }),
    }),
    phrases,
    voice: service.voice,
    voice2: service.voice2,
    voices: openVoices(context, service),
    engineUrl: service.isEmbedded ? service.url : undefined,
  };
}

/** The speech service behind the gateway, as it was found at the start. */
export type SpeechService = {
  readonly kind: Exclude<ServiceKindName, 'engine'>;
  readonly url: string;
  readonly keys: Config['upstreamKeys'];
  readonly voice: string | undefined;
  readonly voice2: string | undefined;
  readonly isEmbedded: boolean;
  /** Those that are known without asking. */
  readonly voices: readonly ListedVoice[];
  readonly aliases: VoiceAliases;
};

/** What an operator is told of `service`, whose pool this is. */
export const serviceReport = ({ url, isEmbedded }: SpeechService, pool: PoolReport): ServiceReport => ({
  ...(isEmbedded
    ? { name: 'engine', kind: 'engine' }
    : { name: 'speech-service', kind: 'speech-service', address: new URL(url).origin }),
  ...pool,
});

/** The configured speech service, or the embedded engine. */
export async function chooseService({
  config,
  engine: launched,
}: Pick<StartOptions, 'config' | 'engine'>): Promise<SpeechService> {
  const defaultVoices = (aliases: VoiceAliases) => {
    const { voice, voice2 } = resolveVoices(aliases, { voice: config.voice, voice2: config.voice2 });
    return { voice, voice2: voice2 ?? undefined, aliases };
  };
  if (launched === undefined) {
    const kind = config.upstreamKind as SpeechService['kind'];
    const url = config.upstreamUrl ?? PUBLIC_ADDRESSES[kind]!;
    const ownVoices = defaultVoices(appVoiceAliases(config, undefined));
    const { voice, voice2 } = ownVoices;
    const voices = [voice, voice2].flatMap((id) => (id === undefined ? [] : [{ id }]));
    return { kind, url, keys: keysOf(kind, config.upstreamKeys), ...ownVoices, isEmbedded: false, voices };
  }
  const engine = await launched.started;
  const ownVoices = defaultVoices(appVoiceAliases(config, engine.voices));
  return {
    kind: 'speech-service',
    url: engine.url,
    keys: [{ ...engine.key, atOnce: undefined }],
    voice: ownVoices.voice ?? engine.femaleVoice,
    voice2: ownVoices.voice2 ?? engine.maleVoice,
    aliases: ownVoices.aliases,
    isEmbedded: true,
    voices: engine.voices,
  };
}

/** Only services of our own interface have user ids; what looks like one is a part of another vendor's key. */
function keysOf(kind: SpeechService['kind'], keys: Config['upstreamKeys']): Config['upstreamKeys'] {
  if (kind === 'speech-service') return keys;
  if (keys.length === 0) return [{ userId: '', apiKey: '', perMinute: undefined, atOnce: undefined }];
  return keys.map(({ userId, apiKey, ...limits }) => ({
    userId: '',
    apiKey: userId === '' ? apiKey : `${userId}:${apiKey}`,
    ...limits,
  }));
}

function openVoices({ clock, config }: AppContext, service: SpeechService): VoiceDirectory {
  const { kind, url, keys, isEmbedded, voices, aliases } = service;
  if (kind !== 'speech-service') {
    const { ignored } = createServiceKind(kind, { model: config.upstreamModel });
    return createUncheckedVoices(() => Promise.resolve(voices), aliases, ignored);
  }
  if (isEmbedded)
    return createKnownVoices(voices, { aliases, ignoredFields: RECORDED_VOICE_FIELDS, spokenAs });
  const list = createHttpVoiceList({ baseUrl: new URL(url), key: keys[0]!, known: voices, clock });
  return createUncheckedVoices(list, aliases);
}

/** Shared by all instances, or this one's own; the embedded engine is always one's own. */
export async function openQuotaStore(
  { config, clock, random, log, redisLinks }: AppContext,
  service: SpeechService,
): Promise<QuotaStore> {
  const { url, keys, isEmbedded } = service;
  const name = createHash('sha256').update(url).digest('hex').slice(0, 12);
  const quotas = keys.map(({ apiKey, perMinute }) => ({
    quota: quotaIdOf(apiKey),
    // The limit of a foreign service is found out where it is not told; our own engine has none but that.
    perMinute: perMinute ?? (isEmbedded ? ('unlimited' as const) : undefined),
  }));
  if (config.redisUrl !== undefined && !isEmbedded) {
    const { createRedisQuotaStore } = await import('../upstream/quota/redis-quota-store.ts');
    const store = createRedisQuotaStore({
      url: config.redisUrl,
      pool: name,
      quotas,
      maxInstances: config.maxInstances,
      clock,
      random,
      log,
    });
    redisLinks.set('quotas', store.isShared);
    return store;
  }
  const learned = isEmbedded
    ? undefined
    : openFileLearnedQuotas({ folder: config.dataDir, service: name, log, unixMs: Date.now });
  return createMemoryQuotaStore({
    quotas,
    clock,
    log,
    unixMs: Date.now,
    ...(learned === undefined ? {} : { learned }),
  });
}

/** What a gateway without Redis does not need is not loaded. */
const openShared = async (options: Parameters<typeof createRedisPhraseStore>[0]): Promise<RedisPhraseStore> =>
  (await import('../storage/redis-phrase-store.ts')).createRedisPhraseStore(options);

async function openPhraseStore({
  config,
  clock,
  log,
  metrics,
  redisLinks,
}: AppContext): Promise<PhraseStore | undefined> {
  const lookups = metrics.counters(
    'voxgate_phrases_total',
    'Requests that might be played from kept speech, by result',
    { result: ['hit', 'miss'] },
  );
  if (config.phraseCache === 'off') return undefined;
  const near = createMemoryPhraseStore(config.phraseCacheBytes, clock);
  const url = config.phraseCacheRedisUrl;
  const shared = url === undefined ? undefined : await openShared({ url, near, clock, log });
  if (shared !== undefined) redisLinks.set('phrases', shared.isUp);
  const store = shared ?? near;
  return {
    async find(key) {
      const body = await store.find(key);
      lookups.add(1, { result: body === undefined ? 'miss' : 'hit' });
      return body;
    },
    keep: (key, body, leftMs) => store.keep(key, body, leftMs),
    drop: (key) => store.drop(key),
    close: () => store.close(),
  };
}

/** The engine's voices by their names, `anna` and `Anna`, and by the well-known names of other services. */
function engineAliases(voices: readonly ListedVoice[]): VoiceAliases {
  const own = new Map(voices.flatMap(({ id, name }) => (name === undefined ? [] : [[name, id] as const])));
  const byName = new Map([...own].map(([name, id]) => [name.toLowerCase(), id]));
  const known = Object.entries(WELL_KNOWN_VOICES).flatMap(([name, voice]) => {
    const id = byName.get(voice);
    return id === undefined ? [] : [[name, id] as const];
  });
  return Object.fromEntries([...known, ...own, ...byName]);
}

/**
 * Short names for voices: those that are set come before those of the embedded engine.
 * `engineVoices`: of the embedded engine; undefined before a service of others, whose voices we do not know.
 */
export const appVoiceAliases = (
  { voiceAliases }: Pick<Config, 'voiceAliases'>,
  engineVoices: readonly ListedVoice[] | undefined,
): VoiceAliases => ({
  ...(engineVoices === undefined ? {} : engineAliases(engineVoices)),
  ...voiceAliases,
});

/** What a session begins with. */
export const sessionSettings = (
  { leadMs, phraseCache }: Pick<Config, 'leadMs' | 'phraseCache'>,
  voices: Pick<VoiceDirectory, 'aliases' | 'check'>,
): TurnSettings => defaultSettings(leadMs, phraseCache === 'always' ? 'on' : 'off', voices);
