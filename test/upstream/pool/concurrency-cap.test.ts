import { describe, expect, it } from 'vitest';
import { createConcurrencyCap } from '../../../src/upstream/pool/concurrency-cap.ts';

describe('the cap on what is under way', () => {
  it('is the setting, or less when the service says so', () => {
    const cap = createConcurrencyCap(10);
    expect(cap.at(0)).toBe(10);
    cap.told(3);
    expect(cap.at(0)).toBe(3);
    cap.told(99);
    expect(cap.at(0)).toBe(10);
  });
  it('sinks to what else was under way, and rises by one every half minute', () => {
    const cap = createConcurrencyCap(10);
    cap.refused(4, 1_000);
    expect([1_000, 30_999, 31_000, 61_000, 9_999_999].map((atMs) => cap.at(atMs))).toEqual([4, 4, 5, 6, 10]);
    cap.refused(7, 31_000);
    expect(cap.at(31_000)).toBe(5);
    cap.refused(0, 31_000);
    expect(cap.at(31_000)).toBe(1);
  });
});
