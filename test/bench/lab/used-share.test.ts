import { describe, expect, it } from 'vitest';
import { acceptedByKey, usedShare } from '../../../bench/lab/used-share.ts';

const QUOTA = { limit: 3, windowMs: 60_000 };
/** `count` times, `gapMs` apart. */
const every = (gapMs: number, count: number) => Array.from({ length: count }, (_, i) => i * gapMs);

describe('usedShare', () => {
  it('is whole when each place is used again after exactly a window, evenly or in bursts', () => {
    expect(usedShare([every(20_000, 10)], QUOTA)).toBe(1);
    expect(usedShare([[0, 1, 2, 60_000, 60_001, 60_002, 120_000]], QUOTA)).toBe(1);
  });

  it('does not depend on where the log begins and ends', () => {
    for (let count = 4; count < 20; count++)
      expect(usedShare([every(20_200, count)], QUOTA)).toBeCloseTo(20_000 / 20_200, 10);
  });

  it('is more than whole when a window held more than the limit', () => {
    expect(usedShare([every(15_000, 8)], QUOTA)).toBeCloseTo(4 / 3, 10);
  });

  it('is over all keys: one that is used to the full does not hide another', () => {
    expect(usedShare([every(20_000, 4), every(60_000, 4)], QUOTA)).toBe(0.5);
  });

  it('has no answer before a place was used twice', () => {
    expect(usedShare([every(20_000, 3)], QUOTA)).toBeNaN();
    expect(usedShare([], QUOTA)).toBeNaN();
  });
});

describe('acceptedByKey', () => {
  it('keeps the accepted alone, each with its key', () => {
    const requests = [
      { key: 'a', atMs: 1, status: 200 },
      { key: 'b', atMs: 2, status: 200 },
      { key: 'a', atMs: 3, status: 429 },
      { key: 'a', atMs: 4, status: 200 },
      { key: 'c', atMs: 5, status: 0 },
    ];
    expect([...acceptedByKey(requests)]).toEqual([
      ['a', [1, 4]],
      ['b', [2]],
    ]);
  });
});
