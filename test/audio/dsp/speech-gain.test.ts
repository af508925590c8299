// Gain that moves smoothly and never clips.
import { describe, expect, it } from 'vitest';
import { SpeechGain } from '../../../src/audio/dsp/speech-gain.ts';

const RATE = 24_000;
const apply = (gain: SpeechGain, samples: Float32Array) => gain.over({ samples, sampleRate: RATE }).samples;
const sine = (amplitude: number, ms = 1_000) =>
  Float32Array.from(
    { length: (RATE * ms) / 1000 },
    (_, i) => amplitude * Math.sin((2 * Math.PI * 440 * i) / RATE),
  );
const most = (samples: Float32Array) => samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);

describe('the gain of speech', () => {
  it('is there at once where a stream begins, and off again', () => {
    const gain = new SpeechGain();
    expect(gain.isOn()).toBe(false);
    gain.set(6);
    expect(gain.db()).toBeCloseTo(6, 6);
    const sound = sine(0.1);
    const made = apply(gain, sound);
    for (let i = 0; i < sound.length; i += 100) expect(made[i]).toBeCloseTo(sound[i]! * 10 ** (6 / 20), 5);
    gain.begin();
    expect(gain.isOn()).toBe(false);
  });
  it('moves without a step while there is sound, the same in any pieces', () => {
    const [whole, pieces] = [new SpeechGain(), new SpeechGain()];
    const flat = new Float32Array(RATE).fill(0.1);
    for (const gain of [whole, pieces]) {
      apply(gain, flat.subarray(0, 1));
      gain.set(-9);
    }
    const made = apply(whole, flat).slice();
    for (let i = 1; i < made.length; i += 1) expect(Math.abs(made[i]! - made[i - 1]!)).toBeLessThan(0.0002);
    expect(made.at(-1)).toBeCloseTo(0.1 * 10 ** (-9 / 20), 4);
    const parts: number[] = [];
    for (let at = 0; at < flat.length; at += 576) parts.push(...apply(pieces, flat.subarray(at, at + 576)));
    expect(Math.max(...parts.map((sample, i) => Math.abs(sample - made[i]!)))).toBeLessThan(2e-5);
  });
  it('never clips: what would is turned down, and comes back', () => {
    const gain = new SpeechGain();
    gain.set(12);
    expect(most(apply(gain, sine(0.9)))).toBeLessThan(1);
    apply(gain, sine(0.01, 600));
    expect(most(apply(gain, sine(0.1, 100)))).toBeCloseTo(0.1 * 10 ** (12 / 20), 2);
  });
});
