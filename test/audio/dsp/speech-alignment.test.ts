import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crossfade, fadeOut } from '../../../src/audio/dsp/crossfade.ts';
import { alignRuns, lastPause } from '../../../src/audio/dsp/speech-alignment.ts';
import { fixtureSpeech } from '../../support/fixture-speech.ts';
import { noise, tone } from '../../support/tone.ts';

const RATE = 24_000;
const speech = fixtureSpeech();
const limits = (latest: number, earliest = latest) => ({ sampleRate: RATE, earliest, latest });
const passage = (samples: Float32Array, from: number, until: number) => ({
  samples: samples.subarray(Math.max(0, from), until),
  from: Math.max(0, from),
});
const around = (samples: Float32Array, latest: number) => ({
  old: passage(samples, latest - 1.5 * RATE, latest),
  fresh: (take: Float32Array) => passage(take, latest - 1.8 * RATE, latest + 0.3 * RATE),
});

describe('the alignment of two takes', () => {
  it('finds the same sound to the sample, whatever its place and strength', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -4500, max: 4500 }),
        fc.constantFrom(30_000, 36_000, 41_000),
        fc.double({ min: 0.3, max: 1, noNaN: true }),
        (lag, latest, gain) => {
          const moved = Float32Array.from({ length: speech.length }, (_, i) => gain * (speech[i - lag] ?? 0));
          const { old, fresh } = around(speech, latest);
          expect(alignRuns(old, fresh(moved), limits(latest))).toMatchObject({
            lag,
            by: 'waveform',
            cut: latest,
          });
        },
      ),
      { numRuns: 12 },
    );
  });

  it('takes the nearest of many places that are as good', () => {
    const steady = tone(440, RATE, 3 * RATE, 0.3);
    const { old, fresh } = around(steady, 2 * RATE);
    expect(Math.abs(alignRuns(old, fresh(steady), limits(2 * RATE))!.lag)).toBeLessThanOrEqual(1);
  });

  it('refuses what is not alike: another tone, noise, silence, speech backwards', () => {
    const latest = 36_000;
    const takes = [
      tone(523, RATE, 60_000, 0.3),
      noise(60_000),
      new Float32Array(60_000),
      speech.slice().reverse(),
    ];
    for (const one of [speech, tone(440, RATE, 60_000, 0.3)]) {
      const { old, fresh } = around(one, latest);
      for (const take of takes) expect(alignRuns(old, fresh(take), limits(latest))).toBeUndefined();
    }
  });

  it('refuses what is too short to tell', () => {
    const old = passage(speech, 30_000, 31_000);
    expect(alignRuns(old, passage(speech, 25_000, 40_000), limits(31_000))).toBeUndefined();
    const nothing = { samples: new Float32Array(0), from: 0 };
    expect(alignRuns(nothing, nothing, limits(0))).toBeUndefined();
  });

  it('finds the last pause, if there is one', () => {
    const spoken = tone(440, RATE, 30_000, 0.3);
    spoken.fill(0, 20_000, 22_000);
    const take = { samples: spoken, from: 0 };
    const pause = lastPause([{ run: take, lag: 0 }], limits(30_000, 10_000))!;
    expect(pause).toBeGreaterThan(20_000);
    expect(pause).toBeLessThan(22_001);
    expect(lastPause([{ run: take, lag: 0 }], limits(30_000, 23_000))).toBeUndefined();
    const steady = { samples: tone(440, RATE, 30_000, 0.3), from: 0 };
    expect(lastPause([{ run: steady, lag: 0 }], limits(30_000, 10_000))).toBeUndefined();
  });
});

describe('a bridge', () => {
  it('is the old take, then the new one, with a fade that keeps the same sound as it is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 900 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: -500, max: 500 }),
        (into, fade, lag) => {
          const [begin, cut] = [2000, 2000 + into];
          const end = cut + lag + fade + 100;
          const old = passage(speech, 0, 4000);
          const moved = { samples: old.samples, from: old.from + lag };
          const bridge = crossfade(old, moved, { begin, cut, lag, end, fade });
          expect(bridge.length).toBe(end - lag - begin);
          expect(bridge.every((value, i) => Math.abs(value - speech[begin + i]!) < 1e-6)).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('to silence ends in it', () => {
    const old = passage(tone(440, RATE, 5000, 0.5), 0, 5000);
    const bridge = fadeOut(old, 1000, 1500, 360);
    expect(bridge.length).toBe(860);
    expect(bridge.subarray(0, 500)).toEqual(old.samples.subarray(1000, 1500));
    expect(Math.abs(bridge.at(-1)!)).toBeLessThan(0.002);
  });
});
