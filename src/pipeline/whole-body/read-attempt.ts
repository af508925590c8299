// One request for a body and the reading of what comes, until it ends, breaks, or brings no audio for too long. How it ended
// is a return value, because every way is expected; only the cancelling of the turn is thrown. A body is read in batches
// while its listener has plenty to hear: a piece of a tenth of a second costs its reader as much as half a second does.

import { type BodyType, MP3_BODY } from '../../audio/bodies/body-type.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { SpeechBody } from '../../upstream/speech-upstream.ts';
import type { RequestSpool } from '../body-spool.ts';
import { createStallWatch } from './stall-watch.ts';

/** The receiver of the bytes of a body; what it throws ends the reading as a break does. */
export type BodyReader = {
  /** What the body is; before its first byte. */
  begin(type: BodyType): void;
  push(chunk: Uint8Array): void;
  finish(): void;
  /** Audio in whole frames so far, ms: that, not the bytes, shows that a body makes progress. */
  audioMs(): number;
};

export type AttemptEnd =
  | { readonly kind: 'ended' }
  /** It was never answered. */
  | { readonly kind: 'refused'; readonly error: AppError }
  | { readonly kind: 'broke'; readonly error: AppError };

/** Progress of an unanswered request: waiting for a key is no fault of the service. */
export type SendProgress = { readonly waits: () => void; readonly sent: () => void };

export type Attempt = {
  readonly open: (signal: AbortSignal, told: SendProgress) => Promise<SpeechBody>;
  readonly reader: BodyReader;
  /** Reading pauses while this is full. */
  readonly spool: RequestSpool;
  readonly clock: Clock;
  /** Deadline for the answer, ms, without the wait for a key; infinite where `open` has a deadline of its own. */
  readonly answerMs: number;
  /** How long no audio may come, after `audioMs` of it have, ms. */
  readonly stallLimitMs: (audioMs: number) => number;
  /** How long the next bytes may gather when a stall is certain in `patienceMs`, ms; 0: read as they come. */
  readonly restMs: (patienceMs: number) => number;
  /** A body brought no audio for too long; not called for a request without an answer. */
  readonly onStall: () => void;
  readonly onAudio: () => void;
};

/** Audio extends the deadline by this many times its length: ten times slower than real time is a stall in pieces. */
const EARNED = 10;

/**
 * A chunk from the network may hold 64 KiB, seconds of speech. A reader that looks for a place to join, and keeps a limited
 * number of frames, is given a few frames at a time: ten at 64 kbit/s and 24 kHz.
 */
const SLICE_BYTES = 2048;

/** Audio that the listener has left at the end of a batch: enough to decode the next part and find its words in time. */
const KEPT_MS = 500;
/** A batch is read this long before a stall would be assumed. */
const SHOWN_MS = 50;
/** A shorter batch is not worth a timer. */
const MIN_BATCH_MS = 120;
const MAX_BATCH_MS = 600;

/**
 * How long the next pieces of a body may gather while `remainingMs` of audio are unheard and a stall is certain in
 * `patienceMs`; 0: it is read as it comes.
 */
export function batchRestMs(remainingMs: number, patienceMs: number): number {
  const spareMs = Math.min(remainingMs - KEPT_MS, patienceMs - SHOWN_MS, MAX_BATCH_MS);
  return spareMs < MIN_BATCH_MS ? 0 : spareMs;
}

/** Rejects with the signal's reason, or with what is no AppError. */
export async function readAttempt(attempt: Attempt, signal: AbortSignal): Promise<AttemptEnd> {
  const { reader, spool, stallLimitMs } = attempt;
  const cut = new AbortController();
  const stop = () => cut.abort(signal.reason);
  let phase: 'asking' | 'reading' = 'asking';
  let onUnreadable = () => {};
  const watch = createStallWatch(attempt.clock, () => {
    if (phase === 'reading') attempt.onStall();
    cut.abort(new AppError('upstream_timeout', 'The speech service sent no audio for too long.'));
  });
  signal.throwIfAborted();
  signal.addEventListener('abort', stop);
  try {
    watch.within(attempt.answerMs);
    const { chunks, gathering, type, refuse } = await attempt.open(cut.signal, {
      waits: () => phase === 'asking' && watch.rest(),
      sent: () => phase === 'asking' && watch.within(attempt.answerMs),
    });
    phase = 'reading';
    onUnreadable = refuse ?? onUnreadable;
    reader.begin(type ?? MP3_BODY);
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
      // No audio is wanted, so none is late.
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
    if (error.code === 'upstream_bad_audio') onUnreadable();
    return { kind: phase === 'asking' ? 'refused' : 'broke', error };
  } finally {
    watch.rest();
    signal.removeEventListener('abort', stop);
  }
}
