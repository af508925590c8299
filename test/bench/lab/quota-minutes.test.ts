import { describe, expect, it } from 'vitest';
import { newestMinuteMs, wholeMinutes } from '../../../bench/lab/quota-minutes.ts';

const FIRST_MS = 1_800_000_000_000;
/** By key and minute what was accepted; undefined where the service has counted nothing. */
const report = (...keys: (number | undefined)[][]) => ({
  keys: keys.map((counts, index) => ({
    ...{ key: `k_${index}`, accepted: 0, refused: 0, mostAcceptedIn60s: 0 },
    minutes: counts.flatMap((accepted, minute) =>
      accepted === undefined ? [] : [{ unixMs: FIRST_MS + minute * 60_000, accepted }],
    ),
  })),
  requests: [],
});
const QUOTA = { keys: 2, limit: 10 };

describe('wholeMinutes', () => {
  it('leaves out the minutes before, and the one that is not over', () => {
    const told = report([9, 10, 8, 3], [9, 10, 10, 3]);
    expect(wholeMinutes(told, FIRST_MS + 60_000, QUOTA)).toEqual({ count: 2, accepted: 38, share: 0.95 });
  });

  it('counts a minute in which a key, or every key, had nothing', () => {
    expect(wholeMinutes(report([10, undefined, 1], [10]), FIRST_MS, QUOTA).share).toBe(0.5);
    expect(wholeMinutes(report([10, 10, 1], [10, undefined, 1]), FIRST_MS, QUOTA).share).toBe(0.75);
  });

  it('has no share before a minute is over', () => {
    expect(wholeMinutes(report([3], [3]), FIRST_MS, QUOTA)).toEqual({ count: 0, accepted: 0, share: NaN });
    expect(wholeMinutes(report(), FIRST_MS, QUOTA).share).toBeNaN();
    expect(newestMinuteMs(report())).toBe(0);
  });
});
