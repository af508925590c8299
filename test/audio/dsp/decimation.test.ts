// The decimation factor of a sound, checked against what folds back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimationOf } from '../../../src/audio/dsp/decimation.ts';
import { heardBelowHz } from '../../../src/audio/dsp/filter-bank.ts';

describe('decimationOf', () => {
  it('reads all where nothing is known of the band, and where the rate does not fall', () => {
    expect(decimationOf({ fromRate: 48_000, toRate: 8000 })).toBe(1);
    expect(decimationOf({ fromRate: 8000, toRate: 48_000, belowHz: 1000 })).toBe(1);
    expect(decimationOf({ fromRate: 24_000, toRate: 8000, belowHz: 12_000 })).toBe(1);
  });

  it('lets nothing fold back to where it is heard, and keeps rates whole', () => {
    const rate = fc.integer({ min: 8000, max: 48_000 });
    fc.assert(
      fc.property(rate, rate, fc.integer({ min: 0, max: 24_000 }), (fromRate, toRate, belowHz) => {
        const factor = decimationOf({ fromRate, toRate, belowHz });
        expect(Number.isInteger(fromRate / factor)).toBe(true);
        if (factor > 1) expect(fromRate / factor).toBeGreaterThanOrEqual(toRate);
        if (factor > 1) expect(fromRate / factor - belowHz).toBeGreaterThanOrEqual(heardBelowHz(toRate));
      }),
    );
  });
});
