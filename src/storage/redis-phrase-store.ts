// Phrases that all instances share, in a Redis of their own (one that may forget: maxmemory with allkeys-lru), behind
// what this process keeps itself. A greeting is then made once for the whole fleet. Redis that is slow or away is a
// phrase that is not there.

import { Redis } from 'ioredis';
import type { Clock } from '../base/clock.ts';
import { faultCode } from '../base/fault-code.ts';
import type { Log } from '../base/log.ts';
import { KEPT_MS, type PhraseStore } from './phrase-store.ts';

export type RedisPhraseStoreOptions = {
  readonly url: string;
  /** Asked first, and given what Redis had. */
  readonly near: PhraseStore;
  readonly clock: Clock;
  readonly log: Log;
};

/** Asking the speech service takes longer; waiting much more than this for Redis would not be worth it. */
const COMMAND_MS = 40;
const CONNECT_MS = 1000;
const MAX_RETRY_MS = 2000;
const LOG_EVERY_MS = 10_000;

const nameOf = (key: string) => `voxgate:phrase:${key}`;

/** `isUp`: Redis is connected. */
export type RedisPhraseStore = PhraseStore & { readonly isUp: () => boolean };

export function createRedisPhraseStore({ url, near, clock, log }: RedisPhraseStoreOptions): RedisPhraseStore {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    commandTimeout: COMMAND_MS,
    connectTimeout: CONNECT_MS,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
    connectionName: 'voxgate-phrases',
    retryStrategy: (attempt) => Math.min(MAX_RETRY_MS, 50 * 2 ** Math.min(attempt, 10)),
  });
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const tell = (error: unknown) => {
    if (clock.now() - loggedAtMs < LOG_EVERY_MS) return;
    loggedAtMs = clock.now();
    log.warn('redis_error', { code: faultCode(error) });
  };
  redis.on('error', tell);

  const fetch = async (key: string): Promise<Uint8Array | undefined> => {
    if (redis.status !== 'ready') return undefined;
    const name = nameOf(key);
    try {
      // Both leave at once; a phrase that goes in between has no time left.
      const [body, leftMs] = await Promise.all([redis.getBuffer(name), redis.pttl(name)]);
      if (body === null || body.length === 0) return undefined;
      near.keep(key, body, Math.min(KEPT_MS, Math.max(0, leftMs)));
      return body;
    } catch (error) {
      tell(error);
      return undefined;
    }
  };

  return {
    isUp: () => redis.status === 'ready',
    async find(key) {
      return (await near.find(key)) ?? fetch(key);
    },
    keep(key, body, leftMs = KEPT_MS) {
      near.keep(key, body, leftMs);
      if (redis.status === 'ready')
        redis.set(nameOf(key), Buffer.from(body), 'PX', Math.max(1, Math.round(leftMs))).catch(tell);
    },
    drop(key) {
      near.drop(key);
      if (redis.status === 'ready') redis.del(nameOf(key)).catch(tell);
    },
    async close() {
      redis.disconnect();
      await near.close();
    },
  };
}
