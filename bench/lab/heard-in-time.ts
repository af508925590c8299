// What was heard of one turn where nobody but the sender keeps the time: frames of silence in the middle of the speech, and
// how far its last frame was from its moment. The speech itself has no frame that is all zero.

import type { HeardBlock } from '../../testkit/carriers/carrier-playout.ts';

export type HeardInTime = {
  /** Frames in which nothing was said between the first sound and the last: sent as silence, or not sent. */
  readonly silentFrames: number;
  /** Later than an even sequence from the first sound on would have had it; negative: earlier. */
  readonly driftMs: number;
};

const isSilent = ({ bytes }: HeardBlock) => bytes.every((byte) => byte === 0);

/** `heard` in order, of `frameMs` each. */
export function heardInTime(heard: readonly HeardBlock[], frameMs: number): HeardInTime {
  const first = heard.findIndex((block) => !isSilent(block));
  if (first < 0) return { silentFrames: 0, driftMs: 0 };
  const speech = heard.slice(first, heard.findLastIndex((block) => !isSilent(block)) + 1);
  const sounds = speech.filter((block) => !isSilent(block)).length;
  const lastsMs = speech.at(-1)!.atMs - speech[0]!.atMs;
  const missed = Math.max(0, Math.round(lastsMs / frameMs) + 1 - speech.length);
  return {
    silentFrames: speech.length - sounds + missed,
    driftMs: lastsMs - (sounds - 1) * frameMs,
  };
}
