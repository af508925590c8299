import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CEPSTRA,
  createFeatureExtractor,
  type FeatureFrame,
  FRAME_MS,
  framesIn,
} from '../../../src/captions/alignment/speech-features.ts';

type Frame = { cepstra: number[]; level: number };

function framesOf(pieces: readonly Float32Array[], sampleRate: number, belowHz?: number): Frame[] {
  const frames: Frame[] = [];
  const onFrame = ({ cepstra, level }: FeatureFrame) => {
    frames.push({ cepstra: [...cepstra], level });
  };
  const extractor = createFeatureExtractor(sampleRate, onFrame, belowHz);
  for (const piece of pieces) extractor.push(piece);
  extractor.flush();
  return frames;
}

/** Partials of a tone, [Hz, amplitude], for so long. */
const tone = (partials: readonly (readonly [number, number])[], ms: number, sampleRate: number) =>
  Float32Array.from({ length: Math.round((ms * sampleRate) / 1000) }, (_, i) =>
    partials.reduce(
      (sum, [hz, amplitude]) => sum + amplitude * Math.sin((2 * Math.PI * hz * i) / sampleRate),
      0,
    ),
  );

const VOWEL = [
  [200, 0.1],
  [600, 0.2],
  [1200, 0.15],
  [2500, 0.05],
] as const;
const apart = (a: Frame, b: Frame) => Math.hypot(...a.cepstra.map((value, c) => value - b.cepstra[c]!));

describe('speech features', () => {
  it.each([8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000])(
    `gives a frame every ${FRAME_MS} ms of %i Hz`,
    (rate) => {
      const frames = framesOf([tone(VOWEL, 500, rate)], rate);
      expect(Math.abs(frames.length - 500 / FRAME_MS)).toBeLessThanOrEqual(1);
      expect(frames[0]!.cepstra).toHaveLength(CEPSTRA);
    },
  );

  it.each([8000, 16_000, 24_000, 44_100, 48_000])(
    'hears the same in a sound of %i Hz as at 22050 Hz',
    (rate) => {
      const middle = framesIn(150);
      const [usual, other] = [22_050, rate].map((hz) => framesOf([tone(VOWEL, 300, hz)], hz)[middle]!);
      const different = framesOf(
        [
          tone(
            [
              [400, 0.2],
              [3000, 0.1],
            ],
            300,
            rate,
          ),
        ],
        rate,
      )[middle]!;
      expect(apart(usual!, other!)).toBeLessThan(apart(usual!, different) / 6);
      expect(Math.abs(usual!.level - other!.level)).toBeLessThan(0.5);
    },
  );

  it.each([
    [22_050, 5512],
    [24_000, 6000],
    [32_000, 6000],
    [44_100, 5512],
    [48_000, 6000],
  ])('hears the same of %i Hz where it is told that there is nothing above %i', (rate, belowHz) => {
    const sound = tone([...VOWEL, [3700, 0.02]], 300, rate);
    const whole = framesOf([sound], rate);
    const fewer = framesOf([sound], rate, belowHz);
    expect(fewer).toHaveLength(whole.length);
    const middle = framesIn(150);
    const different = framesOf([tone([[400, 0.2]], 300, rate)], rate)[middle]!;
    expect(apart(fewer[middle]!, whole[middle]!)).toBeLessThan(apart(different, whole[middle]!) / 20);
    expect(Math.abs(fewer[middle]!.level - whole[middle]!.level)).toBeLessThan(0.05);
  });

  it('lets nothing of what is above 6 kHz into its bands when it halves a sound', () => {
    const middle = framesIn(150);
    for (const rate of [22_050, 24_000, 44_100, 48_000]) {
      const [low, high] = [1000, rate / 2 - 2000].map(
        (hz) => framesOf([tone([[hz, 0.3]], 300, rate)], rate)[middle]!,
      );
      expect(low!.level - high!.level).toBeGreaterThan(Math.log(10 ** 2.5)); // 34 dB, less what high bands are raised by
    }
  });

  it('tells where a sound begins, to the frame, at any rate', () => {
    for (const rate of [8000, 22_050, 48_000]) {
      const frames = framesOf([new Float32Array(rate / 5), tone(VOWEL, 200, rate)], rate);
      const rise = frames.findIndex(({ level }) => level > frames[framesIn(300)]!.level - 3);
      expect(Math.abs(rise * FRAME_MS - 200)).toBeLessThanOrEqual(10);
    }
  });

  it('measures the level as energy: ten times the amplitude are 4.6 nats, silence is the least of all', () => {
    const middle = framesIn(100);
    const loud = framesOf([tone([[1000, 0.5]], 200, 16_000)], 16_000)[middle]!;
    const soft = framesOf([tone([[1000, 0.05]], 200, 16_000)], 16_000)[middle]!;
    expect(loud.level - soft.level).toBeCloseTo(Math.log(100), 1);
    const silence = framesOf([new Float32Array(3200)], 16_000)[middle]!;
    expect(silence.level).toBeLessThan(soft.level - 5);
    expect(silence.cepstra.slice(1).every((value) => Math.abs(value) < 1e-4)).toBe(true);
  });

  it('does not depend on how the samples are cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom([8000, 4000], [22_050, 11_025], [24_000, 6375], [44_100, 6202], [48_000, 6750]),
        fc.array(fc.nat(3000), { minLength: 1, maxLength: 12 }),
        ([rate, belowHz], cuts) => {
          const sound = tone(VOWEL, 250, rate!);
          const pieces: Float32Array[] = [];
          let from = 0;
          for (const cut of cuts) {
            pieces.push(sound.subarray(from, from + cut));
            from = Math.min(sound.length, from + cut);
          }
          expect(framesOf([...pieces, sound.subarray(from)], rate!, belowHz)).toEqual(
            framesOf([sound], rate!, belowHz),
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});
