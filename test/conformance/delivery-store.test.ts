// What every outbox of webhooks promises, asked of the one in memory and of the one in SQLite.

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Delivery,
  type DeliveryStore,
  MAX_ATTEMPTS,
  MAX_PENDING,
  type NewDelivery,
} from '../../src/storage/delivery-store.ts';
import { type OpenedRecords, recordSubjects } from '../support/record-stores.ts';

const HOOK = 'https://example.test/hook';
let made = 0;
const message = (more: Partial<NewDelivery> = {}): NewDelivery => ({
  id: `msg_${made++}`,
  owner: 'ann',
  url: HOOK,
  type: 'tts.completed',
  body: '{"text":"Grüße 💬 \\u0000"}',
  createdAtMs: 1_000,
  ...more,
});
const attempt = (atMs: number, status?: number) => ({
  atMs,
  tookMs: 12.5,
  status,
  problem: status === undefined ? 'no answer in 15 s' : undefined,
});
const all = { limit: 1_000, cursor: undefined };

describe.each(recordSubjects)('a delivery store $name', ({ open }) => {
  let opened: OpenedRecords;
  let store: DeliveryStore;
  beforeAll(async () => {
    opened = await open();
  });
  beforeEach(async () => {
    store = (await opened.fresh()).deliveries;
  });
  afterAll(() => opened.close());
  const due = async (nowMs: number, limit = 10) =>
    (await store.due({ nowMs, holdMs: 100, limit })).map(({ id }) => id);
  const add = async (more: Partial<NewDelivery> = {}) => {
    const delivery = message(more);
    await store.add(delivery);
    return delivery.id;
  };

  it('keeps the exact bytes, due at once', async () => {
    const delivery = message();
    await store.add(delivery);
    const kept = { ...delivery, state: 'pending', attempts: [], tries: 0, nextAtMs: 1_000 };
    expect(await store.find('ann', delivery.id)).toEqual(kept);
    expect(await store.find('bob', delivery.id)).toBeUndefined();
    expect(await store.find('ann', 'msg_unknown')).toBeUndefined();
    await expect(store.add(delivery)).rejects.toThrow();
  });

  it('gives up the oldest of an owner for whom too many wait, and says so', async () => {
    const others = await add({ owner: 'bob' });
    const [oldest, second] = [await add({ createdAtMs: 1 }), await add({ createdAtMs: 2 })];
    const silent = await add({ url: 'https://example.test/gone' });
    await store.silence('ann', 'https://example.test/gone', 5);
    for (let i = 2; i < MAX_PENDING; i += 1) await add();
    expect((await store.find('ann', oldest))?.state).toBe('pending');
    await add({ createdAtMs: 9_000 });
    const problem = expect.stringMatching(/^given up without an attempt: 1000 newer/) as string;
    expect(await store.find('ann', oldest)).toMatchObject({
      state: 'given-up',
      nextAtMs: undefined,
      attempts: [{ atMs: 9_000, status: undefined, problem }],
      tries: 0,
    });
    for (const [owner, id] of [
      ['ann', second],
      ['bob', others],
    ] as const)
      expect((await store.find(owner, id))?.state).toBe('pending');
    expect((await store.find('ann', silent))?.attempts).toEqual([]);
    // Brought back, it makes room for itself.
    await store.replay('ann', oldest, 10_000);
    expect((await store.find('ann', oldest))?.state).toBe('pending');
    expect((await store.find('ann', second))?.state).toBe('given-up');
  });

  it('gives out what is due, the longest due first, and to one at a time', async () => {
    const late = await add({ createdAtMs: 3_000 });
    const early = await add({ createdAtMs: 1_000 });
    const same = await add({ createdAtMs: 1_000 });
    expect(await store.nextDueMs()).toBe(1_000);
    expect(await due(999)).toEqual([]);
    expect(await due(2_000, 1)).toEqual([early]);
    expect(await due(2_000)).toEqual([same]);
    expect(await due(2_099)).toEqual([]);
    expect(await store.nextDueMs()).toBe(2_100);
    expect(await due(3_000)).toEqual([early, same, late]);
  });

  it('knows how many wait, and since when the first is due', async () => {
    expect(await store.backlog()).toEqual({ waiting: 0, dueAtMs: undefined });
    await add({ createdAtMs: 3_000 });
    const first = await add({ createdAtMs: 1_000, owner: 'bob' });
    expect(await store.backlog()).toEqual({ waiting: 2, dueAtMs: 1_000 });
    await due(1_000);
    expect((await store.backlog()).waiting).toBe(2);
    await store.settle(first, attempt(1_010, 204), { state: 'delivered', nextAtMs: undefined });
    expect(await store.backlog()).toEqual({ waiting: 1, dueAtMs: 3_000 });
  });

  it('writes attempts and what follows from them', async () => {
    const id = await add();
    expect(await due(1_000)).toEqual([id]);
    await store.settle(id, attempt(1_010, 503), { state: 'pending', nextAtMs: 6_000 });
    expect(await store.nextDueMs()).toBe(6_000);
    expect(await due(5_999)).toEqual([]);
    expect(await due(6_000)).toEqual([id]);
    await store.settle(id, attempt(6_010), { state: 'pending', nextAtMs: 7_000 });
    expect(await due(7_000)).toEqual([id]);
    await store.settle(id, attempt(7_010, 204), { state: 'delivered', nextAtMs: undefined });
    expect(await store.nextDueMs()).toBeUndefined();
    expect(await store.find('ann', id)).toMatchObject({
      state: 'delivered',
      tries: 3,
      nextAtMs: undefined,
      attempts: [attempt(1_010, 503), attempt(6_010), attempt(7_010, 204)],
    });
    await store.settle('msg_unknown', attempt(1), { state: 'delivered', nextAtMs: undefined });
  });

  it('replays from the start of the schedule, for the owner alone', async () => {
    const id = await add();
    await store.settle(id, attempt(1_010, 500), { state: 'given-up', nextAtMs: undefined });
    expect(await store.replay('bob', id, 9_000)).toBe(false);
    expect(await store.replay('ann', 'msg_unknown', 9_000)).toBe(false);
    expect(await due(99_000)).toEqual([]);
    expect(await store.replay('ann', id, 9_000)).toBe(true);
    expect(await store.find('ann', id)).toMatchObject({ state: 'pending', tries: 0, nextAtMs: 9_000 });
    expect((await store.find('ann', id))?.attempts).toHaveLength(1);
    expect(await due(9_000)).toEqual([id]);
  });

  it('sends nothing to who wants nothing more, until asked to', async () => {
    const id = await add();
    const elsewhere = await add({ url: `${HOOK}/2` });
    const anothers = await add({ owner: 'bob' });
    expect(await due(1_000)).toEqual([id, elsewhere, anothers]);
    await store.silence('ann', HOOK, 1_100);
    const states = async () =>
      Promise.all([
        store.isSilenced('ann', HOOK),
        store.isSilenced('ann', `${HOOK}/2`),
        store.isSilenced('bob', HOOK),
      ]);
    expect(await states()).toEqual([true, false, false]);
    // The attempt that was under way does not bring it back; a success is one.
    await store.settle(id, attempt(1_200, 500), { state: 'pending', nextAtMs: 1_300 });
    expect(await store.find('ann', id)).toMatchObject({ state: 'given-up', nextAtMs: undefined });
    expect(await due(2_000)).toEqual([elsewhere, anothers]);
    const later = await add({ createdAtMs: 2_000 });
    expect(await store.find('ann', later)).toMatchObject({ state: 'given-up', nextAtMs: undefined });
    await store.silence('ann', HOOK, 2_000);
    expect(await store.replay('ann', later, 3_000)).toBe(true);
    expect(await states()).toEqual([false, false, false]);
    expect(await due(3_000)).toEqual([elsewhere, anothers, later]);
    await store.settle(id, attempt(3_100, 200), { state: 'delivered', nextAtMs: undefined });
    expect(await store.find('ann', id)).toMatchObject({ state: 'delivered' });
  });

  it('keeps the latest attempts of what is replayed without end', async () => {
    const id = await add();
    for (let i = 0; i < MAX_ATTEMPTS + 5; i++)
      await store.settle(id, attempt(i, 500), { state: 'pending', nextAtMs: i });
    const { attempts } = (await store.find('ann', id))!;
    expect([attempts.length, attempts[0]?.atMs, attempts.at(-1)?.atMs]).toEqual([
      MAX_ATTEMPTS,
      5,
      MAX_ATTEMPTS + 4,
    ]);
  });

  it('forgets what is over and old', async () => {
    const ids: string[] = [];
    for (const createdAtMs of [30, 10, 20]) ids.push(await add({ createdAtMs }));
    const pending = await add({ createdAtMs: 5 });
    for (const id of ids)
      await store.settle(id, attempt(40, 200), { state: 'delivered', nextAtMs: undefined });
    await store.silence('bob', HOOK, 10);
    expect(await store.forget(30, 1)).toBe(1);
    expect(await store.find('ann', ids[1]!)).toBeUndefined();
    expect(await store.forget(30, 10)).toBe(1);
    expect(await store.forget(30, 10)).toBe(0);
    expect((await store.list('ann', all)).deliveries.map(({ id }) => id)).toEqual([ids[0], pending]);
    expect(await store.isSilenced('bob', HOOK)).toBe(false);
  });

  it('lists each once, newest first, to its owner', async () => {
    const plan = fc.record({
      times: fc.array(fc.nat(3), { maxLength: 10 }),
      limit: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ times, limit }) => {
        store = (await opened.fresh()).deliveries;
        const ids: string[] = [];
        for (const createdAtMs of times) ids.push(await add({ createdAtMs }));
        await add({ owner: 'bob' });
        const listed: Delivery[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.list('ann', { limit, cursor });
          listed.push(...page.deliveries);
          cursor = page.next;
        } while (cursor !== undefined);
        expect(listed.map(({ createdAtMs }) => createdAtMs)).toEqual([...times].sort((a, b) => b - a));
        expect(listed.map(({ id }) => id).sort()).toEqual([...ids].sort());
      }),
      { numRuns: 30 },
    );
  });

  it('never holds one twice at a time, and loses none', async () => {
    const step = fc.record({
      what: fc.constantFrom('add', 'due', 'retry', 'deliver', 'replay'),
      which: fc.nat(20),
      passMs: fc.nat(80),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        store = (await opened.fresh()).deliveries;
        let nowMs = 1_000;
        /** By id: not before when it may be given out again; undefined when it is over. */
        const model = new Map<string, number | undefined>();
        for (const { what, which, passMs } of steps) {
          nowMs += passMs;
          const id = [...model.keys()][which % Math.max(1, model.size)];
          if (what === 'add') model.set(await add({ createdAtMs: nowMs }), nowMs);
          if (what === 'due') {
            const expected = [...model].filter(([, fromMs]) => fromMs !== undefined && fromMs <= nowMs);
            const given = await due(nowMs, 1_000);
            expect([...given].sort()).toEqual(expected.map(([key]) => key).sort());
            for (const key of given) model.set(key, nowMs + 100);
          }
          if (id === undefined) continue;
          if (what === 'retry' && model.get(id) !== undefined) {
            await store.settle(id, attempt(nowMs, 500), { state: 'pending', nextAtMs: nowMs + 30 });
            model.set(id, nowMs + 30);
          }
          if (what === 'deliver') {
            await store.settle(id, attempt(nowMs, 200), { state: 'delivered', nextAtMs: undefined });
            model.set(id, undefined);
          }
          if (what === 'replay') {
            await store.replay('ann', id, nowMs);
            model.set(id, nowMs);
          }
          const times = [...model.values()].filter((fromMs) => fromMs !== undefined);
          expect(await store.nextDueMs()).toBe(times.length === 0 ? undefined : Math.min(...times));
        }
      }),
      { numRuns: 40 },
    );
  });
});
