// The port to a speech service: one request in, one MP3 body out. The pool and the HTTP adapter both have
// this shape, so policies (quota, retry, cool-down) stack as layers around the adapter.

import type { SpeechRequest } from '../speech/speech-request.ts';

/** Told while a request waits for its turn: at once, then at least every 2 s. */
export type QueuedNotice = {
  readonly reason: 'quota' | 'busy';
  readonly position: number;
  readonly etaMs: number;
};

export type OpenOptions = {
  /** Cancels at any stage: waiting, connecting, or mid-body; the upstream socket is closed. */
  readonly signal: AbortSignal;
  readonly onQueued?: (notice: QueuedNotice) => void;
};

/** An answered request. `chunks` is read once; leaving the loop early closes the upstream socket. */
export type SpeechBody = {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Time spent waiting for quota before the request was sent. */
  readonly queueMs: number;
  /** From sending the request to the first body byte. */
  readonly ttfbMs: number;
  /** How many HTTP requests this took (retries before the first byte included). */
  readonly attempts: number;
};

export type SpeechUpstream = {
  /**
   * Resolves when the first audio bytes have arrived; rejects with an `upstream_…` or `busy` AppError.
   * The body iterator may throw `upstream_timeout` (stall) or `upstream_broken` (reset, short body).
   */
  open(request: SpeechRequest, options: OpenOptions): Promise<SpeechBody>;
};
