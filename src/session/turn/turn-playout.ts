// The frames of one turn on their way to one listener: what may be sent now, what has been sent, when the listener had
// nothing left to play. `create-turn-playout.ts` makes one.

import type { AudioFrame } from '../../audio/stage.ts';
import type { FrameQueue } from '../../playout/frame-queue.ts';
import type { Pace } from '../../playout/pacer.ts';
import type { Position } from './heard-ledger.ts';

/** Why nothing may be sent although the listener may be running dry. Only `upstream` makes an underrun. */
export type Holder = 'upstream' | 'text' | 'credit' | 'congestion';

export type SendGate = {
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

export type TurnPlayout = {
  /**
   * Begins the turn, to be heard from `freeAtMs` on, and answers whether it did: its first audio must be due, or `started`
   * would stand apart from it.
   */
  start(freeAtMs: number, nowMs: number, inHand: AudioInHand, gate: SendGate): boolean;
  /** Sends all frames that are due at `nowMs`. */
  send(nowMs: number, gate: SendGate): void;
  /**
   * When time alone will let `send` do more, as of its last run. A full socket, which keeps the listener waiting and tells
   * nobody when that is over, is worth a look at every tick; credit comes with a message, and a frame with `hasSentAll`.
   */
  dueMs(): number;
  /**
   * The next frame is worth a `send` of its own: the last one left nothing behind, and the listener has little to hear.
   * To one who has more it goes at the next tick, with whatever comes until then; so it does right behind another, for a
   * decoder makes a dozen in a row, and a loop that is late would be later for a write of each.
   */
  isShort(nowMs: number): boolean;
  /** Nothing was left at the last `send`: what comes is to be sent, by itself or with the next tick. */
  hasSentAll(): boolean;
  position(nowMs: number): Position;
  /**
   * Nothing is sent until `resume`, and the listener's time stands still where all that was sent has been heard, or at
   * `playedMs` when the listener says so.
   */
  pause(playedMs: number | undefined): void;
  resume(nowMs: number): void;
  /** What was sent from media position `fromMs` on has been given back: it was never sent, and is the caller's again. */
  takeBack(fromMs: number): readonly AudioFrame[];
  /** Nothing will be taken back any more. */
  close(): void;
  /** The listener has dropped what has not been heard yet. */
  skip(nowMs: number): void;
  /** The listener dropped `ms` of earlier audio. */
  pullForward(ms: number): void;
  sentMs(): number;
  /** When the listener will have heard all that was sent. */
  heardUntilMs(): number;
  /** When sending began; undefined before. */
  startedAtMs(): number | undefined;
  /** When it began, or last went on after a pause. */
  goingSinceMs(): number | undefined;
  holder(): Holder | undefined;
};

export type TurnPlayoutOptions = {
  readonly pace: Pace;
  readonly frames: FrameQueue;
  /** Its bytes are read at once, or copied. */
  onFrame(frame: AudioFrame, seq: number, atMs: number, durationMs: number): void;
  /** The listener had nothing to hear for `gapMs` more; once for each gap, and twice for one that begins while a key is waited for. */
  onUnderrun(atMs: number, gapMs: number): void;
  /** Whether what was sent may be given back: so much of it is kept, ms. */
  readonly givesBackMs?: number;
};
