import { describe, expect, it } from 'vitest';
import { CEILING_DBTP, levelling, nextLevelling, TARGET_LUFS } from '../../../src/audio/dsp/loudness-rule.ts';

describe('the loudness of finished files', () => {
  it('is reached by one gain where the peaks allow it', () => {
    expect(levelling({ loudnessLufs: -26, peakDbtp: -12 })).toEqual({ gainDb: 10, peaks: 'keep' });
    expect(levelling({ loudnessLufs: -6, peakDbtp: 0 })).toEqual({ gainDb: -10, peaks: 'keep' });
    expect(levelling({ loudnessLufs: -26, peakDbtp: CEILING_DBTP - 10 }).peaks).toBe('keep');
  });

  it('is reached by turning peaks down where it does not', () => {
    expect(levelling({ loudnessLufs: -26, peakDbtp: -8 })).toEqual({ gainDb: 10, peaks: 'limit' });
  });

  it('is left as it is where nothing can be measured, and bounded where there is next to nothing', () => {
    const silent = Number.NEGATIVE_INFINITY;
    expect(levelling({ loudnessLufs: silent, peakDbtp: silent })).toEqual({ gainDb: 0, peaks: 'keep' });
    expect(levelling({ loudnessLufs: silent, peakDbtp: 0 })).toEqual({ gainDb: 0, peaks: 'limit' });
    expect(levelling({ loudnessLufs: -65, peakDbtp: -50 }).gainDb).toBe(30);
  });

  it('is made up for where limiting took some of it', () => {
    const tried = { gainDb: 8, peaks: 'limit' } as const;
    expect(nextLevelling(tried, TARGET_LUFS - 1)).toEqual({ gainDb: 9.25, peaks: 'limit' });
    expect(nextLevelling(tried, TARGET_LUFS - 0.05)).toBeUndefined();
    expect(nextLevelling(tried, TARGET_LUFS + 0.4)).toEqual({ gainDb: 7.5, peaks: 'limit' });
    expect(nextLevelling({ ...tried, peaks: 'keep' }, TARGET_LUFS - 1)).toBeUndefined();
    expect(nextLevelling({ ...tried, gainDb: 30 }, TARGET_LUFS - 9)).toBeUndefined();
    expect(nextLevelling(tried, Number.NEGATIVE_INFINITY)).toBeUndefined();
  });
});
