// What a body of speech may do before it is held to be broken: how long it may be silent, how long it may last, how
// short it may be. Pure judgements; who acts on them is whole-body.ts.

/** A stall is certain after this, whatever the listener still has. */
const LONGEST_STALL_MS = 2000;
const SHORTEST_STALL_MS = 500;
/** What must be left to the listener when a stall is certain: about a first byte. */
const RESERVE_MS = 300;

/** From here on patience grows no more. */
const MOST_PATIENT = 2;

/**
 * How long no audio may come while some is wanted: not longer than the listener has audio for, and never shorter than
 * half a second. Each stall of a request makes it more patient, so that an upstream which pauses to think is not asked
 * again and again for what it would have said: up to 8 s from the third body on. Before the first audio only the
 * longest counts.
 */
export function stallLimitMs(remainingMs: number, stalls: number, audioMs: number): number {
  const patience = Math.min(stalls, MOST_PATIENT);
  const shortest = SHORTEST_STALL_MS * 4 ** patience;
  const longest = LONGEST_STALL_MS * 2 ** patience;
  return audioMs === 0 ? longest : Math.min(longest, Math.max(shortest, remainingMs - RESERVE_MS));
}

const SHORT_TEXT_MS = 30_000;
const LONGEST_REQUEST_MS = 20 * 60_000;
/** So many times longer than the slowest speaker nobody speaks. */
const TOO_SLOW = 4;

/**
 * Audio beyond this is no speech of `characters` letters, spoken by the slowest at `slowestPerSecond`. A text that
 * rightly takes more than twenty minutes may take half as long again, and no more.
 */
export function longestAudioMs(characters: number, slowestPerSecond: number): number {
  const expectedMs = (characters * 1000) / slowestPerSecond;
  const ceilingMs = Math.max(LONGEST_REQUEST_MS, 1.5 * expectedMs);
  return Math.min(ceilingMs, Math.max(SHORT_TEXT_MS, TOO_SLOW * expectedMs));
}

/** Why a body that ended cleanly may not be all of its speech. */
export type Doubt = 'cut-frame' | 'frames-missing' | 'too-short';

export type CleanEnd = {
  /** Bytes of a frame that is not whole. */
  readonly cutFrameBytes: number;
  /** Audio that the stream's own tag promised and that did not come, and the longest that the text can take. */
  readonly missingMs: number;
  readonly longestMs: number;
  readonly audioMs: number;
  readonly characters: number;
  readonly charactersPerSecond: number;
};

/** Shorter texts say nothing about a pace. */
const LEAST_CHARACTERS = 20;
/** Less than this share of what the pace promises is not believed. */
const LEAST_SHARE = 0.5;

/** What speaks against the end of a body, the surest sign first; undefined when nothing does. */
export function doubtOf(end: CleanEnd): Doubt | undefined {
  if (end.cutFrameBytes > 0) return 'cut-frame';
  // A promise of more than any speech of the text was written before there was any.
  const isBelieved = end.audioMs + end.missingMs <= end.longestMs;
  if (end.missingMs > 0 && isBelieved) return 'frames-missing';
  if (end.characters < LEAST_CHARACTERS) return undefined;
  const promisedMs = (end.characters * 1000) / end.charactersPerSecond;
  return end.audioMs < LEAST_SHARE * promisedMs ? 'too-short' : undefined;
}
