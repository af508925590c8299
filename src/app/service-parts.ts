// The parts of the speech service that depend on how it is deployed: the records in its data folder, what it shares with
// other instances, and the writer of PlayNote scripts.

import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { shownOrigin } from '../base/addresses/shown-address.ts';
import { faultCode } from '../base/fault-code.ts';
import { RATE_WINDOW_MS } from '../limits/rate-window.ts';
import { type ActiveSlots, soleInstance } from '../service/active-slots.ts';
import { openServiceSecret } from '../service/file-service-secret.ts';
import { inMemory, type OpenLimiter } from '../service/key-limits.ts';
import { createHttpChatWriter } from '../service/playnotes/http-chat-writer.ts';
import type { ScriptWriter } from '../service/playnotes/script-writer.ts';
import { createWorkerScriptWriter } from '../service/playnotes/worker-script-writer.ts';
import { createWorkerSourceDigest } from '../service/playnotes/worker-source-digest.ts';
import { createRedisActiveSlots } from '../service/redis-active-slots.ts';
import { toEnv } from '../settings/settings.ts';
import type { AgentStore } from '../storage/agent-store.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import { createSqliteAgentStore } from '../storage/sqlite-agent-store.ts';
import { openSqliteDatabase } from '../storage/sqlite-database.ts';
import { createSqliteDeliveryStore } from '../storage/sqlite-delivery-store.ts';
import { createSqliteWorkStore } from '../storage/sqlite-work-store.ts';
import { createFileStorageProbe } from '../storage/works/file-storage-probe.ts';
import { createFileWorkFiles } from '../storage/works/file-work-files.ts';
import { StorageWatch } from '../storage/works/storage-watch.ts';
import type { WorkFiles } from '../storage/works/work-files.ts';
import type { WorkStore } from '../storage/works/work-store.ts';
import type { AppContext } from './context.ts';

export type AppRecords = {
  readonly works: WorkStore;
  readonly deliveries: DeliveryStore;
  readonly agents: AgentStore;
  readonly files: WorkFiles;
  /** 32 bytes, the same at every start. */
  readonly secret: Buffer;
  /** What the disk under the folder takes. */
  readonly storage: StorageWatch;
  /** Throws when another process has the folder, or when that cannot be told. */
  readonly checkHeld: () => void;
};

/** Of a data folder that belongs to this process alone; `onLost`: another process has taken it. */
export async function openAppRecords(
  { config: { dataDir }, clock, log, onStop }: AppContext,
  onLost: () => void,
): Promise<AppRecords> {
  const database = await openSqliteDatabase({ dataDir, clock, log, onLost });
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
    secret: openServiceSecret(dataDir),
    storage,
    checkHeld: database.checkHeld,
  };
}

export type AppShared = { readonly slots: ActiveSlots; readonly openLimiter: OpenLimiter };

/**
 * One active generation per user, and the requests of a key by the minute: in Redis where there is one; else this instance
 * is the only one. A connection of its own: neither this nor the counting of the upstream's quota waits for the other.
 */
export async function openAppShared({
  config: { redisUrl },
  clock,
  log,
  redisLinks,
  onStop,
}: AppContext): Promise<AppShared> {
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
  const slots = createRedisActiveSlots({ redis, clock, log });
  onStop(() => slots.close());
  return { slots, openLimiter: inRedis(redis) };
}

/** Host and port, or the path of a socket: neither user nor password. */
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
