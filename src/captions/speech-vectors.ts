// What two frames of speech are compared by: their cepstra less the mean of the voice, and how these change.

import { CEPSTRA } from './speech-features.ts';

export const DIMENSIONS = 2 * CEPSTRA;
/** Frames on either side that a slope is fitted over. */
export const SLOPE_FRAMES = 2;
/** Loudness differs between voices more than anything else does, so it tells less. */
const LOUDNESS_WEIGHT = 0.6;
/** A slope is the sum of k (c[t+k] − c[t−k]) over 10, the least-squares one over five frames; and it counts twice. */
const SLOPE_SCALE = 2 / 10;

/**
 * Writes the features of frame `at` of `cepstra`, `frames` frames of `CEPSTRA` values, to `into` at `offset`. The slope
 * is taken as if the first and the last frame went on for ever.
 */
export function writeFeatures(
  cepstra: Float32Array,
  frames: number,
  at: number,
  mean: Float32Array,
  into: Float32Array,
  offset: number,
): void {
  const last = frames - 1;
  const own = at * CEPSTRA;
  const before1 = Math.max(at - 1, 0) * CEPSTRA;
  const before2 = Math.max(at - 2, 0) * CEPSTRA;
  const after1 = Math.min(at + 1, last) * CEPSTRA;
  const after2 = Math.min(at + 2, last) * CEPSTRA;
  for (let c = 0; c < CEPSTRA; c += 1) {
    const weight = c === 0 ? LOUDNESS_WEIGHT : 1;
    into[offset + c] = (cepstra[own + c]! - mean[c]!) * weight;
    const slope =
      cepstra[after1 + c]! - cepstra[before1 + c]! + 2 * (cepstra[after2 + c]! - cepstra[before2 + c]!);
    into[offset + CEPSTRA + c] = slope * weight * SLOPE_SCALE;
  }
}
