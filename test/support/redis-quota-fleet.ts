// Instances with a window so short that a test sees some of them, on a Redis of their own, and what they are granted.

import type { QuotaStore } from '../../src/upstream/quota/quota-store.ts';
import { type Load, type Send, startLoad } from './redis-quota-load.ts';
import { type OpenStore, openFleet } from './redis-quota-stores.ts';
import { type RedisServer, type RedisServerOptions, startRedis } from './redis-server.ts';

export const WINDOW_MS = 450;
const SPREAD_MS = 250;
export const SPAN_MS = WINDOW_MS + SPREAD_MS;
export const LIMIT = 30;
export const RULE = { limit: LIMIT, spanMs: SPAN_MS };
/** For what must be over before any send leaves the window. */
export const LONG = { windowMs: 8_000 };
/** 100 ms, and what a busy machine adds to a timer. */
export const LONGEST_ASK_MS = 200;

/** Each test closes what it has opened, the last first. */
export type AtEnd = (close: () => Promise<void>) => void;

export const startServer = async (atEnd: AtEnd, options?: RedisServerOptions): Promise<RedisServer> => {
  const redis = await startRedis(options);
  atEnd(() => redis.close());
  return redis;
};
export const settings = (url: string): OpenStore => ({
  url,
  quotas: [{ quota: 'a', perMinute: LIMIT }],
  windowMs: WINDOW_MS,
  spreadMs: SPREAD_MS,
});
export const startFleet = async (
  atEnd: AtEnd,
  url: string,
  size = 3,
  more: Partial<OpenStore> = {},
): Promise<QuotaStore[]> => {
  const stores = await openFleet(size, { ...settings(url), ...more });
  for (const store of stores) atEnd(() => store.close());
  return stores;
};
export const loadAll = (stores: readonly QuotaStore[]): Load[] =>
  stores.map((store) => startLoad(store, ['a']));
export const stopAll = async (loads: readonly Load[]): Promise<Send[]> => {
  await Promise.all(loads.map((load) => load.stop()));
  return loads.flatMap(({ sends }) => sends);
};
let reservations = 0;
/** How many of so many asks are granted. */
export const askAll = async (store: QuotaStore, count: number): Promise<number> => {
  const asks = Array.from({ length: count }, () =>
    Promise.resolve(store.ask({ reservation: `all-${reservations++}`, among: ['a'], leave: 0, forecast: 1 })),
  );
  return (await Promise.all(asks)).filter(({ granted }) => granted).length;
};
export const slowest = (loads: readonly Load[]): number => Math.max(...loads.flatMap(({ tookMs }) => tookMs));
