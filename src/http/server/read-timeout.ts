// A reply that is not read any more would hold its request at the speech service for ever: backpressure has no time limit
// of its own.

import type { Clock } from '../../base/clock.ts';

/** `chunks` as they are taken; `onStall` when the next one has not been asked for within `withinMs`. */
export async function* withReadTimeout(
  chunks: AsyncIterable<Uint8Array>,
  withinMs: number,
  clock: Clock,
  onStall: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    const disarm = clock.after(withinMs, onStall);
    try {
      yield chunk;
    } finally {
      disarm();
    }
  }
}
