import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPeakLimiter, type PeakLimit } from '../../../src/audio/dsp/peak-limiter.ts';
import { createTruePeakMeter } from '../../../src/audio/dsp/true-peak.ts';
import { levelDb, noise, pushInChunks, tone } from '../../support/tone.ts';

const CEILING = 0.9;

function limited(
  samples: Float32Array,
  rule: Partial<PeakLimit> = {},
  sizes: readonly number[] = [1000],
): Float32Array {
  const out: number[] = [];
  const rules = { sampleRate: 24_000, gain: 1, ceiling: CEILING, ...rule };
  pushInChunks(
    createPeakLimiter(rules, (block) => out.push(...block)),
    samples,
    sizes,
  );
  return Float32Array.from(out);
}

function truePeak(samples: Float32Array): number {
  const meter = createTruePeakMeter();
  meter.push(samples);
  meter.push(new Float32Array(6));
  return meter.peak();
}

describe('peak limiter', () => {
  it('leaves alone what stays below the ceiling, but for the gain', () => {
    const samples = tone(440, 24_000, 5000, 0.2);
    const out = limited(samples, { gain: 2 });
    expect(out).toHaveLength(samples.length);
    expect(Math.max(...out.map((sample, i) => Math.abs(sample - samples[i]! * 2)))).toBeLessThan(1e-6);
  });

  it('lets no peak through, between samples neither, and gives back as many samples', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4000 }),
        fc.double({ min: 0.1, max: 30, noNaN: true }),
        fc.constantFrom(8000, 24_000, 48_000),
        fc.integer({ min: 1, max: 1 << 20 }),
        (length, gain, sampleRate, seed) => {
          // Speech has little near half the rate; noise smoothed twice is like it there.
          const rough = noise(length + 2, seed);
          const samples = rough.subarray(2).map((sample, i) => (sample + rough[i + 1]! + rough[i]!) / 3);
          const out = limited(samples, { gain, sampleRate });
          expect(out).toHaveLength(length);
          expect(Math.max(...out.map(Math.abs))).toBeLessThanOrEqual(CEILING + 1e-6);
          expect(truePeak(out)).toBeLessThan(CEILING * 1.02);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('turns down before a peak and comes back after it', () => {
    const samples = tone(200, 24_000, 24_000, 0.3);
    const peak = 12_000;
    samples[peak] = 3;
    const out = limited(samples);
    const share = (from: number, to: number) =>
      levelDb(out.slice(from, to)) - levelDb(samples.slice(from, to));
    expect(share(0, peak - 240)).toBeCloseTo(0, 3);
    expect(share(peak + 1, peak + 121)).toBeLessThan(-8);
    expect(share(22_000, 24_000)).toBeCloseTo(0, 1);
    // No step on the way: a sine of 200 Hz at 0.3 moves 0.016 from one sample to the next.
    const steps = out.subarray(1, peak).map((sample, i) => Math.abs(sample - out[i]!));
    expect(Math.max(...steps)).toBeLessThan(0.025);
  });

  it('does not care how the samples are split', () => {
    const samples = noise(6000, 7);
    const whole = limited(samples, { gain: 2 }, [6000]);
    expect(limited(samples, { gain: 2 }, [1])).toEqual(whole);
    expect(limited(samples, { gain: 2 }, [577, 1, 2000])).toEqual(whole);
    expect(limited(new Float32Array(0))).toHaveLength(0);
  });
});
