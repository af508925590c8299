// What the store makes of a Redis that answers, and of one that refuses: a real one, of the test's own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createMemoryPhraseStore } from '../../src/storage/memory-phrase-store.ts';
import { createRedisPhraseStore } from '../../src/storage/redis-phrase-store.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';

const HOUR_MS = 60 * 60 * 1000;
const nameOf = (key: string) => `voxgate:phrase:${key}`;

describe.skipIf(!hasRedis)('phrases in Redis', () => {
  let redis: RedisServer;
  const closers: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    for (const close of closers) await close();
    await redis.close();
  });

  const open = () => {
    const told: unknown[] = [];
    const kept: [string, number | undefined][] = [];
    const near = createMemoryPhraseStore(1 << 20, systemClock);
    const store = createRedisPhraseStore({
      url: redis.url,
      near: {
        ...near,
        keep(key, body, leftMs) {
          kept.push([key, leftMs]);
          near.keep(key, body, leftMs);
        },
      },
      clock: systemClock,
      log: { debug() {}, info() {}, warn: (event, fields) => told.push([event, fields]), error() {} },
    });
    closers.push(() => store.close());
    return { store, told, kept };
  };

  it('grow no younger by being asked for, neither there nor here', async () => {
    await redis.call('set', nameOf('old'), 'abc', 'PX', HOUR_MS);
    const { store, kept } = open();
    await expect.poll(async () => (await store.find('old'))?.length).toBe(3);
    expect(Number(await redis.call('pttl', nameOf('old')))).toBeLessThanOrEqual(HOUR_MS);
    expect(kept).toEqual([['old', expect.any(Number)]]);
    expect(kept[0]![1]).toBeLessThanOrEqual(HOUR_MS);
    expect(kept[0]![1]).toBeGreaterThan(HOUR_MS / 2);
  });

  it('that are dropped are gone, here and there', async () => {
    await redis.call('set', nameOf('bad'), 'abc', 'PX', HOUR_MS);
    const { store } = open();
    await expect.poll(async () => (await store.find('bad'))?.length).toBe(3);
    store.drop('bad');
    expect(await store.find('bad')).toBeUndefined();
    await expect.poll(() => redis.call('exists', nameOf('bad'))).toBe(0);
  });

  it('that it refuses to give are told of, once in a while, by the kind of refusal alone', async () => {
    await redis.call('lpush', nameOf('list'), 'x');
    const { store, told } = open();
    await expect
      .poll(async () => {
        await store.find('list');
        return told.length;
      })
      .toBe(1);
    await store.find('list');
    expect(told).toEqual([['redis_error', { code: 'WRONGTYPE' }]]);
  });

  it('that it refuses to keep are told of', async () => {
    await redis.call('config', 'set', 'maxmemory', '1');
    try {
      const { store, told } = open();
      await expect
        .poll(() => {
          store.keep('full', new Uint8Array(10));
          return told;
        })
        .toEqual([['redis_error', { code: 'OOM' }]]);
    } finally {
      await redis.call('config', 'set', 'maxmemory', '0');
    }
  });
});
