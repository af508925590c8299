// How silent a frame is, for a voice whose loudness and whose noise are not known beforehand.

import { framesIn } from './speech-features.ts';

export type SilenceGauge = {
  /** Takes the level of the next frame, as `FeatureFrame` has it. */
  hear(level: number): void;
  /** Nats of energy by which a level is above what counts as silence; 0 for silence. */
  above(level: number): number;
};

/** Loudest frame of a voice that has not spoken yet; of samples in ±1, quieter than speech ever is sent. */
const QUIET_VOICE_LEVEL = -2;
/** Silence is at least so far below the loudest frame, 22 dB, and at most so far, 35 dB. */
const MIN_DEPTH = 5;
const MAX_DEPTH = 8;
/** What is at most so far above the noise is silence as well. */
const NOISE_SPREAD = 1.5;
/** The noise is the quietest frame of the last one to two such windows. */
const NOISE_WINDOW_FRAMES = framesIn(2000);

export function createSilenceGauge(): SilenceGauge {
  let loudest = QUIET_VOICE_LEVEL;
  /** What seems to be noise in speech that began without a silent frame is bounded by the least depth. */
  let settledNoise = Number.POSITIVE_INFINITY;
  let noise = Number.POSITIVE_INFINITY;
  let heard = 0;
  let silent = loudest - MAX_DEPTH;
  return {
    hear(level) {
      if (level > loudest) loudest = level;
      if (level < noise) noise = level;
      heard += 1;
      if (heard % NOISE_WINDOW_FRAMES === 0) {
        settledNoise = noise;
        noise = level;
      }
      const overNoise = Math.min(noise, settledNoise) + NOISE_SPREAD;
      silent = Math.min(Math.max(overNoise, loudest - MAX_DEPTH), loudest - MIN_DEPTH);
    },
    above: (level) => Math.max(0, level - silent),
  };
}
