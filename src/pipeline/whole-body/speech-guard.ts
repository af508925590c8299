// What a body of speech may do before it is held to be broken: how long it may be silent, and how long it may last. Pure;
// who acts on it is whole-body.ts.

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
