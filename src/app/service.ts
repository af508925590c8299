// Builds the speech service: records, files, the runner of work after a reply, and what the HTTP routes ask. Adapters are
// chosen here as in alone.ts.

import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Credentials } from '../access/credentials.ts';
import { MAX_TOKEN_LIFE_MS } from '../access/token-issuer.ts';
import { webhookSecret } from '../access/webhook-signature.ts';
import type { AppError } from '../base/app-error.ts';
import type { CompatRoutesOptions } from '../http/compat/compat-routes.ts';
import type { OpenReplies } from '../http/server/open-replies.ts';
import { reachedOrigin } from '../http/server/reached-origin.ts';
import type { ServiceApiOptions } from '../http/server/service-api.ts';
import type { SpeechRuntime } from '../pipeline/speech-runtime.ts';
import { createWorkerSourceReader } from '../reading/worker-source-reader.ts';
import { createAdmitWork } from '../service/admit-work.ts';
import { createAgentService } from '../service/agents/agent-service.ts';
import type { AudioFinisher } from '../service/audio-finisher.ts';
import { createHttpGuardedFetch } from '../service/fetch/http-guarded-fetch.ts';
import { createNameLookup, systemNameLookup } from '../service/fetch/name-lookup.ts';
import { openFilePartShelf } from '../service/file-part-shelf.ts';
import type { Secrets } from '../service/file-service-secret.ts';
import { createProcessFfmpegFinisher } from '../service/finishing/process-ffmpeg-finisher.ts';
import { probeFfmpeg } from '../service/finishing/process-ffmpeg-probe.ts';
import { createWorkerGainFinisher } from '../service/finishing/worker-gain-finisher.ts';
import { createJobHandler } from '../service/jobs/job-handler.ts';
import { jobSpoken } from '../service/jobs/job-record.ts';
import { createJobService } from '../service/jobs/job-service.ts';
import { createKeyLimits, STATED_RULES } from '../service/key-limits.ts';
import { createPlayNoteHandler } from '../service/playnotes/playnote-handler.ts';
import { createPlayNoteService } from '../service/playnotes/playnote-service.ts';
import { createRetention } from '../service/retention.ts';
import { createServiceAddress } from '../service/service-address.ts';
import { createWebhookDispatcher } from '../service/webhooks/webhook-dispatcher.ts';
import { createWorkMessages } from '../service/work-message.ts';
import { createWorkQuestions } from '../service/work-questions.ts';
import { createWorkRunner } from '../service/work-runner.ts';
import type { SessionAgent } from '../session/session-agent.ts';
import type { AgentProfile } from '../speech/agent-profile.ts';
import { openDataFolder } from '../storage/data-folder.ts';
import type { RecordNews } from '../storage/postgres-database.ts';
import type { WorkKind } from '../storage/works/work.ts';
import type { AppContext } from './context.ts';
import { openServiceMetrics } from './service-metrics.ts';
import { openAppRecords, openAppShared, openScriptWriter } from './service-parts.ts';
import type { AppUpstream } from './upstream.ts';

export type AppServiceOptions = AppContext & {
  readonly upstream: AppUpstream;
  readonly runtime: SpeechRuntime;
  readonly credentials: Credentials;
  readonly secrets: Secrets;
  /** A token that was taken back before the start, or at another instance, and could be used for `leftMs`. */
  readonly noteRevoked: (id: string, leftMs: number) => void;
  readonly replies: OpenReplies;
  /** Where ffmpeg is looked for. */
  readonly searchPath: string | undefined;
  /** The gateway's own origin, for addresses in webhooks; known once it listens. */
  readonly origin: () => string;
  readonly isStopping: () => boolean;
  /** Another process has the data folder; this one has stopped working on it. */
  readonly onLost: () => void;
};

export type AppService = {
  /** All but what is not of the speech service. */
  readonly api: Omit<ServiceApiOptions, 'legs'>;
  /** The HTTP speech of other vendors. */
  readonly compat: CompatRoutesOptions;
  /** What a session of this user's agent begins with; undefined: the user has none with this id. */
  findAgent(owner: string, id: string): Promise<SessionAgent | undefined>;
  /** Begins the work that is waiting; call it when callers can reach the gateway. */
  start(): void;
  /** Why it can accept nothing now, for a load balancer. */
  notReady(): string | undefined;
  /** What it goes without, for a load balancer: a fault that all instances have alike. */
  without(): readonly string[];
  /** Resolves when a token that was taken back stays so, wherever it is shown. */
  keepRevoked(id: string): Promise<void>;
  onStorageError(error: AppError): void;
  /** Begins no more works and goes on with those that it has: other instances, or the next start, begin the rest. */
  rest(): void;
};

const DAY_MS = 24 * 60 * 60_000;
/** Deliveries to webhooks that are under way may take this long after everything else has ended. */
const LAST_WEBHOOKS_MS = 2000;

export async function openAppService(options: AppServiceOptions): Promise<AppService> {
  const { config, clock, random, log, upstream, runtime, secrets, onStop } = options;
  const { dataDir } = config;
  openDataFolder(dataDir);
  let folder: 'ours' | 'lost' = 'ours';
  let leaveFolder = () => {};
  let hear = (_news: RecordNews) => {};
  const records = await openAppRecords(options, {
    onLost() {
      folder = 'lost';
      log.error('data_folder_lost', { folder: dataDir });
      leaveFolder();
      options.onLost();
    },
    onNews: (news) => hear(news),
  });
  const { works: store, deliveries, files, revocations, storage, checkHeld, sharing, unixMs } = records;
  const isStopping = () => options.isStopping() || folder === 'lost';
  const fetch = createHttpGuardedFetch({
    clock,
    allowPrivate: config.privateAddresses,
    lookup: config.privateAddresses === 'allowed' ? systemNameLookup : createNameLookup(),
  });
  onStop(() => fetch.close());
  const { slots, openLimiter } = await openAppShared(options);

  const masters = config.webhookSecrets.length > 0 ? config.webhookSecrets : secrets.webhooks;
  const measured = openServiceMetrics(options, { ...records, running: () => runner.running() });
  const dispatcher = createWebhookDispatcher({
    store: deliveries,
    fetch,
    secretsOf: (owner) => masters.map((master) => webhookSecret(master, owner)),
    clock,
    unixMs,
    random,
    log,
    onAttempt: measured.webhookAttempted,
  });
  onStop(() => dispatcher.stop(LAST_WEBHOOKS_MS));

  const address = createServiceAddress(secrets.files);
  const messages = createWorkMessages({
    address,
    origin: () => config.publicUrl ?? options.origin(),
    unixMs,
    random,
  });
  const { toDelivery } = messages;

  const agents = createAgentService({
    store: records.agents,
    clock,
    unixMs,
    newId: randomUUID,
    mostAgents: config.agentsPerUser,
    log,
  });
  onStop(() => agents.close());
  const profileOf = async (owner: string, id: string) =>
    (await records.agents.find(owner, id))?.profile as AgentProfile | undefined;

  const reader = createWorkerSourceReader({ clock, log });
  onStop(() => reader.close());
  const writer = openScriptWriter(options);
  const finisher = await openFinisher(options);
  onStop(() => finisher.close());
  const runner = createWorkRunner({
    store,
    handlers: {
      tts: createJobHandler({
        runtime,
        files,
        finisher,
        openShelf: openFilePartShelf(files),
        defaultVoice2: upstream.voice2,
        toDelivery,
      }),
      playnote: createPlayNoteHandler({
        runtime,
        files,
        fetch,
        reader,
        writer,
        finisher,
        slots,
        openShelf: openFilePartShelf(files),
        mostSourceBytes: config.sourceBytes,
        toDelivery,
      }),
    },
    mostAtOnce: config.worksAtOnce,
    clock,
    unixMs,
    leaseUnixMs: records.leaseUnixMs,
    log,
    storage,
    onDelivery: dispatcher.recheck,
    onEnded(work) {
      measured.workEnded(work);
      const spoken = jobSpoken(work);
      if (spoken !== undefined) agents.used(work.owner, spoken.agentId, spoken.use);
    },
  });
  onStop(() => runner.close());

  const retention = createRetention({
    works: store,
    deliveries,
    files,
    sharing,
    keepMs: config.retentionDays === 0 ? undefined : config.retentionDays * DAY_MS,
    clock,
    unixMs,
    log,
  });
  await retention.sweep();
  onStop(() => retention.stop());
  leaveFolder = () => {
    runner.abandon();
    void retention.stop();
    void dispatcher.stop(0);
  };

  const readRevoked = async () => {
    const nowMs = unixMs();
    for (const { id, untilMs } of await revocations.list(nowMs)) options.noteRevoked(id, untilMs - nowMs);
  };
  await readRevoked();
  hear = ({ works, messages: due, revoked, stop = [] }) => {
    for (const id of stop) void runner.interrupt(id);
    // What cannot be read now is read when the next news come, in seconds at the latest.
    if (revoked === true) readRevoked().catch(() => {});
    if (works === true) runner.recheck();
    if (due === true) dispatcher.recheck();
  };

  const admit = createAdmitWork({
    store,
    mostStoredBytes: config.storedBytesPerUser,
    allowPrivate: config.privateAddresses,
    isStopping,
    checkHeld,
    storage,
  });
  /** The others are told only of what there is no room for here: a thousand instances need not look for each work. */
  const onCreated = async () => {
    if ((await runner.begin()) === 'some-may-wait') records.tell({ works: true });
  };
  const taking = { store, admit, random, newId: randomUUID, unixMs, onCreated: () => void onCreated() };
  const questionsAbout = (kind: WorkKind, called: string) =>
    createWorkQuestions({
      kind,
      called,
      store,
      files,
      runner: {
        interrupt(id) {
          records.tell({ stop: [id] });
          return runner.interrupt(id);
        },
      },
      unixMs,
      onEnded: measured.workEnded,
      toDelivery,
      onDelivery: dispatcher.recheck,
      onTakenAway: (owner, id) => (kind === 'playnote' ? slots.release(owner, id) : Promise.resolve()),
    });
  const originOf = (request: FastifyRequest) => reachedOrigin(request, config.publicUrl);

  const limits = createKeyLimits(
    { ...STATED_RULES, make: config.makePerMinute, ask: config.askPerMinute },
    openLimiter,
  );
  const speech = { runtime, random, voices: upstream.voices, replies: options.replies };

  return {
    api: {
      version: options.version,
      credentials: options.credentials,
      limits,
      isStopping,
      speech,
      jobs: {
        jobs: createJobService({
          ...taking,
          findAgent: profileOf,
          mostUnfinished: config.worksPerUser,
        }),
        questions: questionsAbout('tts', 'job'),
        voices: upstream.voices,
        toRecord: (work, request) => messages.toJob(work, originOf(request)),
      },
      playNotes: {
        playNotes: createPlayNoteService({ ...taking, files, slots }),
        questions: questionsAbout('playnote', 'PlayNote'),
        voices: upstream.voices,
        files,
        mostSourceBytes: config.sourceBytes,
        toRecord: (work, request) => messages.toPlayNote(work, originOf(request)),
      },
      agents,
      webhooks: {
        deliveries,
        secretOf: (owner) => webhookSecret(masters[0]!, owner),
        unixMs,
        onDelivery: dispatcher.recheck,
      },
      files: { files, address, clock },
    },
    compat: {
      ...speech,
      defaultVoice: upstream.voice,
      defaultVoice2: upstream.voice2,
      credentials: options.credentials,
      limits,
      log,
    },
    async findAgent(owner, id) {
      const profile = await profileOf(owner, id);
      return profile === undefined ? undefined : { profile, used: (use) => agents.used(owner, id, use) };
    },
    notReady() {
      if (folder === 'lost') return 'data folder lost';
      const state = storage.state();
      // What all instances have lost takes none out of a balancer: sessions go on without records.
      return state === 'ok' || sharing === 'shared' ? undefined : `storage ${state}`;
    },
    without: records.missing,
    async keepRevoked(id) {
      const nowMs = unixMs();
      await revocations.add({ id, untilMs: nowMs + MAX_TOKEN_LIFE_MS }, nowMs);
      records.tell({ revoked: true });
    },
    onStorageError: (error) => void storage.note(error),
    rest: () => runner.rest(),
    start() {
      retention.start();
      dispatcher.recheck();
      runner.recheck();
    },
  };
}

async function openFinisher({ config, clock, log, searchPath }: AppServiceOptions): Promise<AudioFinisher> {
  const own = createWorkerGainFinisher({ clock });
  const env = { PATH: searchPath };
  const build = config.ffmpeg === 'off' ? undefined : await probeFfmpeg({ env });
  return build === undefined ? own : createProcessFfmpegFinisher({ build, otherwise: own, clock, log, env });
}
