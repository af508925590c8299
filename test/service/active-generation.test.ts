// One active generation per user, with every store, and across instances through a real Redis.

import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppError } from '../../src/base/app-error.ts';
import { silentLog } from '../../src/base/log.ts';
import { type ActiveSlots, soleInstance } from '../../src/service/active-slots.ts';
import { createPlayNoteService } from '../../src/service/playnotes/playnote-service.ts';
import { createRedisActiveSlots, type RedisActiveSlots } from '../../src/service/redis-active-slots.ts';
import type { PlayNoteFields } from '../../src/speech/playnote-request.ts';
import type { WorkFiles } from '../../src/storage/works/work-files.ts';
import type { WorkStore } from '../../src/storage/works/work-store.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { type RecordStores, recordSubjects } from '../support/record-stores.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';

const PAIRS = Number(process.env.PAIRS ?? 300);
const FIELDS = {
  sourceFileUrl: 'https://source.example/a.pdf',
  synthesisStyle: 'podcast',
  voice1: 'a',
  voice1Name: 'Ann',
} as unknown as PlayNoteFields;

function openService(store: WorkStore, slots: ActiveSlots = soleInstance) {
  const removed: string[] = [];
  const service = createPlayNoteService({
    store,
    slots,
    files: { remove: async (id: string) => void removed.push(id) } as unknown as WorkFiles,
    admit: { checkOpen() {}, checkRoom: async () => {}, checkAddress() {} },
    random: fixedRandom(),
    newId: () => crypto.randomUUID(),
    unixMs: Date.now,
    onCreated() {},
  });
  const create = (owner: string, key?: string) =>
    service.create(owner, { id: service.newId(), fields: FIELDS, upload: undefined }, key);
  return { create, removed };
}
const outcomesOf = async (asked: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(asked))
    .map((one) => (one.status === 'fulfilled' ? 'taken' : (one.reason as AppError).code))
    .sort();

describe.each(recordSubjects)('two PlayNotes at once ($name)', ({ open }) => {
  let close: () => Promise<void>;
  let stores: RecordStores;
  beforeAll(async () => {
    const opened = await open();
    close = () => opened.close();
    stores = await opened.fresh();
  });
  afterAll(() => close());

  it(`are one taken and one refused, of ${PAIRS} users at the same time`, async () => {
    const { create, removed } = openService(stores.works);
    const pairs = await Promise.all(
      Array.from({ length: PAIRS }, (_, user) =>
        outcomesOf([create(`user-${user}`), create(`user-${user}`)]),
      ),
    );
    expect(pairs.filter(([first, second]) => first !== 'active_generation' || second !== 'taken')).toEqual(
      [],
    );
    expect(removed).toHaveLength(PAIRS);
  }, 120_000);

  it('are one and the same when they are one request, sent twice', async () => {
    const { create } = openService(stores.works);
    const [first, second] = await Promise.all([create('bob', 'key'), create('bob', 'key')]);
    expect(first.id).toBe(second.id);
  });
});

describe.skipIf(!hasRedis)('slots in Redis', () => {
  let server: RedisServer;
  const open: Redis[] = [];
  const openInstance = async (clock = createFakeClock()) => {
    const redis = new Redis(server.url, {
      maxRetriesPerRequest: 1,
      enableOfflineQueue: false,
      retryStrategy: () => 20,
      lazyConnect: true,
    });
    redis.on('error', () => {});
    open.push(redis);
    await redis.connect();
    const slots: RedisActiveSlots = createRedisActiveSlots({ redis, clock, log: silentLog });
    return { slots, clock, redis };
  };
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(async () => {
    for (const redis of open) redis.disconnect();
    await server.close();
  });
  const lifeOf = async (owner: string) => Number(await server.call('PTTL', `voxgate:active:${owner}`));

  it('let one of two instances win, whichever', async () => {
    const memory = recordSubjects[0]!;
    const [a, b] = [await openInstance(), await openInstance()];
    const one = openService((await (await memory.open()).fresh()).works, a.slots);
    const other = openService((await (await memory.open()).fresh()).works, b.slots);
    const pairs = await Promise.all(
      Array.from({ length: PAIRS }, (_, user) =>
        outcomesOf([one.create(`pair-${user}`), other.create(`pair-${user}`)]),
      ),
    );
    expect(pairs.filter(([first, second]) => first !== 'active_generation' || second !== 'taken')).toEqual(
      [],
    );
    a.slots.close();
    b.slots.close();
    expect([a.clock.timers, b.clock.timers]).toEqual([0, 0]);
  }, 60_000);

  it('are given back by their holder alone', async () => {
    const [a, b] = [await openInstance(), await openInstance()];
    expect(await a.slots.claim('ann', 'one')).toBe(true);
    expect(await a.slots.claim('ann', 'one')).toBe(true);
    await b.slots.release('ann', 'two');
    expect(await b.slots.claim('ann', 'two')).toBe(false);
    await a.slots.release('ann', 'one');
    expect(await b.slots.claim('ann', 'two')).toBe(true);
    expect(await b.slots.claim('bob', 'three')).toBe(true);
    b.slots.close();
  });

  it('live as long as they are renewed, and run out two minutes after their instance is gone', async () => {
    const { slots, clock } = await openInstance();
    await slots.claim('cleo', 'work');
    expect(await lifeOf('cleo')).toBeGreaterThan(110_000);
    await server.call('PEXPIRE', 'voxgate:active:cleo', 500);
    await clock.run(30_000);
    for (let i = 0; i < 200 && (await lifeOf('cleo')) < 110_000; i += 1) await settle();
    expect(await lifeOf('cleo')).toBeGreaterThan(110_000);
    expect(await lifeOf('cleo')).toBeLessThanOrEqual(120_000);
    await slots.release('cleo', 'work');
    await clock.run(60_000);
    expect([await lifeOf('cleo'), clock.timers]).toEqual([-2, 0]);
  });

  it('are refused as busy while Redis is away, and held again afterwards', async () => {
    const { slots, redis, clock } = await openInstance();
    await slots.claim('dan', 'work');
    const gone = new Promise((resolve) => redis.once('close', resolve));
    await server.kill();
    await gone;
    await expect(slots.claim('eve', 'other')).rejects.toMatchObject({ code: 'busy', retryAfterMs: 5000 });
    await slots.release('eve', 'other'); // says nothing
    const ready = new Promise((resolve) => redis.once('ready', resolve));
    await server.start();
    await ready;
    expect(await lifeOf('dan')).toBe(-2);
    await clock.run(30_000);
    for (let i = 0; i < 200 && (await lifeOf('dan')) < 0; i += 1) await settle();
    expect(await lifeOf('dan')).toBeGreaterThan(0);
    slots.close();
    expect(clock.timers).toBe(0);
  }, 20_000);
});
