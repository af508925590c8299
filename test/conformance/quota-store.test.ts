// What every quota store promises, asked of the one in memory (with a clock that stands still) and of the one in Redis
// (a real one, with real time and a short window).

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { createMemoryQuotaStore, type QuotaSetting } from '../../src/upstream/quota/memory-quota-store.ts';
import type { LearnedQuota, QuotaAnswer, QuotaStore } from '../../src/upstream/quota/quota-store.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { isSharing, openRedisStore, pause, until } from '../support/redis-quota-stores.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';

type Opened = {
  readonly store: QuotaStore;
  /** Closes it; what was learned and sent is there for the store that this opens. */
  readonly reopen: () => Promise<QuotaStore>;
  readonly now: () => number;
  readonly pass: (ms: number) => Promise<void>;
  /** What it still runs or holds open. */
  readonly leftovers: () => number | Promise<number>;
  /** Makes what it counts in silent, and talk again; nothing where there is nothing but the process. */
  readonly silence: () => void;
  readonly wake: () => void;
};
type Subject = {
  /** The length of the sliding window with its spread. */
  readonly spanMs: number;
  /** Of a property test: real time is dear. */
  readonly runs: number;
  open(quotas: readonly QuotaSetting[]): Promise<Opened>;
};

const SPREAD_MS = 250;

const inMemory: Subject = {
  spanMs: 60_000 + SPREAD_MS,
  runs: 100,
  async open(quotas) {
    const clock = createFakeClock(5_000);
    let saved: readonly LearnedQuota[] = [];
    const create = () =>
      createMemoryQuotaStore({
        quotas,
        clock,
        log: silentLog,
        spreadMs: SPREAD_MS,
        unixMs: () => clock.now(),
        learned: {
          load: () => saved,
          save: (learned) => {
            saved = learned;
          },
        },
      });
    const store = create();
    return {
      store,
      async reopen() {
        await store.close();
        return create();
      },
      now: () => clock.now(),
      async pass(ms) {
        clock.advance(ms);
      },
      leftovers: () => clock.timers,
      silence() {},
      wake() {},
    };
  },
};

let redis: RedisServer;
let pools = 0;
const WINDOW_MS = 350;

const inRedis: Subject = {
  spanMs: WINDOW_MS + SPREAD_MS,
  runs: 4,
  async open(quotas) {
    const pool = `conformance-${pools++}`;
    const options = { url: redis.url, pool, quotas, windowMs: WINDOW_MS, spreadMs: SPREAD_MS };
    const create = async () => {
      const store = openRedisStore(options);
      await until(() => isSharing(store));
      return store;
    };
    const store = await create();
    return {
      store,
      async reopen() {
        await store.close();
        return create();
      },
      now: () => performance.now(),
      // A timer may be a millisecond early, and the store's clock has whole ones.
      pass: (ms) => pause(ms + 3),
      async leftovers() {
        await until(async () => (await connections()) === 0).catch(() => {});
        return connections();
      },
      silence: () => redis.freeze(),
      wake: () => redis.thaw(),
    };
  },
};
const connections = async () =>
  String(await redis.call('CLIENT', 'LIST')).split('name=voxgate-quota').length - 1;

const subjects = [
  ['in memory', inMemory, true],
  ['in Redis', inRedis, hasRedis],
] as const;

let reservations = 0;
const ask = (store: QuotaStore, more: Partial<Parameters<QuotaStore['ask']>[0]> = {}) =>
  Promise.resolve(
    store.ask({ reservation: `r${reservations++}`, among: ['a'], leave: 0, forecast: 3, ...more }),
  );
const fill = async (store: QuotaStore, count: number, more = {}) => {
  for (let i = 0; i < count; i++) expect(await ask(store, more)).toMatchObject({ granted: true });
};
const waitsOf = (answer: QuotaAnswer): readonly number[] => {
  if (answer.granted) throw new Error('it was granted');
  return answer.waitsMs;
};
const usedOf = (store: QuotaStore, quota = 'a') => store.state().find((state) => state.quota === quota)!.used;

describe.each(subjects)('a quota store %s', (_name, subject, isThere) => {
  beforeAll(async () => {
    if (subject === inRedis && isThere) redis = await startRedis();
  });
  afterAll(async () => {
    if (subject === inRedis && isThere) await redis.close();
  });
  const opened = (name: string, quotas: readonly QuotaSetting[], run: (opened: Opened) => Promise<void>) =>
    it.runIf(isThere)(name, async () => {
      const it = await subject.open(quotas);
      try {
        await run(it);
      } finally {
        await it.store.close();
      }
    });

  opened('grants the limit and no more', [{ quota: 'a', perMinute: 5 }], async ({ store }) => {
    await fill(store, 5);
    const waitsMs = waitsOf(await ask(store));
    expect(waitsMs).toHaveLength(3);
    expect([...waitsMs]).toEqual([...waitsMs].sort((a, b) => a - b));
    expect(waitsMs[0]).toBeGreaterThan(0);
    expect(waitsMs[0]).toBeLessThanOrEqual(subject.spanMs);
    expect(usedOf(store)).toBe(5);
  });

  opened('counts a reservation once', [{ quota: 'a', perMinute: 2 }], async ({ store }) => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(store, { reservation: 'same' })));
    for (const answer of answers) expect(answer).toEqual({ granted: true, quota: 'a' });
    expect(usedOf(store)).toBe(1);
    await fill(store, 1);
    expect(await ask(store, { reservation: 'same' })).toEqual({ granted: true, quota: 'a' });
    expect(await ask(store)).toMatchObject({ granted: false });
  });

  opened('takes back what was never sent, once', [{ quota: 'a', perMinute: 3 }], async ({ store }) => {
    await fill(store, 2);
    await ask(store, { reservation: 'unsent' });
    let changes = 0;
    const changed = new Promise<void>((resolve) =>
      store.onChange(() => {
        changes += 1;
        resolve();
      }),
    );
    store.report('a', 'unsent', { kind: 'unsent' });
    await changed;
    store.report('a', 'unsent', { kind: 'unsent' });
    expect(changes).toBeGreaterThan(0);
    await fill(store, 1);
    expect(await ask(store)).toMatchObject({ granted: false });
  });

  opened('is honest about when it has room', [{ quota: 'a', perMinute: 3 }], async ({ store, pass, now }) => {
    await fill(store, 1);
    await pass(20);
    await fill(store, 2);
    const waitsMs = waitsOf(await ask(store));
    const toldAtMs = now();
    expect(waitsMs).toHaveLength(3);
    for (const waitMs of waitsMs) {
      await pass(Math.max(0, toldAtMs + waitMs - now()));
      expect(await ask(store)).toMatchObject({ granted: true });
    }
  });

  opened('leaves to others what it is told to', [{ quota: 'a', perMinute: 10 }], async ({ store }) => {
    await fill(store, 7, { leave: 0.3 });
    expect(await ask(store, { leave: 0.3 })).toMatchObject({ granted: false });
    await fill(store, 2, { leave: 0.1 });
    expect(await ask(store, { leave: 0.1 })).toMatchObject({ granted: false });
    await fill(store, 1);
    expect(await ask(store)).toMatchObject({ granted: false });
  });

  const two = [
    { quota: 'a', perMinute: 3 },
    { quota: 'b', perMinute: 5 },
  ];
  opened('takes the quota with most room, of equals the first', two, async ({ store }) => {
    const taken: string[] = [];
    for (let i = 0; i < 8; i++) {
      const answer = await ask(store, { among: ['a', 'b'] });
      if (answer.granted) taken.push(answer.quota);
    }
    expect(taken.join('')).toBe('bbababab');
    expect(await ask(store, { among: ['a', 'b'] })).toMatchObject({ granted: false });
  });

  opened('counts nothing against no limit', [{ quota: 'a', perMinute: 'unlimited' }], async ({ store }) => {
    await fill(store, 100);
    expect(store.state()[0]).toMatchObject({ mode: 'unlimited', heldMs: 0 });
  });

  const oneUnlimited = [
    { quota: 'a', perMinute: 3 },
    { quota: 'b', perMinute: 'unlimited' },
  ] as const;
  opened('sends nothing on a key that was refused', oneUnlimited, async ({ store, pass }) => {
    await fill(store, 1, { among: ['b'], reservation: 'refused' });
    store.report('b', 'refused', { kind: 'refused', advice: { resetMs: 300 } });
    await until(() => store.state()[1]!.heldMs > 0);
    await pass(10);
    const waitsMs = waitsOf(await ask(store, { among: ['b'] }));
    expect(waitsMs[0]).toBeLessThanOrEqual(300);
    await fill(store, 3, { among: ['a', 'b'] });
    expect(usedOf(store, 'a')).toBe(3);
    await pass(waitsMs[0]!);
    expect(await ask(store, { among: ['b'] })).toMatchObject({ granted: true });
  });

  opened('keeps what it has learned and sent', [{ quota: 'a', perMinute: 10 }], async (first) => {
    await fill(first.store, 5);
    await ask(first.store, { reservation: 'sixth' });
    first.store.report('a', 'sixth', { kind: 'accepted', advice: { limit: 6 } });
    await pause(20);
    const { rule } = first.store.state()[0]!;
    const next = await first.reopen();
    const again = next.state()[0]!.rule;
    const answer = await ask(next);
    await next.close();
    expect(again).toEqual(rule);
    expect(again).toMatchObject({ limit: 6 });
    expect(answer).toMatchObject({ granted: false });
  });

  const withSilence = async ({ store, silence, wake }: Opened) => {
    await fill(store, 1);
    silence();
    try {
      const fromMs = performance.now();
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask(store)));
      // 100 ms, and as much for a machine that has other things to do.
      expect(performance.now() - fromMs).toBeLessThan(200);
      expect(answers.filter(({ granted }) => granted)).toHaveLength(4);
      for (const answer of answers) if (!answer.granted) expect(answer.waitsMs[0]).toBeGreaterThan(0);
    } finally {
      wake();
    }
  };
  opened('answers in time, whatever it counts in', [{ quota: 'a', perMinute: 5 }], withSilence);

  opened('refuses to count what it does not know', [{ quota: 'a', perMinute: 5 }], async ({ store }) => {
    expect(() => store.ask({ reservation: 'x', among: ['b'], leave: 0, forecast: 1 })).toThrow(RangeError);
  });

  opened('ends when it is closed', [{ quota: 'a', perMinute: 5 }], async ({ store, leftovers }) => {
    await fill(store, 1);
    let changes = 0;
    store.onChange(() => changes++);
    await store.close();
    await store.close();
    expect(await leftovers()).toBe(0);
    expect(changes).toBe(0);
  });

  it.runIf(isThere)(
    'never has more than the limit in any window',
    async () => {
      const steps = fc.array(
        fc.record({
          passPerMille: fc.integer({ min: 0, max: 120 }),
          asks: fc.integer({ min: 0, max: 6 }),
          leave: fc.constantFrom(0, 0, 0.1, 0.5),
          fate: fc.constantFrom('accepted', 'accepted', 'failed', 'unsent', 'resent'),
        }),
        { minLength: 5, maxLength: 25 },
      );
      const settings = fc.record({ a: fc.integer({ min: 1, max: 6 }), b: fc.integer({ min: 1, max: 9 }) });
      await fc.assert(
        fc.asyncProperty(settings, steps, async (limits, plan) => {
          const { store, now, pass } = await subject.open([
            { quota: 'a', perMinute: limits.a },
            { quota: 'b', perMinute: limits.b },
          ]);
          const sent: { quota: 'a' | 'b'; fromMs: number; toMs: number }[] = [];
          for (const { passPerMille, asks, leave, fate } of plan) {
            await pass((passPerMille * subject.spanMs) / 1000);
            const names = Array.from({ length: asks }, () => `p${reservations++}`);
            const fromMs = now();
            const answers = await Promise.all(
              names.map((reservation) => ask(store, { reservation, among: ['a', 'b'], leave })),
            );
            for (const [i, answer] of answers.entries()) {
              if (!answer.granted) continue;
              const reservation = names[i]!;
              if (fate === 'resent')
                expect(await ask(store, { reservation, among: ['a', 'b'] })).toEqual(answer);
              else if (fate === 'accepted')
                store.report(answer.quota, reservation, { kind: fate, advice: {} });
              else store.report(answer.quota, reservation, { kind: fate });
              if (fate !== 'unsent') sent.push({ quota: answer.quota as 'a' | 'b', fromMs, toMs: now() });
            }
          }
          await store.close();
          for (const quota of ['a', 'b'] as const) {
            const times = sent.filter((send) => send.quota === quota);
            for (let i = limits[quota]; i < times.length; i++) {
              expect(times[i]!.toMs - times[i - limits[quota]]!.fromMs).toBeGreaterThanOrEqual(
                subject.spanMs,
              );
            }
          }
        }),
        { numRuns: subject.runs, endOnFailure: true },
      );
    },
    20_000,
  );
});
