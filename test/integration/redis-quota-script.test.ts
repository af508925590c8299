// The script's arithmetic against its specification, limits/quota-window.ts: the same answers for any log of sends.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuotaRule } from '../../src/limits/quota-window.ts';
import { createForecast, freeAtMs, lapsesInSeconds, type SendTimes } from '../../src/limits/quota-window.ts';
import { ACQUIRE } from '../../src/upstream/quota/quota-scripts.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';

const limit = fc.integer({ min: 1, max: 12 });
type Counted = Exclude<QuotaRule, { readonly kind: 'unlimited' }>;
const rules: fc.Arbitrary<Counted> = fc.oneof(
  fc.record({ kind: fc.constant('sliding' as const), limit, spanMs: fc.integer({ min: 1000, max: 61_000 }) }),
  fc.record({
    kind: fc.constant('phase' as const),
    limit,
    originMs: fc.integer({ min: -200_000, max: 200_000 }),
    periodMs: fc.integer({ min: 2000, max: 60_000 }),
    guardMs: fc.integer({ min: 0, max: 900 }),
  }),
);
const plans = fc.record({
  rule: rules,
  agesMs: fc.array(fc.integer({ min: 0, max: 70_000 }), { maxLength: 30 }),
  leave: fc.constantFrom(0, 0.1, 0.3, 0.5, 1),
  heldMs: fc.constantFrom(0, 0, 0, 5000),
});

const timesOf = (sorted: readonly number[]): SendTimes => ({
  count: () => sorted.length,
  newest: (k) => sorted[sorted.length - 1 - k]!,
});

describe.runIf(hasRedis)('the script in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  it('chooses what lapses first, then what has the most room', async () => {
    const common = ['{x}epoch', '{x}instances', '{x}answered'];
    const ofQuota = (name: string) => ['sends', 'rule', 'leases'].map((part) => `{x}${name}${part}`);
    const keys = [...common, ...ofQuota('a'), ...ofQuota('b')];
    const chosen = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(rules, rules, async (...pair) => {
        await redis.call('FLUSHALL');
        const [seconds] = (await redis.call('TIME')) as [string];
        const nowMs = Number(seconds) * 1000;
        await redis.call('HSET', keys[0]!, 'id', 'e', 'last', nowMs, 'shift', -60_000);
        const placed = pair.map((rule) =>
          rule.kind === 'phase' ? { ...rule, originMs: rule.originMs + nowMs } : rule,
        );
        for (const [i, rule] of placed.entries()) {
          const all = { spanMs: 0, originMs: 0, periodMs: 0, guardMs: 0, heldUntilMs: 0, ...rule };
          await redis.call('HSET', keys[4 + 3 * i]!, ...Object.entries(all).flat());
        }
        const args = ['e', nowMs, 'i', 'mine', 0, 20, 0, 200_000];
        const [a, b] = placed.map((rule) => lapsesInSeconds(rule, nowMs)) as [number, number];
        const isSecond = b < a || (b === a && pair[1].limit > pair[0].limit);
        const best = isSecond ? 2 : 1;
        chosen.add(best);
        expect(await redis.call('EVAL', ACQUIRE, 9, ...keys, ...args)).toEqual(['granted', best]);
      }),
      { numRuns: 100 },
    );
    expect(chosen.size).toBe(2);
  });

  it('keeps the share of a silent instance free, but of no limit that was only guessed', async () => {
    const keys = ['{x}epoch', '{x}instances', '{x}answered', '{x}sends', '{x}rule', '{x}leases'];
    const pack = "return redis.call('HSET', KEYS[1], 'gone', struct.pack('>dddddddd', unpack(ARGV)))";
    const answers: unknown[] = [];
    for (const isUntried of [0, 1]) {
      await redis.call('FLUSHALL');
      const [seconds] = (await redis.call('TIME')) as [string];
      const nowMs = Number(seconds) * 1000;
      await redis.call('HSET', keys[0]!, 'id', 'e', 'last', nowMs, 'shift', -60_000);
      const rule = { kind: 'sliding', limit: 12, spanMs: 60_000, originMs: 0, periodMs: 0, guardMs: 0 };
      await redis.call('HSET', keys[4]!, ...Object.entries({ ...rule, heldUntilMs: 0, isUntried }).flat());
      for (let i = 0; i < 9; i++) await redis.call('ZADD', keys[3]!, nowMs - 1_000, `s${i}`);
      // Told 3 s ago, one of three: a third of 12 would be kept, and 9 count.
      const lease = [nowMs - 3_000, 0, 0, 3];
      await redis.call('EVAL', pack, 1, keys[5]!, ...lease, ...lease);
      const args = ['e', nowMs, 'i', 'mine', 0, 1, 0, 200_000];
      answers.push(((await redis.call('EVAL', ACQUIRE, 6, ...keys, ...args)) as unknown[])[0]);
    }
    expect(answers).toEqual(['full', 'granted']);
  });

  it('grants and foretells as quota-window.ts does', async () => {
    const keys = ['{x}epoch', '{x}instances', '{x}answered', '{x}sends', '{x}rule', '{x}leases'];
    let grants = 0;
    let forecasts = 0;
    await fc.assert(
      fc.asyncProperty(plans, async ({ rule, agesMs, leave, heldMs }) => {
        await redis.call('FLUSHALL');
        const [seconds, micros] = (await redis.call('TIME')) as [string, string];
        const nowMs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
        const placed = rule.kind === 'phase' ? { ...rule, originMs: rule.originMs + nowMs } : rule;
        const sends = agesMs.map((ageMs) => nowMs - ageMs).sort((a, b) => a - b);
        const heldUntilMs = heldMs === 0 ? 0 : nowMs + heldMs;
        // The server is behind of what was told before: so the store's time is this, to the millisecond.
        await redis.call('HSET', keys[0]!, 'id', 'e', 'last', nowMs, 'shift', -60_000);
        const all = { spanMs: 0, originMs: 0, periodMs: 0, guardMs: 0, heldUntilMs, ...placed };
        await redis.call('HSET', keys[4]!, ...Object.entries(all).flat());
        for (const [i, atMs] of sends.entries()) await redis.call('ZADD', keys[3]!, atMs, `s${i}`);
        const args = ['e', nowMs, 'i', 'mine', leave, 20, 0, 200_000];
        const reply = (await redis.call('EVAL', ACQUIRE, 6, ...keys, ...args)) as [string, ...unknown[]];
        const fromMs = Math.max(nowMs, heldUntilMs);
        const isFree = freeAtMs(placed, timesOf(sends), fromMs, leave) === nowMs;
        expect(reply[0]).toBe(isFree ? 'granted' : 'full');
        if (isFree) {
          grants += 1;
          return;
        }
        forecasts += 1;
        const forecast = createForecast(placed, timesOf(sends), fromMs, leave);
        const expected = Array.from({ length: 20 }, () => {
          const waitMs = forecast.nextMs() - nowMs;
          forecast.take();
          return waitMs;
        });
        expect((reply[1] as string[]).map(Number)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
    expect(Math.min(grants, forecasts)).toBeGreaterThan(20);
  });
});
