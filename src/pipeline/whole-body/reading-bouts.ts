// A body is read in bouts while its listener has plenty to hear: a piece of a tenth of a second costs its reader as much as
// half a second of speech does.

/** So much the listener has left at the end of a rest: what was to come is decoded, and its words are found, in good time. */
const KEPT_MS = 500;
/** What has gathered is read so long before its lack would be held to be a stall. */
const SHOWN_MS = 50;
/** Less is not worth a timer. */
const SHORTEST_MS = 120;
const LONGEST_MS = 600;

/**
 * How long the next pieces of a body may be left to gather while so much of its audio is unheard and a stall is certain in
 * `patienceMs`; 0: it is read as it comes.
 */
export function boutRestMs(remainingMs: number, patienceMs: number): number {
  const spareMs = Math.min(remainingMs - KEPT_MS, patienceMs - SHOWN_MS, LONGEST_MS);
  return spareMs < SHORTEST_MS ? 0 : spareMs;
}
