import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFilterBanks } from '../../../src/audio/dsp/filter-bank.ts';
import { createResampler } from '../../../src/audio/dsp/resampler.ts';
import { createSoundPath } from '../../../src/audio/dsp/wasm-sound-path.ts';
import type { Stage } from '../../../src/audio/stage.ts';
import { decibels, levelDb, noise, pushInChunks, tone, toneSnrDb } from '../../support/tone.ts';

const banks = createFilterBanks();
const sound = createSoundPath(banks);

type Emit = (samples: Float32Array) => void;
type Create = (fromRate: number, toRate: number, emit: Emit) => Stage<Float32Array>;
const MAKERS: readonly { readonly made: string; readonly create: Create; readonly constantDb: number }[] = [
  {
    made: 'in TypeScript, in doubles',
    create: (fromRate, toRate, emit) => createResampler(banks, { fromRate, toRate }, emit),
    constantDb: -140,
  },
  {
    made: 'in WASM, in floats',
    create: (fromRate, toRate, emit) => sound.resample({ fromRate, toRate }, emit),
    constantDb: -125,
  },
];

const exactLength = (samplesIn: number, fromRate: number, toRate: number) =>
  Number((2n * BigInt(samplesIn) * BigInt(toRate) + BigInt(fromRate)) / (2n * BigInt(fromRate)));

describe.each(MAKERS)('a resampler $made', ({ create, constantDb }) => {
  function resample(
    samples: Float32Array,
    fromRate: number,
    toRate: number,
    sizes: readonly number[] = [1000],
  ): Float32Array {
    const parts: number[] = [];
    const stage = create(fromRate, toRate, (block) => {
      for (const sample of block) parts.push(sample);
    });
    pushInChunks(stage, samples, sizes);
    return Float32Array.from(parts);
  }

  /** A tone's way through, without the filter's rise and fall at both ends. */
  function steadyTone(hz: number, fromRate: number, toRate: number, ms = 150): Float32Array {
    const out = resample(tone(hz, fromRate, (fromRate * ms) / 1000), fromRate, toRate);
    const edge = Math.ceil(Math.max(40, (40 * toRate) / fromRate));
    return out.slice(edge, -edge);
  }

  describe.each([16_000, 22_050, 24_000, 32_000, 44_100, 48_000])('from %i Hz to the telephone', (rate) => {
    it('is flat to 3.4 kHz and 3 dB down at 3.7 kHz at most', () => {
      for (const hz of [100, 300, 1000, 2000, 3000, 3400])
        expect(Math.abs(levelDb(steadyTone(hz, rate, 8000))), `${hz} Hz`).toBeLessThan(0.1);
      const edge = levelDb(steadyTone(3700, rate, 8000));
      expect(edge).toBeGreaterThan(-3);
      expect(edge).toBeLessThan(-1);
    });

    it('lets nothing from 4.2 kHz on fold back (call-me#12)', () => {
      for (const hz of [
        4200, 4250, 4300, 4400, 4600, 5000, 6000, 7000, 7900, 8100, 9000, 11_000, 15_000, 20_000,
      ])
        if (hz < rate / 2) expect(levelDb(steadyTone(hz, rate, 8000)), `${hz} Hz`).toBeLessThan(-80);
    });
  });

  it('keeps a 1 kHz tone 90 dB above everything else, at any pair of rates', () => {
    const pairs = [
      [24_000, 8000],
      [44_100, 8000],
      [48_000, 8000],
      [22_050, 8000],
      [8000, 48_000],
      [8000, 44_100],
      [11_025, 8000],
      [11_025, 48_000],
      [24_000, 44_100],
      [44_100, 48_000],
      [48_000, 44_100],
      [24_000, 16_000],
      [44_100, 8001],
      [44_100, 8009],
      [24_000, 12_347],
      [8000, 8009],
      [8000, 47_999],
      [48_000, 47_999],
    ] as const;
    for (const [from, to] of pairs) {
      const steady = steadyTone(1000, from, to, 1200);
      expect(toneSnrDb(steady, 1000, to), `${from} → ${to}`).toBeGreaterThan(90);
      expect(Math.abs(levelDb(steady)), `${from} → ${to}`).toBeLessThan(0.02);
    }
  });

  it('keeps the shape of its design at every ratio', () => {
    for (const [from, to] of [
      [48_000, 16_000],
      [44_100, 24_000],
      [8000, 24_000],
      [44_100, 12_347],
    ] as const) {
      const nyquist = Math.min(from, to) / 2;
      expect(levelDb(steadyTone(0.85 * nyquist, from, to))).toBeGreaterThan(-0.1);
      expect(levelDb(steadyTone(0.925 * nyquist, from, to))).toBeGreaterThan(-3);
      if (1.05 * nyquist < from / 2) expect(levelDb(steadyTone(1.06 * nyquist, from, to))).toBeLessThan(-80);
    }
  });

  it('passes a constant unchanged', () => {
    for (const to of [8000, 44_100, 8009]) {
      const out = resample(new Float32Array(4000).fill(0.5), 24_000, to);
      const edge = Math.ceil((100 * to) / 24_000);
      const error = out
        .slice(edge, -edge)
        .reduce((most, sample) => Math.max(most, Math.abs(sample - 0.5)), 0);
      expect(decibels(error)).toBeLessThan(constantDb);
    }
  });

  it('adds no delay: what was at a time stays there', () => {
    // A pulse at 1/8 s, which is a whole sample at all three rates.
    for (const to of [8000, 16_000, 48_000]) {
      const pulse = new Float32Array(24_000);
      pulse[3000] = 1;
      const out = resample(pulse, 24_000, to);
      expect(out.indexOf(out.reduce((a, b) => Math.max(a, b)))).toBe(to / 8);
      for (const distance of [1, 5, 20])
        expect(out[to / 8 - distance]).toBeCloseTo(out[to / 8 + distance]!, 7);
    }
  });

  it('ends at the exact length', () => {
    const rates = fc.oneof(
      fc.constantFrom(8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000),
      fc.integer({ min: 8000, max: 48_000 }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), rates, rates, (length, from, to) => {
        expect(resample(new Float32Array(length), from, to)).toHaveLength(exactLength(length, from, to));
      }),
      { numRuns: 60 },
    );
  });

  it('does not care how the input is split (openclaw#125620)', () => {
    const samples = noise(5000);
    fc.assert(
      fc.property(
        fc.constantFrom(
          [24_000, 8000] as const,
          [44_100, 8000] as const,
          [8000, 11_025] as const,
          [44_100, 8009] as const,
          [48_000, 48_000] as const,
        ),
        fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 8 }),
        ([from, to], sizes) => {
          expect(resample(samples, from, to, sizes)).toEqual(resample(samples, from, to, [5000]));
        },
      ),
      { numRuns: 25 },
    );
    expect(resample(samples, 24_000, 8000, [1])).toEqual(resample(samples, 24_000, 8000, [5000]));
  });

  it('speaks as soon as half a filter has arrived', () => {
    let made = 0;
    const stage = create(24_000, 8000, (block) => {
      made += block.length;
    });
    const half = banks.of(24_000, 8000).taps / 2;
    stage.push(new Float32Array(half));
    expect(made).toBe(0);
    stage.push(new Float32Array(1));
    expect(made).toBe(1);
  });

  it('leaves equal rates alone', () => {
    const blocks: Float32Array[] = [];
    const stage = create(24_000, 24_000, (block) => blocks.push(block));
    const samples = noise(10);
    stage.push(samples);
    stage.push(new Float32Array(0));
    stage.flush();
    expect(blocks).toEqual([samples]);
  });

  it('forgets a spoilt sample after one filter length', () => {
    const samples = tone(500, 24_000, 4000);
    samples[1000] = Number.NaN;
    const out = resample(samples, 24_000, 8000);
    const spoilt = out.reduce((count, sample) => count + (Number.isNaN(sample) ? 1 : 0), 0);
    expect(spoilt).toBeGreaterThan(0);
    expect(spoilt).toBeLessThan(60);
  });

  it('has nothing more to say after its end', () => {
    let made = 0;
    const stage = create(24_000, 8000, (block) => {
      made += block.length;
    });
    stage.push(new Float32Array(100));
    stage.flush();
    stage.flush();
    expect(made).toBe(33);
  });
});
