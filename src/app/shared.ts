// What instances share of the speech service: one active generation per user, and the requests of a key by the minute.
// In Redis where there is one; else this instance is the only one.

import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { RATE_WINDOW_MS } from '../limits/rate-window.ts';
import { type ActiveSlots, soleInstance } from '../service/active-slots.ts';
import { inMemory, type OpenLimiter } from '../service/key-limits.ts';
import { createRedisActiveSlots } from '../service/redis-active-slots.ts';

export type AppShared = { readonly slots: ActiveSlots; readonly openLimiter: OpenLimiter };

export type AppSharedOptions = {
  readonly redisUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly onStop: (stop: () => void) => void;
};

/** A connection of its own: neither this nor the counting of the upstream's quota waits for the other. */
export function openAppShared({ redisUrl, clock, log, onStop }: AppSharedOptions): AppShared {
  if (redisUrl === undefined) return { slots: soleInstance, openLimiter: inMemory };
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
  redis.on('error', (error) => log.warn('redis is not reachable', { cause: error.name }));
  onStop(() => redis.disconnect());
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
