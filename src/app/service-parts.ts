// The parts of the speech service that depend on how it is deployed: the records in its data folder or in PostgreSQL, what
// else it shares with other instances, and the writer of PlayNote scripts.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { shownOrigin } from '../base/addresses/shown-address.ts';
import { AppError } from '../base/app-error.ts';
import { faultCode } from '../base/fault-code.ts';
import { RATE_WINDOW_MS } from '../limits/rate-window.ts';
import { type ActiveSlots, soleInstance } from '../service/active-slots.ts';
import { inMemory, type OpenLimiter } from '../service/key-limits.ts';
import { createHttpChatWriter } from '../service/playnotes/http-chat-writer.ts';
import type { ScriptWriter } from '../service/playnotes/script-writer.ts';
import { createWorkerScriptWriter } from '../service/playnotes/worker-script-writer.ts';
import { createWorkerSourceDigest } from '../service/playnotes/worker-source-digest.ts';
import { createRedisActiveSlots } from '../service/redis-active-slots.ts';
import type { BucketAddress } from '../settings/setting.ts';
import { toEnv } from '../settings/settings.ts';
import type { AgentStore } from '../storage/agent-store.ts';
import { dataFolderFault, openDataFolder } from '../storage/data-folder.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { FilesPlace } from '../storage/postgres/shared-folder.ts';
import type { RecordNews } from '../storage/postgres-database.ts';
import { createRecordCopies, type RecordCopies } from '../storage/record-copies.ts';
import type { RevocationStore } from '../storage/revocation-store.ts';
import { sqliteRecordSql } from '../storage/sqlite/database.ts';
import { createSqliteAgentStore } from '../storage/sqlite-agent-store.ts';
import { openSqliteDatabase } from '../storage/sqlite-database.ts';
import { createSqliteDeliveryStore } from '../storage/sqlite-delivery-store.ts';
import { createSqliteRevocationStore } from '../storage/sqlite-revocation-store.ts';
import { createSqliteWorkStore } from '../storage/sqlite-work-store.ts';
import { openTemporaryFolder } from '../storage/temporary-folder.ts';
import { createFileStorageProbe } from '../storage/works/file-storage-probe.ts';
import { createFileWorkFiles } from '../storage/works/file-work-files.ts';
import { type StorageProbe, StorageWatch } from '../storage/works/storage-watch.ts';
import type { WorkFiles } from '../storage/works/work-files.ts';
import type { WorkStore } from '../storage/works/work-store.ts';
import type { AppContext } from './context.ts';

export type AppRecords = {
  readonly works: WorkStore;
  readonly deliveries: DeliveryStore;
  readonly agents: AgentStore;
  readonly files: WorkFiles;
  readonly revocations: RevocationStore;
  readonly copies: RecordCopies;
  /** Where files lie, or are being made. */
  readonly folder: string;
  /** Whether what is written can be kept: the disk under the folder, and the database where it is elsewhere. */
  readonly storage: StorageWatch;
  /** Throws when another process has the folder, or when it cannot be told whose a work is. */
  readonly checkHeld: () => void;
  readonly sharing: 'alone' | 'shared';
  /** The clock of all that have these records, Unix ms. */
  readonly unixMs: () => number;
  /** The one that leases are counted by, where it is another one. */
  readonly leaseUnixMs: (() => number) | undefined;
  /** Tells the other instances. */
  tell(news: RecordNews): void;
  /** What of the storage does not answer; empty also where one instance alone has it. */
  readonly missing: () => readonly ('database' | 'files')[];
  /** How a database elsewhere is: 1 while it answers, connections to it, and statements that wait for one. */
  readonly database: () =>
    | { readonly up: number; readonly open: number; readonly waiting: number }
    | undefined;
  /** 1 while the bucket of files answers; undefined: they are in a folder. */
  readonly bucketUp: () => number | undefined;
};

export type RecordEvents = {
  /** Another process has taken the data folder. */
  readonly onLost: () => void;
  /** From the other instances, and every few seconds. Undefined: nobody listens, and no work is begun. */
  readonly onNews: ((news: RecordNews) => void) | undefined;
};

export const openAppRecords = (context: AppContext, events: RecordEvents): Promise<AppRecords> =>
  context.config.databaseUrl === undefined
    ? openOwnRecords(context, events)
    : openSharedRecords(context, context.config.databaseUrl, events);

/** Of a data folder that belongs to this process alone. */
async function openOwnRecords(
  { config: { dataDir }, clock, log, onStop }: AppContext,
  { onLost }: RecordEvents,
): Promise<AppRecords> {
  const database = await openSqliteDatabase({ dataDir, clock, log, onLost }).catch((cause) => {
    throw dataFolderFault(dataDir, cause);
  });
  onStop(() => database.close());
  const disk = createFileStorageProbe(dataDir);
  const storage = new StorageWatch({
    probe: {
      async look(how) {
        await disk.look(how);
        // A database that can be written no more is as bad as a disk.
        if (how === 'thorough') await database.write((sql) => sql.run('UPDATE folder SET id = id'));
      },
    },
    clock,
    log,
  });
  await storage.start();
  onStop(() => storage.close());
  const works = createSqliteWorkStore(database);
  const deliveries = createSqliteDeliveryStore(database);
  // Nobody else has this database: whatever is marked as running belongs to a program that has ended.
  await works.releaseAll();
  await deliveries.releaseAll();
  return {
    works,
    deliveries,
    agents: createSqliteAgentStore(database),
    files: createFileWorkFiles(dataDir, database.checkHeld),
    revocations: createSqliteRevocationStore(database),
    copies: createRecordCopies(sqliteRecordSql(database)),
    folder: dataDir,
    storage,
    checkHeld: database.checkHeld,
    sharing: 'alone',
    unixMs: Date.now,
    leaseUnixMs: undefined,
    tell() {},
    missing: () => [],
    database: () => undefined,
    bucketUp: () => undefined,
  };
}

/** An upload that another instance is taking may last; files of what was removed may lie that long. */
const DISPOSE_AFTER_MS = 60 * 60_000;

/** Where the files are that all instances reach. */
type SharedFiles = {
  readonly place: FilesPlace;
  readonly folder: string;
  readonly probe: StorageProbe;
  readonly isReachable: () => boolean;
  /** Throws `storage_unavailable` while it is known not to answer. */
  readonly checkReachable: () => void;
  readonly bucketUp: () => number | undefined;
  /** `mayWrite` rejects when another instance has the work. */
  open(checkHeld: () => void, mayWrite: (workId: string) => Promise<void>): WorkFiles;
};

async function openFolder(folder: string): Promise<SharedFiles> {
  openDataFolder(folder, 'VOXGATE_FILES_URL');
  const { folderPlace } = await import('../storage/postgres/shared-folder.ts');
  return {
    place: folderPlace(folder),
    folder,
    probe: createFileStorageProbe(folder),
    isReachable: () => true,
    checkReachable() {},
    bucketUp: () => undefined,
    open(checkHeld, mayWrite) {
      const files = createFileWorkFiles(folder, checkHeld);
      return {
        ...files,
        async publish(id, name, path) {
          await mayWrite(id);
          return await files.publish(id, name, path);
        },
      };
    },
  };
}

async function openBucket(
  { config: { dataDir }, clock, random, log, onStop }: AppContext,
  address: BucketAddress,
): Promise<SharedFiles> {
  const [{ Bucket }, { bucketPlace, createS3WorkFiles }] = await Promise.all([
    import('../storage/s3/bucket.ts'),
    import('../storage/s3/s3-work-files.ts'),
  ]);
  const bucket = await Bucket.open({ address, clock, random, log });
  onStop(() => bucket.close());
  const within = join(dataDir, 'scratch');
  openDataFolder(within);
  const scratch = openTemporaryFolder(within);
  onStop(() => scratch.remove());
  const disk = createFileStorageProbe(scratch.path);
  return {
    place: bucketPlace(bucket),
    folder: scratch.path,
    probe: {
      async look(how) {
        await Promise.all([disk.look(how), bucket.look(how)]);
      },
    },
    isReachable: () => bucket.isReachable(),
    checkReachable: () => bucket.checkReachable(),
    bucketUp: () => (bucket.isReachable() ? 1 : 0),
    open: (checkHeld, mayWrite) =>
      createS3WorkFiles({
        bucket,
        folder: scratch.path,
        async mayWrite(id) {
          checkHeld();
          await mayWrite(id);
        },
      }),
  };
}

/** In PostgreSQL, with a folder or a bucket that all instances reach. */
async function openSharedRecords(
  context: AppContext,
  url: string,
  { onNews }: RecordEvents,
): Promise<AppRecords> {
  const { config, clock, random, log, onStop } = context;
  const address = config.filesUrl!;
  const shared = await (address.kind === 's3' ? openBucket(context, address) : openFolder(address.folder));
  const [{ openPostgresDatabase }, { joinFiles }, stores] = await Promise.all([
    import('../storage/postgres-database.ts'),
    import('../storage/postgres/shared-folder.ts'),
    loadPostgresStores(),
  ]);
  const instance = randomUUID();
  const maxConnections = config.databaseConnections;
  const database = await openPostgresDatabase({
    ...{ url, maxConnections, instance, clock, random, log, onNews },
  });
  onStop(() => database.close());
  await joinFiles(database, shared.place).catch((cause) => {
    throw dataFolderFault(shared.folder, cause, 'VOXGATE_FILES_URL');
  });
  const storage = new StorageWatch({
    probe: {
      async look(how) {
        await Promise.all([shared.probe.look(how), database.look(how)]);
      },
    },
    clock,
    log,
  });
  await storage.start();
  onStop(() => storage.close());
  const works = stores.createPostgresWorkStore(database, { instance, disposeAfterMs: DISPOSE_AFTER_MS });
  const checkHeld = () => {
    database.checkReachable();
    shared.checkReachable();
  };
  return {
    works,
    deliveries: stores.createPostgresDeliveryStore(database),
    agents: stores.createPostgresAgentStore(database),
    revocations: stores.createPostgresRevocationStore(database),
    copies: createRecordCopies(stores.postgresRecordSql(database)),
    /** One that was paused past its lease must not replace what the next one has published. */
    files: shared.open(checkHeld, async (id) => {
      if (await works.isElsewhere(id))
        throw new AppError('interrupted', 'Another instance has gone on with this work.');
    }),
    folder: shared.folder,
    storage,
    checkHeld,
    sharing: 'shared',
    unixMs: database.unixMs,
    leaseUnixMs: database.unixMs,
    tell: (news) => database.tell(news),
    database: () => ({ up: database.isReachable() ? 1 : 0, ...database.connections() }),
    bucketUp: shared.bucketUp,
    missing() {
      const isKnown = database.isReachable();
      const areFilesThere = shared.isReachable() && (!isKnown || storage.state() === 'ok');
      return [...(isKnown ? [] : ['database' as const]), ...(areFilesThere ? [] : ['files' as const])];
    },
  };
}

/** Not loaded by whoever has no PostgreSQL. */
async function loadPostgresStores() {
  const [works, deliveries, agents, revocations, rows] = await Promise.all([
    import('../storage/postgres-work-store.ts'),
    import('../storage/postgres-delivery-store.ts'),
    import('../storage/postgres-agent-store.ts'),
    import('../storage/postgres-revocation-store.ts'),
    import('../storage/postgres/rows.ts'),
  ]);
  return { ...works, ...deliveries, ...agents, ...revocations, ...rows };
}

/**
 * One active generation per user, and the requests of a key by the minute: in Redis where there is one; else this instance
 * is the only one. A connection of its own: neither this nor the counting of the upstream's quota waits for the other.
 */
export async function openAppShared({
  config: { redisUrl, databaseUrl },
  clock,
  log,
  redisLinks,
  onStop,
}: AppContext): Promise<{ readonly slots: ActiveSlots; readonly openLimiter: OpenLimiter }> {
  if (redisUrl === undefined) return { slots: soleInstance, openLimiter: inMemory };
  const { Redis } = await import('ioredis');
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
  redis.on('error', (error) =>
    log.warn('redis_not_reachable', {
      setting: toEnv('redisUrl'),
      server: shownOrigin(redisUrl),
      code: faultCode(error),
    }),
  );
  onStop(() => redis.disconnect());
  redisLinks.set('generations', () => redis.status === 'ready');
  // Records that all instances share say who has one under way, and know it after an instance has died, too.
  if (databaseUrl !== undefined) return { slots: soleInstance, openLimiter: inRedis(redis) };
  const slots = createRedisActiveSlots({ redis, clock, log });
  onStop(() => slots.close());
  return { slots, openLimiter: inRedis(redis) };
}

/** Counted for all instances; while Redis is away, by each for itself. */
const inRedis =
  (redis: Redis): OpenLimiter =>
  (rule, perMinute) => {
    const window = { keyPrefix: `voxgate:rate:${rule}`, points: perMinute, duration: RATE_WINDOW_MS / 1000 };
    return new RateLimiterRedis({
      ...window,
      storeClient: redis,
      insuranceLimiter: new RateLimiterMemory(window),
    });
  };

/** A long script takes a model minutes. */
const ANSWER_MS = 5 * 60_000;
/** Some 20,000 to 30,000 tokens: what every model of today reads. */
const MAX_SOURCE_WORDS = 12_000;

/** The configured chat service, or the built-in planners. */
export function openScriptWriter({ config, clock, onStop }: AppContext): ScriptWriter {
  const { scriptUrl, scriptKey, scriptModel } = config;
  if (scriptUrl === undefined) return createWorkerScriptWriter({ clock });
  const writer = createHttpChatWriter({
    baseUrl: new URL(scriptUrl),
    apiKey: scriptKey,
    model: scriptModel!,
    answerMs: ANSWER_MS,
    mostSourceWords: MAX_SOURCE_WORDS,
    digest: createWorkerSourceDigest({ clock }),
    clock,
  });
  onStop(() => writer.close());
  return writer;
}
