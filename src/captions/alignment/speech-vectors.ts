// What two frames of speech are compared by: their cepstra less the mean of the voice, and how these change.

import { CEPSTRA } from './speech-features.ts';

export const DIMENSIONS = 2 * CEPSTRA;
/** Frames on either side that a slope is fitted over. */
export const SLOPE_FRAMES = 1;
/** Loudness differs between voices more than anything else does, so it tells less. */
const LOUDNESS_WEIGHT = 0.6;
/** Of the difference of the two neighbours: half of it is the slope over a frame. */
const SLOPE_SCALE = 0.5;

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
  const before = Math.max(at - 1, 0) * CEPSTRA;
  const after = Math.min(at + 1, last) * CEPSTRA;
  for (let c = 0; c < CEPSTRA; c += 1) {
    const weight = c === 0 ? LOUDNESS_WEIGHT : 1;
    into[offset + c] = (cepstra[own + c]! - mean[c]!) * weight;
    const slope = cepstra[after + c]! - cepstra[before + c]!;
    into[offset + CEPSTRA + c] = slope * weight * SLOPE_SCALE;
  }
}
