import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  durationCount,
  FIRST_AUDIO_BOUNDS_MS,
  NO_DURATIONS,
  percentileMs,
  withDurations,
} from '../../src/limits/duration-histogram.ts';

test('the bounds run from 5 ms to a minute, each by the same factor above the last', () => {
  expect([FIRST_AUDIO_BOUNDS_MS.length, FIRST_AUDIO_BOUNDS_MS[0], FIRST_AUDIO_BOUNDS_MS.at(-1)]).toEqual([
    40, 5, 60_000,
  ]);
  const factors = FIRST_AUDIO_BOUNDS_MS.slice(1).map((bound, i) => bound / FIRST_AUDIO_BOUNDS_MS[i]!);
  // The first ones are whole milliseconds and so a little off.
  for (const factor of factors) expect(factor).toBeGreaterThan(1.15);
  for (const factor of factors.slice(8)) expect(factor).toBeCloseTo(12_000 ** (1 / 39), 1);
});

test('a duration on a bound is counted below it, one above the last bound in the last bucket', () => {
  const counts = withDurations(NO_DURATIONS, [0, 5, 5.001, 60_000, 60_001, 1e12]);
  expect([counts[0], counts[1], counts[39], counts[40]]).toEqual([2, 1, 1, 2]);
  expect(durationCount(counts)).toBe(6);
});

test('what is no duration is not counted', () => {
  expect(durationCount(withDurations(NO_DURATIONS, [-1, Number.NaN, Number.NEGATIVE_INFINITY]))).toBe(0);
});

test('the counts given are left as they were', () => {
  withDurations(NO_DURATIONS, [10]);
  expect(durationCount(NO_DURATIONS)).toBe(0);
});

test('nothing counted has no percentile', () => {
  expect(percentileMs(NO_DURATIONS, 0.5)).toBeUndefined();
});

test('a percentile lies where its bucket is, as far in as its share of it', () => {
  const counts = withDurations(NO_DURATIONS, [100, 100, 100, 100]);
  const bucket = counts.findIndex((count) => count > 0);
  const [from, to] = [FIRST_AUDIO_BOUNDS_MS[bucket - 1]!, FIRST_AUDIO_BOUNDS_MS[bucket]!];
  expect(percentileMs(counts, 0)).toBe(from);
  expect(percentileMs(counts, 0.5)).toBeCloseTo((from + to) / 2, 9);
  expect(percentileMs(counts, 1)).toBe(to);
  expect(percentileMs(withDurations(NO_DURATIONS, [1e9]), 0.99)).toBe(60_000);
});

test('a percentile is within one bucket of the true one, and never less for a greater share', () => {
  const durations = fc.array(fc.double({ min: 5, max: 60_000, noNaN: true }), {
    minLength: 1,
    maxLength: 60,
  });
  fc.assert(
    fc.property(durations, fc.double({ min: 0.01, max: 1, noNaN: true }), (times, share) => {
      const counts = withDurations(NO_DURATIONS, times);
      const sorted = [...times].sort((a, b) => a - b);
      const exact = sorted[Math.ceil(share * times.length - 1e-9) - 1]!;
      const told = percentileMs(counts, share)!;
      expect(told).toBeGreaterThan(exact / 1.4 - 5);
      expect(told).toBeLessThan(exact * 1.4 + 1);
      expect(percentileMs(counts, Math.min(1, share + 0.1))!).toBeGreaterThanOrEqual(told);
    }),
  );
});
