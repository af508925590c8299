// How much audio is worth a message to the thread that times words: little while the next word is close behind, half a
// second of speech that comes much faster than it is played.

const GATHERED_PART = 1 / 4;
const LEAST_MS = 50;
const MOST_MS = 500;

/** `aheadMs`: what has come of a request beyond what can have been played of it. */
export const gatherMs = (aheadMs: number): number =>
  Math.min(Math.max(aheadMs * GATHERED_PART, LEAST_MS), MOST_MS);
