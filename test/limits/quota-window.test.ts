import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QuotaRule } from '../../src/limits/quota-window.ts';
import {
  countSince,
  countsAround,
  createForecast,
  freeAtMs,
  lapsesInSeconds,
  reserveOf,
  type SendTimes,
  usedBy,
} from '../../src/limits/quota-window.ts';

/** Oldest first. */
const sendsAt = (...times: readonly number[]): SendTimes => ({
  count: () => times.length,
  newest: (k) => times[times.length - 1 - k]!,
});
const sliding = (limit: number): QuotaRule => ({ kind: 'sliding', limit, spanMs: 60_500 });
const phase = (limit: number): QuotaRule => ({
  kind: 'phase',
  limit,
  originMs: 10_000,
  periodMs: 60_000,
  guardMs: 500,
});
const forecast = (rule: QuotaRule, sends: SendTimes, fromMs: number, leave: number, count: number) => {
  const next = createForecast(rule, sends, fromMs, leave);
  return Array.from({ length: count }, () => {
    const ms = next.nextMs();
    next.take();
    return ms;
  });
};

it.each([
  [60, 0, 0],
  [60, 0.1, 6],
  [60, 0.01, 1],
  [2, 0.1, 1],
  [1, 0.5, 0],
  [10, 1, 9],
  [30, 0.7, 21],
])('of %i a share of %d leaves %i', (limit, leave, left) => {
  expect(reserveOf(limit, leave)).toBe(left);
});

it('counts by halving what a look at each would count', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.nat(60), (times, fromMs) => {
      const sorted = times.sort((a, b) => a - b);
      return countSince(sendsAt(...sorted), fromMs) === sorted.filter((ms) => ms >= fromMs).length;
    }),
  );
});

it('has no limit where there is none', () => {
  expect(freeAtMs({ kind: 'unlimited' }, sendsAt(1, 1, 1), 1, 0.9)).toBe(1);
});

describe('a sliding window', () => {
  it('lets a send go when the one that is in its way is exactly a span old', () => {
    const sends = sendsAt(0, 10_000);
    expect(freeAtMs(sliding(3), sends, 20_000, 0)).toBe(20_000);
    expect(freeAtMs(sliding(2), sends, 20_000, 0)).toBe(60_500);
    expect(freeAtMs(sliding(2), sends, 60_499, 0)).toBe(60_500);
    expect(usedBy(sliding(2), sends, 60_499)).toBe(2);
    expect(usedBy(sliding(2), sends, 60_500)).toBe(1);
  });
  it('keeps the reserve', () => {
    expect(freeAtMs(sliding(4), sendsAt(0, 1, 2), 3, 0)).toBe(3);
    expect(freeAtMs(sliding(4), sendsAt(0, 1, 2), 3, 0.25)).toBe(60_500);
  });
  it('foretells a send each time, also beyond what is known', () => {
    expect(forecast(sliding(2), sendsAt(0, 10_000), 20_000, 0, 5)).toEqual([
      60_500, 70_500, 121_000, 131_000, 181_500,
    ]);
  });
  it('waits longer when the limit has been lowered below what was sent', () => {
    expect(freeAtMs(sliding(1), sendsAt(0, 10, 20), 30, 0)).toBe(60_520);
  });
  it('tells what the service has surely counted together', () => {
    const at = { sentAtMs: 60_000, nowMs: 60_100, spreadMs: 500 };
    const sends = sendsAt(0, 400, 600, 60_000, 60_001);
    expect(countsAround(sliding(9), sends, at)).toEqual({ used: 5, tested: 2, after: 1, proven: 2 });
    // Of the three from 600 on, one is under way: two are proven, whichever of them was answered last.
    expect(countsAround(sliding(9), sends, { ...at, unanswered: 1 }).proven).toBe(2);
    expect(countsAround(sliding(9), sends, { ...at, sentAtMs: 600, unanswered: 0 }).proven).toBe(3);
  });
});

describe('fixed windows', () => {
  it('count a send just before the boundary in the window after it', () => {
    const sends = sendsAt(69_499, 69_500);
    expect(usedBy(phase(2), sends, 70_000)).toBe(1);
    expect(freeAtMs(phase(2), sends, 69_600, 0)).toBe(70_000);
    expect(freeAtMs(phase(1), sends, 69_600, 0)).toBe(130_000);
  });
  it('let their whole limit go at once when they begin', () => {
    expect(forecast(phase(2), sendsAt(20_000, 20_000), 20_000, 0, 5)).toEqual([
      70_000, 70_000, 130_000, 130_000, 190_000,
    ]);
  });
  it('keep a reserve that melts as the window ends, and the whole one for the next', () => {
    // 4 of 10 for others; sent: 6. One of the reserve is free when 3/4 of a period remain before the guard.
    const six = sendsAt(10_000, 10_000, 10_000, 10_000, 10_000, 10_000);
    expect(freeAtMs(phase(10), six, 10_001, 0)).toBe(10_001);
    expect(forecast(phase(10), six, 10_001, 0.4, 5)).toEqual([24_500, 39_500, 54_500, 69_500, 70_000]);
  });
  it('lapse with what is left of them, but for the guard, which is of the next; other windows never do', () => {
    const lapses = (nowMs: number) => lapsesInSeconds(phase(2), nowMs);
    expect([lapses(10_000), lapses(10_500), lapses(69_499), lapses(69_500)]).toEqual([60, 59, 1, 60]);
    expect(lapsesInSeconds(sliding(2), 0)).toBe(Number.POSITIVE_INFINITY);
    expect(lapsesInSeconds({ kind: 'unlimited' }, 0)).toBe(0);
  });
  it('work before their origin, too', () => {
    expect(freeAtMs(phase(1), sendsAt(-5_000), -4_000, 0)).toBe(10_000);
  });
});

const anyRule: fc.Arbitrary<QuotaRule> = fc.oneof(
  fc.record({
    kind: fc.constant('sliding' as const),
    limit: fc.integer({ min: 1, max: 6 }),
    spanMs: fc.integer({ min: 10, max: 200 }),
  }),
  fc.record({
    kind: fc.constant('phase' as const),
    limit: fc.integer({ min: 1, max: 6 }),
    originMs: fc.nat(300),
    periodMs: fc.integer({ min: 50, max: 200 }),
    guardMs: fc.nat(12),
  }),
);
const anyLeave = fc.constantFrom(0, 0.1, 0.5, 1);

describe('whoever sends when it is foretold', () => {
  it('finds every moment again, and never exceeds the limit in any window', () => {
    fc.assert(
      fc.property(anyRule, anyLeave, fc.array(fc.nat(80), { maxLength: 12 }), (rule, leave, gaps) => {
        if (rule.kind === 'unlimited') return;
        const times: number[] = [];
        let nowMs = 0;
        for (const gap of gaps) {
          nowMs = freeAtMs(rule, sendsAt(...times), nowMs + gap, 0);
          times.push(nowMs);
        }
        const moments = forecast(rule, sendsAt(...times), nowMs, leave, 20);
        for (const ms of moments) {
          expect(ms).toBe(freeAtMs(rule, sendsAt(...times), nowMs, leave));
          expect(ms).toBeGreaterThanOrEqual(nowMs);
          expect(freeAtMs(rule, sendsAt(...times), ms, leave)).toBe(ms);
          nowMs = ms;
          times.push(ms);
        }
        for (const at of times) {
          if (rule.kind === 'sliding')
            expect(times.filter((ms) => ms <= at && ms > at - rule.spanMs).length).toBeLessThanOrEqual(
              rule.limit,
            );
          else {
            const startMs = rule.originMs + Math.floor((at - rule.originMs) / rule.periodMs) * rule.periodMs;
            const inside = times.filter((ms) => ms >= startMs - rule.guardMs && ms < startMs + rule.periodMs);
            expect(inside.length).toBeLessThanOrEqual(rule.limit);
          }
        }
      }),
    );
  });

  it('would have been foretold no earlier moment', () => {
    fc.assert(
      fc.property(anyRule, anyLeave, fc.array(fc.nat(30), { maxLength: 10 }), (rule, leave, gaps) => {
        const times: number[] = [];
        let nowMs = 0;
        for (const gap of gaps) {
          nowMs = freeAtMs(rule, sendsAt(...times), nowMs + gap, 0);
          times.push(nowMs);
        }
        const freeMs = freeAtMs(rule, sendsAt(...times), nowMs, leave);
        for (let ms = nowMs; ms < freeMs; ms++)
          expect(freeAtMs(rule, sendsAt(...times), ms, leave)).toBe(freeMs);
      }),
    );
  });
});
