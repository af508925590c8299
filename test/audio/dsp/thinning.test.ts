// How much of a sound need be read, held against what folds back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heardBelowHz } from '../../../src/audio/dsp/filter-bank.ts';
import { strideOf } from '../../../src/audio/dsp/thinning.ts';

describe('strideOf', () => {
  it('reads all where nothing is known of the band, and where the rate does not fall', () => {
    expect(strideOf({ fromRate: 48_000, toRate: 8000 })).toBe(1);
    expect(strideOf({ fromRate: 8000, toRate: 48_000, belowHz: 1000 })).toBe(1);
    expect(strideOf({ fromRate: 24_000, toRate: 8000, belowHz: 12_000 })).toBe(1);
  });

  it('lets nothing fold back to where it is heard, and keeps rates whole', () => {
    const rate = fc.integer({ min: 8000, max: 48_000 });
    fc.assert(
      fc.property(rate, rate, fc.integer({ min: 0, max: 24_000 }), (fromRate, toRate, belowHz) => {
        const stride = strideOf({ fromRate, toRate, belowHz });
        expect(Number.isInteger(fromRate / stride)).toBe(true);
        if (stride > 1) expect(fromRate / stride).toBeGreaterThanOrEqual(toRate);
        if (stride > 1) expect(fromRate / stride - belowHz).toBeGreaterThanOrEqual(heardBelowHz(toRate));
      }),
    );
  });
});
