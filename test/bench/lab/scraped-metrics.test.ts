import { describe, expect, it } from 'vitest';
import { quantileBetween, readMetrics } from '../../../bench/lab/scraped-metrics.ts';
import { createMetrics } from '../../../src/base/metrics.ts';

const NAME = 'late_seconds';

/** What is read before and after `values` have been counted, with others counted before. */
function lookTwice(values: readonly number[], earlier: readonly number[] = []) {
  const metrics = createMetrics();
  const lateness = metrics.histogram(NAME, 'How late.', [0.01, 0.02, 0.1]);
  for (const value of earlier) lateness.observe(value);
  const before = readMetrics(metrics.expose());
  for (const value of values) lateness.observe(value);
  return (share: number) => quantileBetween(before, readMetrics(metrics.expose()), NAME, share);
}

describe('readMetrics', () => {
  it('adds up a metric over its labels and takes no other for it', () => {
    const metrics = createMetrics();
    const closes = metrics.counters('closes_total', 'Closes.', { code: ['1000', '{odd} "label"'] });
    closes.add(2, { code: '1000' });
    closes.add(3, { code: '{odd} "label"' });
    metrics.counter('closes_total_more', 'Another.').add(7);
    const read = readMetrics(metrics.expose());
    expect(read.value('closes_total')).toBe(5);
    expect(read.value('closes_total', 'code="1000"')).toBe(2);
    expect(read.value('closes_total', 'code="1001"')).toBe(0);
    expect(read.value('absent')).toBe(0);
  });
});

describe('quantileBetween', () => {
  it('reads linearly within the bucket', () => {
    const quantile = lookTwice([0.015, 0.015, 0.015, 0.015]);
    expect(quantile(0.5)).toBeCloseTo(0.015);
    expect(quantile(1)).toBeCloseTo(0.02);
  });

  it('counts only what came between the two looks', () => {
    expect(lookTwice([0.05, 0.05], [0.001, 0.001, 0.001])(0.5)).toBeCloseTo(0.06);
  });

  it('answers the last bound for what lies beyond all of them', () => {
    expect(lookTwice([5, 5, 5])(0.5)).toBe(0.1);
  });

  it('has no answer when nothing was counted', () => {
    expect(lookTwice([], [0.05])(0.5)).toBeNaN();
  });
});
