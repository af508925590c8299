// Collects the frames of a sound as they come, in memory that grows by doubling, so that all can be read again.

import { CEPSTRA, createFeatureExtractor, type FeatureFrame } from './speech-features.ts';

export type FeatureStore = {
  readonly add: (frame: FeatureFrame) => void;
  frames(): number;
  /** Frame `at`, valid until the next call. */
  frame(at: number): FeatureFrame;
  /** All frames so far, without copying; valid until the next `add`. */
  track(): { readonly cepstra: Float32Array; readonly levels: Float32Array };
};

export function createFeatureStore(): FeatureStore {
  let cepstra = new Float32Array(256 * CEPSTRA);
  let levels = new Float32Array(256);
  let frames = 0;
  return {
    add(frame) {
      if (frames === levels.length) {
        const [olderCepstra, olderLevels] = [cepstra, levels];
        cepstra = new Float32Array(2 * olderCepstra.length);
        cepstra.set(olderCepstra);
        levels = new Float32Array(2 * olderLevels.length);
        levels.set(olderLevels);
      }
      cepstra.set(frame.cepstra, frames * CEPSTRA);
      levels[frames] = frame.level;
      frames += 1;
    },
    frames: () => frames,
    frame: (at) => ({
      cepstra: cepstra.subarray(at * CEPSTRA, (at + 1) * CEPSTRA),
      level: levels[at]!,
    }),
    track: () => ({ cepstra: cepstra.subarray(0, frames * CEPSTRA), levels: levels.subarray(0, frames) }),
  };
}

/** The frames of a whole sound in samples of `sampleRate` Hz, which is empty above `belowHz`. */
export function featureTrack(
  samples: Float32Array,
  sampleRate: number,
  belowHz?: number,
): ReturnType<FeatureStore['track']> {
  const store = createFeatureStore();
  const extractor = createFeatureExtractor(sampleRate, store.add, belowHz);
  extractor.push(samples);
  extractor.flush();
  return store.track();
}
