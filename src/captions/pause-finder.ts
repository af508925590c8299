// Where a sound is silent, found as it arrives: what lies far enough under the loudest part so far, for long enough.

/** Below the loudest so far by this much, in nats of energy, nobody speaks. */
const DEPTH = 6;
/** Nobody speaks below this level, however quiet the rest is. */
const QUIETEST_LEVEL = -8;
/** A stop consonant is silent for as long as this, too. */
export const SHORTEST_PAUSE_FRAMES = 9;
/** What sounds for less is a click in a pause, or in a silence before the speech. */
const SHORTEST_SPEECH_FRAMES = 3;

/** Frames from `from` up to `to`, which is the first that sounds. */
export type Pause = { readonly from: number; readonly to: number };

export type PauseFinder = {
  /** Level of the next frame, natural logarithm of energy; anything that is no number is silence. */
  push(level: number): void;
  /** Frames so far. */
  readonly frames: number;
  /** Where the silence that still lasts began, however short it is; undefined while there is speech. */
  readonly silentFrom: number | undefined;
};

/** `onPause` gets every pause once speech has followed it; a silence at the very beginning is one, however short. */
export function createPauseFinder(onPause: (pause: Pause) => void): PauseFinder {
  let loudest = QUIETEST_LEVEL + DEPTH;
  let frames = 0;
  /** The level two frames and one frame ago: a single loud frame is a click, not the loudest speech. */
  let before2 = Number.NEGATIVE_INFINITY;
  let before1 = Number.NEGATIVE_INFINITY;
  let silentFrom: number | undefined = 0;
  let sounding = 0;

  return {
    push(level) {
      const own = Number.isFinite(level) ? level : Number.NEGATIVE_INFINITY;
      loudest = Math.max(loudest, Math.min(own, before1, before2));
      before2 = before1;
      before1 = own;
      const isSilent = own < loudest - DEPTH;
      frames += 1;
      if (isSilent) {
        silentFrom ??= frames - 1;
        sounding = 0;
        return;
      }
      if (silentFrom === undefined) return;
      sounding += 1;
      if (sounding < SHORTEST_SPEECH_FRAMES) return;
      const to = frames - SHORTEST_SPEECH_FRAMES;
      if (silentFrom === 0 || to - silentFrom >= SHORTEST_PAUSE_FRAMES) onPause({ from: silentFrom, to });
      silentFrom = undefined;
      sounding = 0;
    },
    get frames() {
      return frames;
    },
    get silentFrom() {
      return silentFrom;
    },
  };
}
