// Phrases shared through a real Redis.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createMemoryPhraseStore } from '../../src/storage/memory-phrase-store.ts';
import type { PhraseStore } from '../../src/storage/phrase-store.ts';
import { createRedisPhraseStore } from '../../src/storage/redis-phrase-store.ts';
import { freePort, hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const open = (url: string): PhraseStore =>
  createRedisPhraseStore({
    url,
    near: createMemoryPhraseStore(1 << 20, systemClock),
    clock: systemClock,
    log: quiet,
  });

/** Found at last, or undefined after a second: a connection takes a moment, and a kept phrase is on its way. */
async function findSoon(store: PhraseStore, key: string): Promise<Uint8Array | undefined> {
  for (const untilMs = systemClock.now() + 1000; systemClock.now() < untilMs; ) {
    const found = await store.find(key);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return undefined;
}

describe.skipIf(!hasRedis)('phrases in Redis', () => {
  let redis: RedisServer;
  const stores: PhraseStore[] = [];
  const openHere = () => {
    const store = open(redis.url);
    stores.push(store);
    return store;
  };
  /** Again until the connection is there. */
  const keepThere = (store: PhraseStore, key: string, body: Uint8Array) =>
    expect
      .poll(() => {
        store.keep(key, body);
        return redis.call('exists', `voxgate:phrase:${key}`);
      })
      .toBe(1);
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await redis.close();
  });

  it('are found by another instance, byte for byte', async () => {
    const [one, other] = [openHere(), openHere()];
    const body = Uint8Array.from({ length: 5000 }, (_, index) => index % 256);
    await keepThere(one, 'greeting', body);
    const found = await findSoon(other, 'greeting');
    expect(Buffer.compare(Buffer.from(found!), Buffer.from(body))).toBe(0);
  });

  it('are forgotten some day', async () => {
    const store = openHere();
    await keepThere(store, 'menu', new Uint8Array(9));
    expect(Number(await redis.call('ttl', 'voxgate:phrase:menu'))).toBeGreaterThan(3600);
  });

  it('that are not there are not there', async () => {
    expect(await openHere().find('nothing')).toBeUndefined();
  });

  it('are the process’s own while Redis is silent, and nobody waits for it', async () => {
    const store = openHere();
    store.keep('near', new Uint8Array(10));
    await findSoon(store, 'far');
    redis.freeze();
    try {
      const fromMs = systemClock.now();
      expect(await store.find('near')).toHaveLength(10);
      expect(await store.find('far')).toBeUndefined();
      expect(systemClock.now() - fromMs).toBeLessThan(500);
    } finally {
      redis.thaw();
    }
  });
});

it('without a Redis the phrases of this process are there', async () => {
  const store = open(`redis://127.0.0.1:${await freePort()}`);
  store.keep('greeting', new Uint8Array(10));
  expect(await store.find('greeting')).toHaveLength(10);
  expect(await store.find('menu')).toBeUndefined();
  await store.close();
});
