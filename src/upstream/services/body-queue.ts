// Between a socket that pushes and a reader that pulls: bounded by holding the socket back, and watching for a stall
// only while the reader waits. Not a Readable: that costs several times as much per chunk and has no stall deadline.

import type { Clock } from '../../base/clock.ts';
import type { Gathering } from '../speech-upstream.ts';

/** The socket is paused above this, and resumed below half of it: 4 s of speech at 128 kbit/s. */
const HELD_BYTES = 64 * 1024;
/**
 * Pieces that have arrived are read joined, up to this size, so that a reader does bounded work at a time. It is also the most
 * that gathers for a reader that reads in batches.
 */
const JOINED_BYTES = 16 * 1024;

export type BodySource = {
  pause(): void;
  resume(): void;
  /** The reader left before the end. */
  abandon(): void;
  /** The reader has waited `stallMs` for a chunk: the source answers by `fail`. */
  stalled(): void;
};

type Outcome = { readonly error: Error } | 'ended' | undefined;
type Reader = {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: Error) => void;
};
type Options = { readonly clock: Clock; readonly stallMs: number; readonly signal: AbortSignal };

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** A class, not closures: one object per body keeps cache misses low (decision 0041). */
export class BodyQueue implements Gathering, AsyncIterator<Uint8Array, undefined> {
  private readonly source: BodySource;
  private readonly options: Options;
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  private isPaused = false;
  private outcome: Outcome;
  /** The reader has got the end: as with a generator, an error is thrown once, then the iterator is done. */
  private isOver = false;
  private reader: Reader | undefined;
  private waitingSince = 0;
  private stopWatching: (() => void) | undefined;
  private stopResting: (() => void) | undefined;
  private isHandingOn = false;
  private lastCameMs = 0;

  /** Read once, by one reader, one chunk at a time. */
  readonly chunks: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => this };

  constructor(source: BodySource, options: Options) {
    this.source = source;
    this.options = options;
  }

  push(chunk: Uint8Array): void {
    if (this.outcome !== undefined) return;
    this.held.push(chunk);
    this.lastCameMs = this.options.clock.now();
    this.heldBytes += chunk.length;
    if (this.heldBytes >= HELD_BYTES) this.holdBack();
    if (this.heldBytes >= JOINED_BYTES) this.endRest();
    if (this.stopResting === undefined) this.handOnSoon();
  }
  end(): void {
    this.close('ended');
  }
  /** What has arrived is still read, then the reader gets `error`; a cancelled turn reads nothing more. */
  fail(error: Error): void {
    this.close({ error });
  }
  rest(ms: number): void {
    if (this.outcome !== undefined || this.stopResting !== undefined) return;
    this.stopResting = this.options.clock.after(ms, () => {
      this.stopResting = undefined;
      this.handOn();
    });
  }
  cameMs(): number {
    return this.lastCameMs;
  }
  /** Bytes that have come and were not read. */
  heldInBytes(): number {
    return this.heldBytes;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { clock, stallMs, signal } = this.options;
    if (this.isOver) return Promise.resolve(DONE);
    if (signal.aborted) return this.leave(signal.reason as Error);
    if (this.reader !== undefined)
      return Promise.reject(new Error('a body has one reader, one chunk at a time'));
    const chunk = this.take();
    if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
    if (this.outcome === 'ended') return Promise.resolve(DONE);
    if (this.outcome !== undefined) return this.leave(this.outcome.error);
    return new Promise((resolve, reject) => {
      this.reader = { resolve, reject };
      this.waitingSince = clock.now();
      this.watch(stallMs);
    });
  }
  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.isOver = true;
    this.drop();
    if (this.outcome === undefined) {
      this.close('ended');
      this.source.abandon();
    }
    return Promise.resolve(DONE);
  }

  /** One timer looks at the latest wait instead of one being set and cleared for every chunk. */
  private watch(delayMs: number): void {
    const { clock, stallMs } = this.options;
    this.stopWatching ??= clock.after(delayMs, () => {
      this.stopWatching = undefined;
      if (this.reader === undefined) return;
      const leftMs = this.waitingSince + stallMs - clock.now();
      if (leftMs > 0) this.watch(leftMs);
      else this.source.stalled();
    });
  }
  private close(how: Exclude<Outcome, undefined>): void {
    if (this.outcome !== undefined) return;
    this.outcome = how;
    this.stopWatching?.();
    this.endRest();
    if (this.options.signal.aborted) this.drop();
    if (this.held.length > 0) this.handOnSoon();
    else if (!this.isHandingOn) this.meetEnd(how);
  }
  /** In a microtask: all chunks of one read of the HTTP client come before it. */
  private handOnSoon(): void {
    if (this.reader === undefined || this.isHandingOn) return;
    this.isHandingOn = true;
    queueMicrotask(() => this.handOn());
  }
  /** Gives the waiting reader what has come, or the end if there is nothing before it. */
  private handOn(): void {
    this.isHandingOn = false;
    const waiting = this.reader;
    if (waiting === undefined) return;
    if (this.held.length === 0) {
      if (this.outcome !== undefined) this.meetEnd(this.outcome);
      return;
    }
    // Cleared first: resuming the source may bring the end at once.
    this.reader = undefined;
    waiting.resolve({ done: false, value: this.take()! });
  }
  private meetEnd(how: Exclude<Outcome, undefined>): void {
    const waiting = this.reader;
    this.reader = undefined;
    if (waiting === undefined) return;
    this.isOver = true;
    if (how === 'ended') waiting.resolve(DONE);
    else waiting.reject(how.error);
  }
  private leave(error: Error): Promise<never> {
    this.isOver = true;
    this.drop();
    return Promise.reject(error);
  }
  private endRest(): void {
    this.stopResting?.();
    this.stopResting = undefined;
  }
  private drop(): void {
    this.held = [];
    this.heldBytes = 0;
  }

  /** What has come, joined up to `JOINED_BYTES`; undefined when nothing has. */
  private take(): Uint8Array | undefined {
    const { held } = this;
    if (held.length === 0) return undefined;
    let count = 1;
    let bytes = held[0]!.length;
    while (count < held.length && bytes + held[count]!.length <= JOINED_BYTES) {
      bytes += held[count]!.length;
      count += 1;
    }
    const taken = held.splice(0, count);
    this.heldBytes -= bytes;
    this.letGoOn();
    return count === 1 ? taken[0] : Buffer.concat(taken, bytes);
  }
  private holdBack(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    this.source.pause();
  }
  private letGoOn(): void {
    if (!this.isPaused || this.outcome !== undefined) return;
    if (this.heldBytes > HELD_BYTES / 2) return;
    this.isPaused = false;
    this.source.resume();
  }
}
