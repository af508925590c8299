// Everything about the speech service behind the gateway: which one it is, how its requests are counted and scheduled, what
// is cached of its speech, the short names of its voices. Adapters are chosen here as in alone.ts, and nowhere else.

import { createHash } from 'node:crypto';
import { AppError } from '../base/app-error.ts';
import type { ServiceReport } from '../http/routes/operator-routes.ts';
import type { ServingService, SpeechServices } from '../pipeline/speech-services.ts';
import {
  createSpeechRecovery,
  type ResumeKind,
  type SpeechRecovery,
} from '../pipeline/whole-body/speech-recovery.ts';
import { createServiceVoices, type VoiceDirectory } from '../service/voice-directory.ts';
import { defaultSettings, type TurnSettings } from '../session/turn-settings.ts';
import type { Config } from '../settings/settings.ts';
import { ASKED_FORMATS } from '../speech/audio-format.ts';
import { RECORDED_VOICE_FIELDS } from '../speech/speech-request.ts';
import type { PhraseStore } from '../storage/phrase-store.ts';
import type { HealthExchange } from '../upstream/health/shared-health.ts';
import { fingerprintOf } from '../upstream/key-digest.ts';
import type { PoolReport } from '../upstream/pool/pool-report.ts';
import { createServiceMetrics } from '../upstream/pool/service-metrics.ts';
import { createUpstreamPool, type UpstreamPool } from '../upstream/pool/upstream-pool.ts';
import type { QuotaStore } from '../upstream/quota/quota-store.ts';
import {
  inPreference,
  mayUse,
  type ServiceLink,
  type ServiceProfile,
  type ServiceStanding,
} from '../upstream/service-choice.ts';
import { createHttpSpeechUpstream } from '../upstream/services/http-speech-upstream.ts';
import type { ServiceKind } from '../upstream/services/service-kind.ts';
import { createServiceKind } from '../upstream/services/service-kinds.ts';
import { withOptions } from '../upstream/services/service-options.ts';
import type { SpeechUpstream } from '../upstream/speech-upstream.ts';
import type { ConfiguredSpeech, SpeechService } from './configured-speech.ts';
import type { AppContext } from './context.ts';
import { openPhraseStore } from './phrases.ts';
import { openServiceVoices, type ServiceVoices, spokenAsBy, type VoiceLists } from './service-voices.ts';
import { healthReport, openServiceWatches, standingOf } from './service-watches.ts';

export type AppUpstream = {
  readonly services: SpeechServices;
  /** Of the first service. */
  readonly upstream: SpeechUpstream;
  readonly recovery: SpeechRecovery;
  readonly phrases: PhraseStore | undefined;
  readonly voice: string | undefined;
  readonly voice2: string | undefined;
  readonly voices: VoiceDirectory;
  /** The embedded engine's address, when it is one of the services. */
  readonly engineUrl: string | undefined;
  /** In order of preference. */
  readonly reports: () => readonly ServiceReport[];
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

/** The one service of a gateway is not compared with others. */
const WELL: ServiceStanding = { health: 'in-order', isFull: false, usualMs: undefined };

const MAX_WAITING_REQUESTS = 1000;
const WARM_CONNECTIONS = 2;

/** What the services of a process share. */
type Shared = Pick<AppContext, 'config' | 'clock' | 'random' | 'log' | 'onStop'> & {
  readonly openRecovery: () => SpeechRecovery;
  readonly metricsOf: (service: SpeechService) => AppContext['metrics'];
  readonly watchOf: ReturnType<typeof openServiceWatches>;
  readonly lists: VoiceLists;
};

type OpenService = Omit<ServingService, 'voice' | 'voice2'> & {
  readonly service: SpeechService;
  readonly kind: ServiceKind;
  readonly pool: UpstreamPool;
  readonly voices: ServiceVoices;
};

/** One service with its own connections, keys, limits and records of voices. */
function openService(
  { config, clock, random, log, onStop, openRecovery, metricsOf, watchOf, lists }: Shared,
  service: SpeechService,
  store: QuotaStore,
  form: ConfiguredSpeech['form'],
  isLastResort: boolean,
): OpenService {
  const { name, url, keys, model, options, isEmbedded, tenants } = service;
  const kind = withOptions(
    service.kind,
    createServiceKind(service.kind, {
      model,
      sound: config.upstreamSound,
      wordTimes: config.wordTimes === 'service' ? 'service' : 'ours',
    }),
    options,
  );
  const transport = createHttpSpeechUpstream({
    baseUrl: new URL(url),
    kind,
    maxConnections: keys.reduce((sum, { atOnce }) => sum + (atOnce ?? config.upstreamMaxInFlightPerKey), 0),
    deadlines: {
      connectMs: config.upstreamConnectTimeoutMs,
      firstByteMs: config.upstreamFirstByteTimeoutMs,
      stallMs: config.upstreamStallTimeoutMs,
    },
    ...{ clock, name: form === 'list' ? name : undefined },
  });
  onStop(() => transport.close());
  const pool = createUpstreamPool({
    keys,
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
    metrics: metricsOf(service),
  });
  onStop(() => pool.close());
  const voices = openServiceVoices(service, lists);
  // Not waited for: a service that is silent must not hold up the start. It never throws and ends by its own deadline.
  void transport.warm(WARM_CONNECTIONS);
  const isList = form === 'list';
  return {
    service,
    kind,
    pool,
    name,
    upstream: onlyFor(tenants, pool),
    watch: watchOf(name),
    isLastResort,
    recovery: openRecovery(),
    identity: isEmbedded ? 'engine' : identityOf(service),
    ignored: isEmbedded ? RECORDED_VOICE_FIELDS : kind.ignored,
    seeds: kind.seeds,
    // Where there is one service, its own defaults are those of the gateway.
    defaultVoice: isList ? service.voice : undefined,
    defaultVoice2: isList ? service.voice2 : undefined,
    voices,
  };
}

/** What makes its speech its own. */
const identityOf = ({ kind, url, model, options }: SpeechService): string =>
  createHash('sha256')
    .update(JSON.stringify([kind, url, model ?? null, options]))
    .digest('hex')
    .slice(0, 16);

/** The last of the checks: whatever asks, no text of another tenant goes there. */
export function onlyFor(tenants: SpeechService['tenants'], pool: SpeechUpstream): SpeechUpstream {
  if (tenants === undefined) return pool;
  return {
    ...pool,
    async open(request, options) {
      if (mayUse(tenants, options.work?.tenant ?? '')) return pool.open(request, options);
      throw new AppError('internal', 'A text was sent to a speech service that its tenant may not use.');
    },
  };
}

/** What the processes and instances of a gateway tell each other. */
export type ToldOfServices = {
  readonly lists: VoiceLists;
  /** Undefined where there are no others. */
  readonly health: HealthExchange | undefined;
};

/** `storeFor`: what counts the requests of a service. */
export async function openAppUpstream(
  context: AppContext,
  speech: ConfiguredSpeech,
  storeFor: (service: SpeechService) => QuotaStore,
  { lists, health }: ToldOfServices,
): Promise<AppUpstream> {
  const { config, metrics, onStop } = context;
  const { form, services, table } = speech;
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
  const openRecovery = () =>
    createSpeechRecovery({
      mostStallMs: config.upstreamStallTimeoutMs,
      onResume: (kind) => resumes.add(1, { kind }),
      onDoubt: (doubt) => doubts.add(1, { doubt }),
      onWhole: (by) => whole.add(1, { by }),
      onBody: ({ format }) => bodies.add(1, { format }),
    });
  const metricsOf = form === 'plain' ? () => metrics : labelledMetrics(metrics, services);
  const watchOf = openServiceWatches(context, services, health);
  const shared = { ...context, openRecovery, metricsOf, watchOf, lists };
  const open = services.map((service, index) => {
    const isLast = index > 0 && index === services.length - 1;
    return openService(shared, service, storeFor(service), form, isLast && service.isEmbedded);
  });
  const byName = new Map(open.map((each) => [each.name, each]));
  const profiles = open.map(
    ({ name, service, voices }): ServiceProfile => ({
      name,
      tenants: service.tenants,
      fallbackVoice: service.fallbackVoice,
      fallbackVoice2: service.fallbackVoice2,
      find: (voice) => voices.find(voice),
    }),
  );
  const voices = createServiceVoices({
    form,
    services: open.map(({ name, service, ignored, voices: own }) => ({
      ...service,
      name,
      ignored,
      list: () => own.list(),
      knownNames: own.knownNames,
    })),
    profiles,
    table,
    aliases: speech.aliases,
    spokenAs: spokenAsBy(services),
  });
  const first = open[0]!;
  const phrases = await openPhraseStore(context);
  onStop(() => phrases?.close());
  return {
    services: {
      chain(ask) {
        const { prefer = 'order', reader = 'listener' } = ask;
        const chosen = voices.choose(ask);
        const [link, ...others] = inPreference(chosen, prefer, ({ name, voice = '' }) => {
          const { watch, pool } = byName.get(name)!;
          return watch === undefined ? WELL : standingOf(watch, () => pool.state(), voice, reader);
        });
        const toServing = ({ name, voice, voice2 }: ServiceLink) => ({ ...byName.get(name)!, voice, voice2 });
        return [toServing(link!), ...others.map(toServing)];
      },
    },
    upstream: first.upstream,
    recovery: first.recovery,
    phrases,
    voice: speech.voice,
    voice2: speech.voice2,
    voices,
    engineUrl: services.find(({ isEmbedded }) => isEmbedded)?.url,
    reports: () =>
      open.map(({ service, pool, watch }) => ({
        ...serviceReport(service, pool.state(), form),
        ...healthReport(watch, context.clock.now()),
      })),
  };
}

const labelledMetrics = (metrics: AppContext['metrics'], services: ConfiguredSpeech['services']) => {
  const names = services.map(({ name }) => name);
  const key = services.flatMap(({ keys, name }) => keys.map((each) => fingerprintOf(each, name)));
  const of = createServiceMetrics(metrics, names, { key });
  return ({ name }: SpeechService) => of(name);
};

/** What an operator is told of a service, whose pool this is. */
function serviceReport(
  { name, kind, url, isEmbedded }: SpeechService,
  pool: PoolReport,
  form: ConfiguredSpeech['form'],
): ServiceReport {
  const keys = form === 'plain' ? pool.keys : pool.keys.map((key) => ({ ...key, service: name }));
  const about = isEmbedded ? { name, kind: 'engine' } : { name, kind, address: new URL(url).origin };
  return { ...about, ...pool, keys };
}

/** What speech is asked through. */
export const upstreamOf = ({ services, upstream, recovery }: AppUpstream) => ({
  services,
  upstream,
  recovery,
});

/** What a session begins with. */
export const sessionSettings = (
  { leadMs, phraseCache }: Pick<Config, 'leadMs' | 'phraseCache'>,
  voices: Pick<VoiceDirectory, 'aliases' | 'check'>,
): TurnSettings => defaultSettings(leadMs, phraseCache === 'always' ? 'on' : 'off', voices);
