// When a body of speech is taken for broken: how long it may bring no audio, and how long it may last. Pure; whole-body.ts
// acts on it.

/** A stall is certain after this, whatever the listener still has. */
const MAX_STALL_MS = 2000;
const MIN_STALL_MS = 500;
/** Audio that the listener must have left when a stall is certain: about the time to a first byte. */
const RESERVE_MS = 300;

/** More stalls than this add no further patience. */
const MAX_PATIENT_STALLS = 2;

/**
 * How long no audio may come while some is wanted: no longer than the listener has audio for, and at least half a second.
 * Each stall of a request makes it more patient, so that an upstream which pauses to think is not asked again and again for
 * what it would have said: up to 8 s from the third body on. Before the first audio only the longest applies.
 */
export function stallLimitMs(remainingMs: number, stalls: number, audioMs: number): number {
  const patience = Math.min(stalls, MAX_PATIENT_STALLS);
  const shortest = MIN_STALL_MS * 4 ** patience;
  const longest = MAX_STALL_MS * 2 ** patience;
  return audioMs === 0 ? longest : Math.min(longest, Math.max(shortest, remainingMs - RESERVE_MS));
}

const SHORT_TEXT_MS = 30_000;
const MAX_REQUEST_MS = 20 * 60_000;
/** No speaker is this many times slower than the slowest known one. */
const TOO_SLOW = 4;

/**
 * Longer audio is no speech of `characters` letters, the slowest speaker saying `slowestPerSecond`. A text that is expected
 * to take more than twenty minutes may take at most half as long again.
 */
export function longestAudioMs(characters: number, slowestPerSecond: number): number {
  const expectedMs = (characters * 1000) / slowestPerSecond;
  const ceilingMs = Math.max(MAX_REQUEST_MS, 1.5 * expectedMs);
  return Math.min(ceilingMs, Math.max(SHORT_TEXT_MS, TOO_SLOW * expectedMs));
}
