// Quota stores over a real Redis, as instances of one gateway have them.

import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { systemRandom } from '../../src/base/random.ts';
import type { QuotaStore } from '../../src/upstream/quota/quota-store.ts';
import { createRedisPlaces } from '../../src/upstream/quota/redis-places.ts';
import {
  createRedisQuotaStore,
  type RedisQuotaStoreOptions,
} from '../../src/upstream/quota/redis-quota-store.ts';
import { createSharedPlaces } from '../../src/upstream/quota/shared-places.ts';

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls, for what nothing announces; rejects after `withinMs`. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 8_000): Promise<void> {
  const lastMs = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > lastMs) throw new Error(`not within ${withinMs} ms`);
    await pause(5);
  }
}

export const isSharing = (store: QuotaStore): boolean => store.state().every(({ mode }) => mode !== 'local');

export type OpenStore = Pick<RedisQuotaStoreOptions, 'url' | 'quotas'> & Partial<RedisQuotaStoreOptions>;

export const openRedisStore = (options: OpenStore): QuotaStore =>
  createRedisQuotaStore({
    pool: 'pool',
    maxInstances: 1,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    ...options,
  });

/** Two pulses: what any of them sent, and how many they are, all have heard and said so. */
export const HEARD_MS = 600;

/** As many stores as one asks for, when all of them share and have their parts. */
export async function openFleet(size: number, options: OpenStore): Promise<QuotaStore[]> {
  const stores = Array.from({ length: size }, () => openRedisStore({ maxInstances: size, ...options }));
  await until(() => stores.every(isSharing));
  if (size > 1) await pause(HEARD_MS);
  return stores;
}

export type OpenPlaces = Pick<RedisQuotaStoreOptions, 'url'> & {
  readonly quotas: readonly { readonly quota: string; readonly atOnce?: number }[];
  readonly maxInstances?: number;
};

/** One instance that counts requests at once, and whatever in time. */
export function openPlaces({ url, quotas: given, maxInstances = 1 }: OpenPlaces): QuotaStore {
  const quotas = given.map(({ quota, atOnce }) => ({ quota, atOnce, perMinute: 'unlimited' as const }));
  const store = openRedisStore({ url, quotas, maxInstances });
  const shared = { url, pool: 'pool', quotas, clock: systemClock, random: systemRandom, log: silentLog };
  const server = createRedisPlaces(shared);
  return createSharedPlaces({ server, quotas, store, maxInstances, clock: systemClock });
}
