// The script's arithmetic against its specification, limits/quota-window.ts: the same answers for any log of sends.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuotaRule } from '../../src/limits/quota-rule.ts';
import { createForecast, freeAtMs, type SendTimes } from '../../src/limits/quota-window.ts';
import { ACQUIRE } from '../../src/upstream/shared-quota/quota-scripts.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';

const limit = fc.integer({ min: 1, max: 12 });
const rules: fc.Arbitrary<QuotaRule> = fc.oneof(
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
  count: sorted.length,
  newest: (k) => sorted[sorted.length - 1 - k]!,
});

describe.runIf(hasRedis)('the script in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  it('grants and foretells as quota-window.ts does', async () => {
    const keys = ['{x}epoch', '{x}instances', '{x}answered', '{x}sends', '{x}rule', '{x}leases'];
    let grants = 0;
    let forecasts = 0;
    await fc.assert(
      fc.asyncProperty(plans, async ({ rule, agesMs, leave, heldMs }) => {
        await redis.call('FLUSHALL');
        const [seconds, micros] = (await redis.call('TIME')) as [string, string];
        // The server seems to be ahead: so the store's time is this, to the millisecond.
        const nowMs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000) - 5_000;
        const placed = rule.kind === 'phase' ? { ...rule, originMs: rule.originMs + nowMs } : rule;
        const sends = agesMs.map((ageMs) => nowMs - ageMs).sort((a, b) => a - b);
        const heldUntilMs = heldMs === 0 ? 0 : nowMs + heldMs;
        await redis.call('HSET', keys[0]!, 'id', 'e');
        const all = { limit: 0, spanMs: 0, originMs: 0, periodMs: 0, guardMs: 0, heldUntilMs, ...placed };
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
          const waitMs = forecast.nextMs - nowMs;
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
