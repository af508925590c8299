// Between a socket that pushes and a reader that pulls: bounded by holding the socket back, and watching for a stall
// only while the reader waits. Not a Readable: that costs several times as much per chunk and has no stall deadline.

import type { Clock } from '../base/clock.ts';

/** The socket is held back above this, and let go on below half of it: 4 s of speech at 128 kbit/s. */
const HELD_BYTES = 64 * 1024;

export type BodySource = {
  pause(): void;
  resume(): void;
  /** The reader left before the end. */
  abandon(): void;
  /** The reader has waited `stallMs` for a chunk: the source answers by `fail`. */
  stalled(): void;
};

export type BodyQueue = {
  push(chunk: Uint8Array): void;
  end(): void;
  /** What has arrived is still read, then the reader meets `error`; a cancelled turn reads nothing more. */
  fail(error: Error): void;
  /** Read once, by one reader, one chunk at a time. */
  readonly chunks: AsyncIterable<Uint8Array>;
};

type Outcome = { readonly error: Error } | 'ended' | undefined;
type Reader = {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: Error) => void;
};

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

export function createBodyQueue(
  source: BodySource,
  { clock, stallMs, signal }: { clock: Clock; stallMs: number; signal: AbortSignal },
): BodyQueue {
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  let paused = false;
  let outcome: Outcome;
  /** The reader has met the end: as with a generator, an error is met once, and then there is nothing more. */
  let over = false;
  let reader: Reader | undefined;
  let waitingSince = 0;
  let stopWatching: (() => void) | undefined;

  // One timer looks at the latest wait instead of one being set and cleared for every chunk.
  const watch = (delayMs: number) => {
    stopWatching ??= clock.after(delayMs, () => {
      stopWatching = undefined;
      if (reader === undefined) return;
      const leftMs = waitingSince + stallMs - clock.now();
      if (leftMs > 0) watch(leftMs);
      else source.stalled();
    });
  };
  const close = (how: Exclude<Outcome, undefined>) => {
    if (outcome !== undefined) return;
    outcome = how;
    stopWatching?.();
    const waiting = reader;
    reader = undefined;
    if (waiting === undefined) return;
    over = true;
    if (how === 'ended') waiting.resolve(DONE);
    else waiting.reject(how.error);
  };
  const take = (): Uint8Array | undefined => {
    const chunk = held.shift();
    if (chunk === undefined) return undefined;
    heldBytes -= chunk.length;
    if (paused && outcome === undefined && heldBytes <= HELD_BYTES / 2) {
      paused = false;
      source.resume();
    }
    return chunk;
  };

  const leave = (error: Error): Promise<never> => {
    over = true;
    held.length = 0;
    return Promise.reject(error);
  };

  const iterator: AsyncIterator<Uint8Array, undefined> = {
    next() {
      if (over) return Promise.resolve(DONE);
      if (signal.aborted) return leave(signal.reason as Error);
      if (reader !== undefined)
        return Promise.reject(new Error('a body has one reader, one chunk at a time'));
      const chunk = take();
      if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
      if (outcome === 'ended') return Promise.resolve(DONE);
      if (outcome !== undefined) return leave(outcome.error);
      return new Promise((resolve, reject) => {
        reader = { resolve, reject };
        waitingSince = clock.now();
        watch(stallMs);
      });
    },
    return() {
      over = true;
      held.length = 0;
      if (outcome === undefined) {
        close('ended');
        source.abandon();
      }
      return Promise.resolve(DONE);
    },
  };

  return {
    push(chunk) {
      if (outcome !== undefined) return;
      if (reader !== undefined) {
        const waiting = reader;
        reader = undefined;
        waiting.resolve({ done: false, value: chunk });
        return;
      }
      held.push(chunk);
      heldBytes += chunk.length;
      if (!paused && heldBytes >= HELD_BYTES) {
        paused = true;
        source.pause();
      }
    },
    end: () => close('ended'),
    fail: (error) => close({ error }),
    chunks: { [Symbol.asyncIterator]: () => iterator },
  };
}
