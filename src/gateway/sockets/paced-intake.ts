// Handles what one client sends at once while its budgets of time last; else it is queued and handled in order when there
// is time again. The socket is read on meanwhile, so that a cancel gets through; a client that lets more than the bounds
// pile up is closed. Only the time in which a frame is being handled is charged, never the wait for it.

import type { Clock } from '../../base/clock.ts';
import type { TimeBudget } from '../../limits/time-budget.ts';
import { createTokenBucket } from '../../limits/token-bucket.ts';

/** Bytes of frames that wait, of all connections that share it. */
export type WaitingRoom = { bytes: number; readonly maxBytes: number };

export type PacedIntakeOptions<Frame> = {
  /** Fine enough for microseconds. */
  readonly clock: Clock;
  /** All of them have to have time left; those of a user are shared by the user's connections. */
  readonly budgets: readonly TimeBudget[];
  /** Also required; but what waits for this alone waits only for a moment, and counts against no client. */
  readonly slice: TimeBudget;
  readonly waitingRoom: WaitingRoom;
  /** `ahead`: others wait before it, and it is handled again in its turn. */
  readonly handle: (frame: Frame, when: 'in-turn' | 'ahead') => void;
  /** What is kept of a frame that has to wait: nothing that holds more memory than the frame. */
  readonly toKeep: (frame: Frame) => Frame;
  /** What may be handled before those that wait, and again in its turn. */
  readonly isUrgent: (frame: Frame) => boolean;
  readonly onSpent: (ms: number) => void;
  /** Work has waited for longer than a moment; called once until the queue is empty. */
  readonly onSlowed: () => void;
  /** More waits than may. */
  readonly onOverflow: () => void;
};

/** What the rate of messages lets through at once. */
const MAX_WAITING_FRAMES = 10_000;
const MAX_WAITING_BYTES = 1024 * 1024;
/** Overhead of a queued frame. */
const FRAME_BYTES = 48;
const URGENT_PER_SECOND = 10;
/** Shorter waits only split up the work of a moment. */
const SLOWED_MS = 20;

type Waiting<Frame> = { readonly frame: Frame; readonly bytes: number };

export class PacedIntake<Frame> {
  private readonly options: PacedIntakeOptions<Frame>;
  private readonly urgent = createTokenBucket(URGENT_PER_SECOND, URGENT_PER_SECOND);
  private waiting: Waiting<Frame>[] = [];
  /** Of the first that waits. */
  private at = 0;
  private bytes = 0;
  private cancelTimer: (() => void) | undefined;
  private pace: 'usual' | 'slowed' = 'usual';
  private phase: 'open' | 'closed' = 'open';

  constructor(options: PacedIntakeOptions<Frame>) {
    this.options = options;
  }

  /** Bytes that wait. */
  waitingBytes(): number {
    return this.bytes;
  }
  /** `frameBytes`: what it takes in memory. */
  take(frame: Frame, frameBytes: number): void {
    if (this.phase === 'closed') return;
    const nowMs = this.options.clock.now();
    const waitMs = this.count() > 0 ? Number.NaN : this.waitMs(nowMs);
    if (waitMs === 0) return this.handle(frame, nowMs);
    if (this.keep(frame, frameBytes + FRAME_BYTES) === 'too-much') return;
    if (!Number.isNaN(waitMs)) this.goOnIn(waitMs);
    // What waits for its slice alone is handled within moments, in order.
    const isSlowed = this.budgetWaitMs(nowMs) > 0;
    if (isSlowed && this.options.isUrgent(frame) && this.urgent.take(nowMs))
      this.handle(frame, nowMs, 'ahead');
  }
  /** Work for this client that was done elsewhere, or later on. */
  charge(nowMs: number, spentMs: number): void {
    for (const budget of this.options.budgets) budget.charge(nowMs, spentMs);
    this.options.slice.charge(nowMs, spentMs);
    this.options.onSpent(spentMs);
  }
  /** Nothing more is handled, and what waits is dropped. */
  close(): void {
    this.phase = 'closed';
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    this.options.waitingRoom.bytes -= this.bytes;
    this.bytes = 0;
    this.waiting = [];
    this.at = 0;
  }

  private count(): number {
    return this.waiting.length - this.at;
  }
  private waitMs(nowMs: number): number {
    return Math.max(this.options.slice.waitMs(nowMs), this.budgetWaitMs(nowMs));
  }
  private budgetWaitMs(nowMs: number): number {
    let waitMs = 0;
    for (const budget of this.options.budgets) waitMs = Math.max(waitMs, budget.waitMs(nowMs));
    return waitMs;
  }
  private handle(frame: Frame, startedAtMs: number, when: 'in-turn' | 'ahead' = 'in-turn'): void {
    this.options.handle(frame, when);
    const nowMs = this.options.clock.now();
    this.charge(nowMs, nowMs - startedAtMs);
  }
  private keep(frame: Frame, bytes: number): 'kept' | 'too-much' {
    const { waitingRoom, toKeep } = this.options;
    this.waiting.push({ frame: toKeep(frame), bytes });
    this.bytes += bytes;
    waitingRoom.bytes += bytes;
    const isMuch = this.count() > MAX_WAITING_FRAMES || this.bytes > MAX_WAITING_BYTES;
    const isTooMuch = isMuch && this.budgetWaitMs(this.options.clock.now()) > 0;
    if (!isTooMuch && waitingRoom.bytes <= waitingRoom.maxBytes) return 'kept';
    this.close();
    this.options.onOverflow();
    return 'too-much';
  }
  private goOnIn(waitMs: number): void {
    if (waitMs >= SLOWED_MS && this.pace === 'usual') {
      this.pace = 'slowed';
      this.options.onSlowed();
    }
    this.cancelTimer = this.options.clock.after(waitMs, () => this.goOn());
  }
  private goOn(): void {
    this.cancelTimer = undefined;
    while (this.count() > 0) {
      const nowMs = this.options.clock.now();
      const waitMs = this.waitMs(nowMs);
      if (waitMs > 0) return this.goOnIn(waitMs);
      this.handle(this.next(), nowMs);
    }
    this.pace = 'usual';
  }
  private next(): Frame {
    const { frame, bytes } = this.waiting[this.at]!;
    this.at += 1;
    this.bytes -= bytes;
    this.options.waitingRoom.bytes -= bytes;
    // What has been handled is let go in large pieces, and at the end.
    if (this.at === this.waiting.length || this.at >= MAX_WAITING_FRAMES / 10) {
      this.waiting = this.waiting.slice(this.at);
      this.at = 0;
    }
    return frame;
  }
}

/** What a string of a frame of `wireBytes` takes: a byte for each letter while all are ASCII. */
export const textBytes = (text: string, wireBytes: number): number =>
  text.length === wireBytes ? wireBytes : 2 * text.length;
