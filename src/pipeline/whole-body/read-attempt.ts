// One request for a body and the reading of what comes, until it ends, breaks, or brings no audio for too long. How it
// ended is a return value, because every way is expected; only the turn's own end is thrown.

import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { SpeechBody } from '../../upstream/speech-upstream.ts';
import type { Mp3Spool } from '../mp3-spool.ts';
import { createStallWatch } from './stall-watch.ts';

/** Whoever takes the bytes of a body; what it throws ends the reading as a break does. */
export type BodyReader = {
  push(chunk: Uint8Array): void;
  finish(): void;
  /** Audio in whole frames so far, ms: that, not bytes, is what shows that a body goes on. */
  audioMs(): number;
};

export type AttemptEnd =
  | { readonly kind: 'ended' }
  /** It was never answered. */
  | { readonly kind: 'refused'; readonly error: AppError }
  | { readonly kind: 'broke'; readonly error: AppError };

/** How far a request is that has not been answered: what it waits for a key is no fault of the service. */
export type SendProgress = { readonly waits: () => void; readonly sent: () => void };

export type Attempt = {
  readonly open: (signal: AbortSignal, told: SendProgress) => Promise<SpeechBody>;
  readonly reader: BodyReader;
  /** It is read no further while this is full. */
  readonly spool: Mp3Spool;
  readonly clock: Clock;
  /** By when it must be answered, ms, what it waits for a key not counted; infinite where `open` has a deadline of its own. */
  readonly answerMs: number;
  /** How long no audio may come after so much of it, ms. */
  readonly stallLimitMs: (audioMs: number) => number;
  /** How long the body may be left alone when a stall is certain in `patienceMs`, ms; 0 while all is wanted as it comes. */
  readonly restMs: (patienceMs: number) => number;
  /** A body that was being read brought no audio for too long; a request without an answer is none. */
  readonly onStall: () => void;
  readonly onAudio: () => void;
};

/** Audio earns so many times its length of patience: what comes ten times slower than it plays is a stall, in pieces. */
const EARNED = 10;

/**
 * A chunk off the network may hold 64 KiB, seconds of speech. A reader that waits for a place in it, and keeps only so
 * many frames to look back on, is given a few frames at a time: ten at 64 kbit/s and 24 kHz.
 */
const SLICE_BYTES = 2048;

/** Rejects with the signal's reason, or with what is no AppError. */
export async function readAttempt(attempt: Attempt, signal: AbortSignal): Promise<AttemptEnd> {
  const { reader, spool, stallLimitMs } = attempt;
  const cut = new AbortController();
  const stop = () => cut.abort(signal.reason);
  let phase: 'asking' | 'reading' = 'asking';
  const watch = createStallWatch(attempt.clock, () => {
    if (phase === 'reading') attempt.onStall();
    cut.abort(new AppError('upstream_timeout', 'The speech service sent no audio for too long.'));
  });
  signal.throwIfAborted();
  signal.addEventListener('abort', stop);
  try {
    watch.within(attempt.answerMs);
    const { chunks, gathering } = await attempt.open(cut.signal, {
      waits: () => phase === 'asking' && watch.rest(),
      sent: () => phase === 'asking' && watch.within(attempt.answerMs),
    });
    phase = 'reading';
    let audioMs = reader.audioMs();
    watch.within(stallLimitMs(audioMs));
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      for (let at = 0; at < chunk.length; at += SLICE_BYTES)
        reader.push(chunk.subarray(at, at + SLICE_BYTES));
      const moreMs = reader.audioMs() - audioMs;
      if (moreMs > 0) {
        const isFirst = audioMs === 0;
        audioMs += moreMs;
        attempt.onAudio();
        if (isFirst) watch.within(stallLimitMs(audioMs));
        else watch.earn(moreMs * EARNED, stallLimitMs(audioMs), gathering?.cameMs());
      }
      if (gathering !== undefined) {
        const restMs = attempt.restMs(watch.leftMs());
        if (restMs > 0) gathering.rest(restMs);
      }
      if (!spool.isFull()) continue;
      // Nothing is wanted, so nothing is late.
      watch.rest();
      while (spool.isFull()) await spool.room(signal);
      watch.within(stallLimitMs(audioMs));
    }
    reader.finish();
    return { kind: 'ended' };
  } catch (thrown) {
    signal.throwIfAborted();
    const error: unknown = cut.signal.aborted ? cut.signal.reason : thrown;
    if (!(error instanceof AppError)) throw error;
    return { kind: phase === 'asking' ? 'refused' : 'broke', error };
  } finally {
    watch.rest();
    signal.removeEventListener('abort', stop);
  }
}
