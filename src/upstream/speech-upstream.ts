// The port to a speech service: one request in, one body of sound out. The pool behind it has the policies (quota, retry, cool-down,
// hedging); below it, `SpeechTransport` makes single attempts.

import type { BodyType } from '../audio/bodies/body-type.ts';
import type { ServiceWords } from '../speech/service-word.ts';
import type { OutgoingRequest } from '../speech/speech-request.ts';
import type { RequestShape } from '../text/request-text.ts';
import type { SoundOffer } from './sound-offer.ts';
import type { SpeechWork } from './speech-work.ts';

/** Told while a request waits for its turn: at once, then at least every 2 s. */
export type QueuedNotice = {
  readonly reason: 'quota' | 'busy';
  /** 1 is the next to go. */
  readonly position: number;
  readonly etaMs: number;
};

export type OpenOptions = {
  /** Cancels at any stage: waiting, connecting, or mid-body; the upstream socket is closed. */
  readonly signal: AbortSignal;
  /** Called synchronously; must not throw. */
  readonly onQueued?: (notice: QueuedNotice) => void;
  /** An HTTP request is on its way and counts at the far end; once per attempt. */
  readonly onSent?: () => void;
  /** Default: the first words of a turn, due within the longest wait. */
  readonly work?: SpeechWork;
  /** `key` of an earlier answer: preferred if free, since a service may repeat a seed only on the same key. */
  readonly prefer?: string;
  /** Another service is asked at once when this one fails: a failure of the service is told instead of tried again. */
  readonly elsewhere?: true;
};

/** How a body is read in batches. */
export type Gathering = {
  /**
   * The reader needs nothing for `ms`: what comes meanwhile may be handed over together, at the end of that time at the latest.
   */
  rest(ms: number): void;
  /** When the last chunk that was handed over had come, on the clock, ms. */
  cameMs(): number;
};

/** The length of a body by the service itself, sent after it. */
export type ToldLength = {
  /** Bytes; undefined before the body has ended, and when the announced length has not come. */
  bytes(): number | undefined;
};

/** What an answer is besides its bytes. */
export type BodyExtras = {
  /** What the bytes are; absent: MP3. */
  readonly type?: BodyType;
  /** Absent: the body is read as it comes. */
  readonly gathering?: Gathering;
  /** Absent: the service does not announce it. */
  readonly toldLength?: ToldLength;
  /** The times of its words by the service itself; absent: it tells none, or they are not wanted. */
  readonly words?: ServiceWords;
  /** Called by a reader to which the bytes are no sound: the next ones are asked for in another form. */
  readonly refuse?: () => void;
};

/** An answered request. `chunks` is read once; leaving the loop early closes the upstream socket. */
export type SpeechBody = BodyExtras & {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Time spent waiting for quota before the request was sent. */
  readonly queueMs: number;
  /** From sending the request to the first body byte. */
  readonly ttfbMs: number;
  /** How many HTTP requests this took (retries and hedges before the first byte included). */
  readonly attempts: number;
  /** Fingerprint of the key that answered. */
  readonly key?: string;
};

export type SpeechUpstream = {
  /** What one request may hold; absent: whatever the service interface allows. */
  readonly shape?: RequestShape;
  /** In which formats it can be asked to answer; absent: MP3, as it sends that. */
  readonly sounds?: SoundOffer;
  /**
   * Resolves when the first audio bytes have arrived; rejects with an `upstream_…`, `busy` or `shutting_down`
   * AppError, or with the signal's reason (an Error). The body iterator may throw `upstream_timeout` (stall),
   * `upstream_broken` (reset, short body) or the signal's reason.
   */
  open(request: OutgoingRequest, options: OpenOptions): Promise<SpeechBody>;
};
