import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSlidingWindow } from '../../src/limits/sliding-window.ts';

describe('sliding window', () => {
  it('lets `limit` sends through and says when the next one fits', () => {
    const window = createSlidingWindow(2);
    expect(window.tryTake(0)).toEqual({ ok: true });
    expect(window.tryTake(10_000)).toEqual({ ok: true });
    expect(window.tryTake(20_000)).toEqual({ ok: false, retryAfterMs: 40_500 });
    expect(window.tryTake(60_499)).toEqual({ ok: false, retryAfterMs: 1 });
    expect(window.tryTake(60_500)).toEqual({ ok: true });
    expect(window.used(60_500)).toBe(2);
    expect(window.used(70_500)).toBe(1);
  });

  it('gives a send back that never left, once', () => {
    const window = createSlidingWindow(2, 0);
    window.tryTake(0);
    window.tryTake(5_000);
    window.refund(5_000, 5_001);
    expect(window.used(5_001)).toBe(1);
    expect(window.tryTake(5_002).ok).toBe(true);
    expect(window.tryTake(5_003).ok).toBe(false);
  });

  it('gives nothing back for a send that has left the window', () => {
    const window = createSlidingWindow(2, 0);
    window.tryTake(0);
    window.tryTake(50_000);
    window.refund(0, 60_000);
    expect(window.used(60_000)).toBe(1);
  });

  it('foretells the wait behind others, also beyond one whole window', () => {
    const window = createSlidingWindow(2, 0);
    window.tryTake(0);
    window.tryTake(10_000);
    const waits = [0, 1, 2, 3, 4].map((ahead) => window.waitMs(20_000, ahead));
    expect(waits).toEqual([40_000, 50_000, 100_000, 110_000, 160_000]);
    expect([0, 1, 2, 3].map((ahead) => createSlidingWindow(2, 0).waitMs(7, ahead))).toEqual([
      0, 0, 60_000, 60_000,
    ]);
  });

  it('does not go back in time', () => {
    const window = createSlidingWindow(1, 0);
    window.tryTake(100_000);
    expect(window.tryTake(50_000)).toEqual({ ok: false, retryAfterMs: 60_000 });
  });

  it('refuses a limit that is none', () => {
    for (const limit of [0, -1, 1.5, Number.NaN])
      expect(() => createSlidingWindow(limit)).toThrow(RangeError);
  });
});

/** Counters that a service may use; each says whether it lets the arrival at `ms` through. */
const counters = {
  'minutes of a fixed phase': (limit: number, phaseMs: number) => {
    let minute = Number.NaN;
    let count = 0;
    return (ms: number) => {
      const current = Math.floor((ms + phaseMs) / 60_000);
      if (current !== minute) [minute, count] = [current, 0];
      count += 1;
      return count <= limit;
    };
  },
  'a minute from the first request': (limit: number) => {
    let from = Number.NEGATIVE_INFINITY;
    let count = 0;
    return (ms: number) => {
      if (ms - from >= 60_000) [from, count] = [ms, 0];
      count += 1;
      return count <= limit;
    };
  },
  'a sliding log': (limit: number) => {
    const log: number[] = [];
    return (ms: number) => {
      log.push(ms);
      return log.filter((at) => at > ms - 60_000).length <= limit;
    };
  },
  'a token bucket': (limit: number) => {
    let tokens = limit;
    let at = 0;
    return (ms: number) => {
      tokens = Math.min(limit, tokens + ((ms - at) * limit) / 60_000);
      at = ms;
      tokens -= 1;
      return tokens >= -1e-6;
    };
  },
};

const asked = fc.record({
  limit: fc.integer({ min: 1, max: 8 }),
  phaseMs: fc.integer({ min: 0, max: 59_999 }),
  // Attempts: the gap to the one before, the latency on the way, and whether the send failed before it left.
  attempts: fc.array(
    fc.record({
      gapMs: fc.oneof(
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 0, max: 30_000 }),
        fc.constant(60_500),
      ),
      latencyMs: fc.oneof(fc.constantFrom(0, 500), fc.integer({ min: 0, max: 500 })),
      unsent: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
    }),
    { minLength: 20, maxLength: 120 },
  ),
});

describe.each(Object.entries(counters))('at a service that counts by %s', (_, makeCounter) => {
  it('never sends one request too many, whatever the latencies up to the margin', () => {
    fc.assert(
      fc.property(asked, ({ limit, phaseMs, attempts }) => {
        const window = createSlidingWindow(limit);
        const arrivals: number[] = [];
        let nowMs = 0;
        for (const { gapMs, latencyMs, unsent } of attempts) {
          nowMs += gapMs;
          let take = window.tryTake(nowMs);
          if (!take.ok) {
            nowMs += take.retryAfterMs;
            take = window.tryTake(nowMs);
          }
          expect(take.ok).toBe(true);
          if (unsent) {
            window.refund(nowMs, nowMs + latencyMs);
            nowMs += latencyMs;
          } else arrivals.push(nowMs + latencyMs);
        }
        const counter = makeCounter(limit, phaseMs);
        return arrivals.sort((a, b) => a - b).every((ms) => counter(ms));
      }),
      { numRuns: 300 },
    );
  });
});

it('would send too many without the margin (the property can fail)', () => {
  const window = createSlidingWindow(1, 0);
  window.tryTake(0);
  window.tryTake(60_000);
  const counter = counters['a sliding log'](1);
  expect([counter(0 + 500), counter(60_000 + 0)]).toEqual([true, false]);
});
