// For threads that work while others play: Linux gives each thread a niceness of its own, and tells a thread its
// number; elsewhere all stay equal.

import { setPriority } from 'node:os';
import { ownThread } from './thread-time.ts';

/** Of work that runs beside phone calls, in threads and in programs that are started. */
export const BACKGROUND_NICENESS = 5;

/** Makes the calling thread nicer than the one that started it. */
export function yieldToPlayback(): void {
  try {
    const thread = ownThread();
    if (thread !== undefined) setPriority(thread, BACKGROUND_NICENESS);
  } catch {
    // It only helps.
  }
}
