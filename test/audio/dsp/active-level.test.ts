// The active level in blocks against what ITU-T P.56 says of signals whose level and activity are known, and against the same
// sample by sample for real speech.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ActiveLevelMeter } from '../../../src/audio/dsp/active-level.ts';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import { decodedMp3 } from '../../support/decoded-mp3.ts';
import { activeLevel } from '../../support/p56.ts';

const measured = (samples: Float32Array, rate: number, piece = samples.length) => {
  const meter = new ActiveLevelMeter();
  for (let at = 0; at < samples.length; at += piece) meter.push(samples.subarray(at, at + piece), rate);
  return meter.tally.active();
};
const sine = (rate: number, seconds: number, amplitude: number) =>
  Float32Array.from(
    { length: rate * seconds },
    (_, i) => amplitude * Math.sin((2 * Math.PI * 1000 * i) / rate),
  );
/** Noise of a level for a second, and silence for a second, many times. */
const bursts = (rate: number, times: number, level: number) => {
  const random = seededNumbers(5, 0);
  return Float32Array.from({ length: 2 * times * rate }, (_, i) =>
    Math.floor(i / rate) % 2 === 0 ? level * Math.sqrt(3) * (2 * random() - 1) : 0,
  );
};

describe('the active level', () => {
  it.each([8_000, 24_000, 44_100])('of a tone is its level, all of the time, at %i Hz', (rate) => {
    for (const amplitude of [1, 0.3, 0.01]) {
      const { levelDb, activeMs } = measured(sine(rate, 10, amplitude), rate)!;
      expect(levelDb).toBeCloseTo(20 * Math.log10(amplitude / Math.SQRT2), 1);
      expect(activeMs / 10_000).toBeCloseTo(1, 1);
    }
  });
  it('leaves pauses out, all but 200 ms and the envelope behind each', () => {
    const { levelDb, activeMs } = measured(bursts(8_000, 30, 0.1), 8_000)!;
    // A second of every two, and the hangover: −20 dB less 10·log10(1.2 to 1.35).
    expect(levelDb).toBeLessThan(-20.7);
    expect(levelDb).toBeGreaterThan(-21.4);
    expect(activeMs / 60_000).toBeGreaterThan(0.6);
    expect(activeMs / 60_000).toBeLessThan(0.68);
  });
  it('is none of silence', () => {
    expect(measured(new Float32Array(8_000), 8_000)).toBeUndefined();
  });
  it('is the same in any pieces', () => {
    const sound = bursts(8_000, 3, 0.05);
    expect(measured(sound, 8_000, 77)).toEqual(measured(sound, 8_000));
  });
  it('is that of the recommendation, sample by sample, for speech however loud and noise', () => {
    const speech = decodedMp3(
      readFileSync(new URL('../../../fixtures/audio/lame-cbr-24k.mp3', import.meta.url)),
    );
    for (const factor of [1, 0.5, 0.13, 0.02]) {
      const sound = speech.map((sample) => factor * sample);
      expect(Math.abs(measured(sound, 24_000)!.levelDb - activeLevel(sound, 24_000).levelDb)).toBeLessThan(
        0.1,
      );
    }
    const noise = bursts(24_000, 4, 0.2);
    const { levelDb, activity } = activeLevel(noise, 24_000);
    expect(measured(noise, 24_000)!.levelDb).toBeCloseTo(levelDb, 1);
    expect(measured(noise, 24_000)!.activeMs / 8_000).toBeCloseTo(activity, 1);
  });
  it('of two sounds together is between theirs; half of what was heard weighs as half as long', () => {
    const [soft, loud] = [new ActiveLevelMeter(), new ActiveLevelMeter()];
    soft.push(sine(8_000, 4, 0.05), 8_000);
    loud.push(sine(8_000, 4, 0.2), 8_000);
    const both = soft.tally.copy();
    both.add(loud.tally);
    const { levelDb, activeMs } = both.active()!;
    expect(levelDb).toBeGreaterThan(10 * Math.log10((0.05 ** 2 + 0.2 ** 2) / 4) - 0.1);
    expect(levelDb).toBeLessThan(loud.tally.active()!.levelDb);
    both.scale(0.5);
    expect(both.active()!.levelDb).toBeCloseTo(levelDb, 6);
    expect(both.active()!.activeMs).toBeCloseTo(activeMs / 2, 6);
  });
});
