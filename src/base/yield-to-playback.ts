// For threads that work while others play: Linux gives each thread a niceness of its own, and tells a thread its
// number; elsewhere all stay equal.

import { setPriority } from 'node:os';
import { ownThread } from './thread-time.ts';

/** Of work that runs beside phone calls, in threads and in programs that are started. */
export const BACKGROUND_NICENESS = 5;

/** Of work that may be late, or left out, when there is hardly anything left over. */
export const SPARE_TIME_NICENESS = 15;

/** Makes the calling thread nicer than the one that started it. */
export function yieldToPlayback(niceness: number = BACKGROUND_NICENESS): void {
  try {
    const thread = ownThread();
    if (thread !== undefined) setPriority(thread, niceness);
  } catch {
    // It only helps.
  }
}
