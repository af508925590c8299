// Where a sound is silent for long enough to be a pause, found as it arrives.

import { createSilenceGauge } from './silence-gauge.ts';
import { framesIn } from './speech-features.ts';

/** A stop consonant is silent for as long as this, too. */
export const MIN_PAUSE_FRAMES = framesIn(90);
/** What sounds for less is a click in a pause, or in a silence before the speech. */
const MIN_SPEECH_FRAMES = framesIn(30);

/** Frames from `from` up to `to`, which is the first that sounds. */
export type Pause = { readonly from: number; readonly to: number };

export type PauseFinder = {
  /** Level of the next frame, natural logarithm of energy; anything that is no number is silence. */
  push(level: number): void;
  /** Frames so far. */
  frames(): number;
  /** Where the silence that still lasts began, however short it is; undefined while there is speech. */
  silentFrom(): number | undefined;
};

/** `onPause` gets every pause once speech has followed it; a silence at the very beginning is one, however short. */
export function createPauseFinder(onPause: (pause: Pause) => void): PauseFinder {
  const gauge = createSilenceGauge();
  let frames = 0;
  let silentFrom: number | undefined = 0;
  let sounding = 0;

  return {
    push(level) {
      const isNumber = Number.isFinite(level);
      if (isNumber) gauge.hear(level);
      const isSilent = !isNumber || gauge.above(level) === 0;
      frames += 1;
      if (isSilent) {
        silentFrom ??= frames - 1;
        sounding = 0;
        return;
      }
      if (silentFrom === undefined) return;
      sounding += 1;
      if (sounding < MIN_SPEECH_FRAMES) return;
      const to = frames - MIN_SPEECH_FRAMES;
      if (silentFrom === 0 || to - silentFrom >= MIN_PAUSE_FRAMES) onPause({ from: silentFrom, to });
      silentFrom = undefined;
      sounding = 0;
    },
    frames: () => frames,
    silentFrom: () => silentFrom,
  };
}
