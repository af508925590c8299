import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProsody } from '../../src/engine/prosody.ts';
import { VOICES } from '../../src/engine/voices.ts';

const voice = VOICES[0]!;
const plain = { voice, speed: 1, seed: 7, temperature: 1 };
const many = (seed: number, temperature = 1) =>
  Array.from({ length: 20 }, (_, index) => createProsody({ ...plain, seed, temperature }, index, 'sentence'));

describe('createProsody', () => {
  it('is a function of its arguments', () => {
    expect(many(7)).toEqual(many(7));
    expect(many(7)).not.toEqual(many(8));
  });

  it('gives neighbouring seeds prosody that is several percent apart', () => {
    const apart = (a: number, b: number) => {
      const [left, right] = [many(a), many(b)];
      const pitch =
        left.reduce((sum, one, i) => sum + Math.abs(one.pitch - right[i]!.pitch), 0) / left.length;
      const rate =
        left.reduce((sum, one, i) => sum + Math.abs(one.rate / right[i]!.rate - 1), 0) / left.length;
      return { pitch, rate };
    };
    for (const [a, b] of [
      [0, 1],
      [1, 2],
      [7, 4_294_967_295],
    ] as const) {
      expect(apart(a, b).pitch).toBeGreaterThan(2);
      expect(apart(a, b).rate).toBeGreaterThan(0.02);
    }
  });

  it('varies from sentence to sentence, the more the higher the temperature, and not at all at 0', () => {
    const spread = (temperature: number) => new Set(many(7, temperature).map((one) => one.pitch)).size;
    expect(spread(0)).toBe(1);
    expect(many(7, 0)).toEqual(many(8, 0));
    expect(spread(1)).toBeGreaterThan(spread(0.2));
    const widest = (temperature: number) =>
      Math.max(...many(7, temperature).map((o) => Math.abs(o.pitch - voice.pitch)));
    expect(widest(2)).toBeGreaterThan(widest(1));
  });

  it('speaks at the rate asked for, and leaves to stretching what the engine has no good rate for', () => {
    const at = (speed: number) => createProsody({ ...plain, speed, temperature: 0 }, 0, 'none');
    expect([0.1, 0.5, 0.6, 1, 1.4, 2, 5].map((speed) => at(speed).rate)).toEqual([
      100, 100, 105, 175, 245, 250, 250,
    ]);
    expect([0.6, 1, 1.4].map((speed) => at(speed).stretch)).toEqual([1, 1, 1]);
    for (const speed of [0.1, 0.5, 2, 5]) {
      const { rate, stretch } = at(speed);
      expect((rate * stretch) / 175).toBeCloseTo(speed, 9);
    }
  });

  it('pauses longer between paragraphs than speakers than sentences, never before the first, less when fast', () => {
    const pauseOf = (pause: 'none' | 'sentence' | 'speaker' | 'paragraph', speed = 1) =>
      createProsody({ ...plain, speed, temperature: 0 }, 3, pause).pauseMs;
    expect([pauseOf('none'), pauseOf('sentence'), pauseOf('speaker'), pauseOf('paragraph')]).toEqual([
      0, 200, 300, 400,
    ]);
    expect([0.1, 2, 5].map((speed) => pauseOf('sentence', speed))).toEqual([2000, 100, 40]);
  });

  it('stays inside what the engine takes, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...VOICES),
        fc.double({ min: 0.1, max: 5, noNaN: true }),
        fc.nat(4_294_967_295),
        fc.double({ min: 0, max: 2, noNaN: true }),
        fc.nat(5000),
        (anyVoice, speed, seed, temperature, sentence) => {
          const made = createProsody({ voice: anyVoice, speed, seed, temperature }, sentence, 'paragraph');
          const { stretch, ...whole } = made;
          expect(Object.values(whole).every(Number.isInteger)).toBe(true);
          expect(made.rate).toBeGreaterThanOrEqual(80);
          expect(made.rate).toBeLessThanOrEqual(450);
          expect(stretch).toBeGreaterThan(0.1);
          expect(stretch).toBeLessThan(5);
          for (const value of [made.pitch, made.range]) {
            expect(value).toBeGreaterThanOrEqual(0);
            expect(value).toBeLessThanOrEqual(99);
          }
          expect(made.pauseMs).toBeGreaterThanOrEqual(0);
          expect(made.pauseMs * speed).toBeLessThan(600);
        },
      ),
    );
  });
});
