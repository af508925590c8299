// Tones and what is left of them: the measuring instruments of the audio tests.
import type { Stage } from '../../src/audio/stage.ts';

export const tone = (hz: number, sampleRate: number, length: number, amplitude = 1): Float32Array =>
  Float32Array.from({ length }, (_, i) => amplitude * Math.sin((2 * Math.PI * hz * i) / sampleRate));

export const decibels = (ratio: number): number => 20 * Math.log10(Math.max(ratio, 1e-12));

/** Level against a full-scale sine, in dB. */
export function levelDb(samples: Float32Array): number {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return decibels(Math.sqrt(2 * power));
}

/** Signal to everything else, in dB: the least-squares sine and offset of a known frequency against the rest. */
export function toneSnrDb(samples: Float32Array, hz: number, sampleRate: number): number {
  const whole = samples.length - (samples.length % (sampleRate / greatestCommonDivisor(hz, sampleRate)));
  let inPhase = 0;
  let quadrature = 0;
  let offset = 0;
  const angle = (i: number) => (2 * Math.PI * hz * i) / sampleRate;
  for (let i = 0; i < whole; i++) {
    inPhase += (2 / whole) * samples[i]! * Math.sin(angle(i));
    quadrature += (2 / whole) * samples[i]! * Math.cos(angle(i));
    offset += samples[i]! / whole;
  }
  let rest = 0;
  for (let i = 0; i < whole; i++)
    rest +=
      (samples[i]! - inPhase * Math.sin(angle(i)) - quadrature * Math.cos(angle(i)) - offset) ** 2 / whole;
  return decibels(Math.hypot(inPhase, quadrature) / Math.sqrt(2) / Math.sqrt(rest));
}

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);

/** Pushes `samples` in chunks whose lengths repeat `sizes`, then flushes. */
export function pushInChunks(
  stage: Stage<Float32Array>,
  samples: Float32Array,
  sizes: readonly number[],
): void {
  for (let at = 0, turn = 0; at < samples.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    stage.push(samples.slice(at, at + size));
    at += size;
  }
  stage.flush();
}

/** Deterministic noise in −1…1 (xorshift32). */
export function noise(length: number, seed = 1): Float32Array {
  let state = seed | 1;
  return Float32Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 2 ** 31;
  });
}
