// The port below the pool: one attempt, one HTTP request with one key. A failed attempt is a return value, because
// the pool expects failures and decides from them; only a cancelled attempt throws.

import type { AppError } from '../base/app-error.ts';
import type { RateAdvice } from '../limits/rate-headers.ts';
import type { OutgoingRequest } from '../speech/speech-request.ts';
import type { RequestShape } from '../text/request-text.ts';
import type { SoundOffer } from './sound-offer.ts';
import type { BodyExtras } from './speech-upstream.ts';

/** A pool member's pair; the service interface wants both in every request (section 5). */
export type Credentials = { readonly userId: string; readonly apiKey: string };

export type AttemptFailure = {
  readonly error: AppError;
  /** The HTTP status, when the answer itself is the failure. */
  readonly status: number | undefined;
  /** The request limit by the answer's headers; empty without an answer. */
  readonly advice: RateAdvice;
};

/** How an attempt released its connection. A body that is not read to its end is `aborted`. */
export type AttemptEnd = 'ok' | 'aborted' | AttemptFailure;

export type AttemptOptions = {
  readonly signal: AbortSignal;
  /** The request's bytes are about to leave: from here on it counts at the far end. */
  readonly onSent: () => void;
  /**
   * Called exactly once, as soon as the connection is free again: with a failure before `send` settles, with a body
   * perhaps before its last chunk is read.
   */
  readonly onClosed: (end: AttemptEnd) => void;
};

export type Attempt =
  | (BodyExtras & {
      readonly ok: true;
      readonly chunks: AsyncIterable<Uint8Array>;
      readonly ttfbMs: number;
      readonly advice: RateAdvice;
    })
  | ({ readonly ok: false } & AttemptFailure);

export type SpeechTransport = {
  readonly shape?: RequestShape;
  readonly sounds?: SoundOffer;
  /** Settles at the first body byte or at the failure; rejects only with the signal's reason. */
  send(request: OutgoingRequest, credentials: Credentials, options: AttemptOptions): Promise<Attempt>;
  /** Opens `connections` ahead of need. Never throws: a cold start is slower, not wrong. */
  warm(connections: number): Promise<void>;
  /** Cuts what is still running. */
  close(): Promise<void>;
};
