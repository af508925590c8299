// A body is read in bouts while its listener has plenty to hear. Each look at a socket costs a hundred microseconds of
// HTTP client, promises and parser, whether it brings a tenth of a second of speech or half of one.

/** So much the listener has left when it is time to look again: what is broken by then can be mended before he hears of it. */
const KEPT_MS = 800;
/** What was on its way gets so long to arrive before its lack is held to be a stall: no less than the shortest of them. */
const ARRIVAL_MS = 500;
/** Less is not worth a timer. */
const SHORTEST_MS = 120;
/** Longer, and a service would keep a place for a body that it has sent. */
const LONGEST_MS = 600;

/**
 * How long a body may be left alone while so much of its audio is unheard and a stall is certain in `patienceMs`; 0: it is
 * read as it comes.
 */
export function boutRestMs(remainingMs: number, patienceMs: number): number {
  const spareMs = Math.min(remainingMs - KEPT_MS, patienceMs - ARRIVAL_MS, LONGEST_MS);
  return spareMs < SHORTEST_MS ? 0 : spareMs;
}
