// What a playout asks of its turn before it sends, and tells it.

import type { AudioFrame } from '../../audio/stage.ts';

/** Why nothing may be sent although the listener may be running dry. Only `upstream` makes an underrun. */
export type Holder = 'upstream' | 'text' | 'credit' | 'congestion';

/** Whom a playout asks before it sends, and gives its frames. */
export type SendGate = {
  /** The bytes of the frame are read at once, or copied. */
  onFrame(frame: AudioFrame, seq: number, atMs: number, durationMs: number): void;
  /** The listener had nothing to hear for `gapMs` more; once for each gap, and twice for one that begins while a key is waited for. */
  onUnderrun(atMs: number, gapMs: number): void;
  /** Media position up to which the listener has given credit, ms. */
  creditMs(): number;
  isCongested(): boolean;
  /** Who is to blame when the queue is empty: the upstream, or a caller who has given no text. */
  emptyBecause(): 'upstream' | 'text';
  /** What is missing is not even asked for, because no key takes it: it may be long in coming. */
  waitsForQuota(): boolean;
  /** A frame that goes takes along those that are due so soon after it, ms. */
  coalesceMs(): number;
};

/** What has arrived and has not been taken from the queue. */
export type AudioInHand = {
  /** Hz, once there is a frame. */
  readonly sampleRate: number;
  /** Encoded or not: what has not been decoded will be within milliseconds. */
  readonly waitingMs: number;
};
