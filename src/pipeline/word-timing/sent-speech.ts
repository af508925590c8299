// One speech on its way to the process that times words. What its spool gets is gathered and sent in small messages, one at a
// time; a process that is behind gets larger ones. A speech that somebody listens to is given up when the process cannot
// keep up with it. One whose reader waits for its words is held back instead, and given up only when the process does nothing
// for it any more.

import type { Clock } from '../../base/clock.ts';
import type { Deadlines } from '../../base/deadlines.ts';
import type { HeardEnding } from '../../captions/alignment/heard-ending.ts';
import type { WordEstimate } from '../../captions/alignment/word-estimate.ts';
import type { AlignedText } from '../../text/aligned-text.ts';
import { itemMs, type SpoolItem, type SpoolTap } from '../body-spool.ts';
import { createItemPacker } from './packed-items.ts';
import type { TimedSpeech, WordTiming } from './word-timer.ts';
import type { WordTimerOrder } from './word-timer-messages.ts';

export type SentSpeechOptions = {
  readonly id: number;
  readonly timed: TimedSpeech;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly isOpen: () => boolean;
  readonly order: (message: WordTimerOrder) => void;
  /** False: it was not open any more. */
  readonly forget: () => boolean;
  /** So many endings more are awaited, or less. */
  readonly countEndings: (more: number) => void;
  readonly onLate: () => void;
  readonly onBehind: (heldMs: number) => void;
};

/** Audio of one message, so that others do not wait long behind it; where only endings are wanted, this much is gathered. */
const MAX_SENT_MS = 2000;
/** A speech whose timing is further behind is given up: that is more than a spool holds. */
const MAX_HELD_MS = 180_000;
/** A speech whose reader waits brings no more audio while this much is not timed. */
const MAX_BEHIND_MS = 20_000;
/** A reader that waits does so as long as something is done; two seconds of audio take some tens of milliseconds. */
const MAX_STALL_MS = 120_000;
/** Longest wait for the last words, where nobody is held back. */
const SETTLE_DEADLINE_MS = 20_000;

const GATHERED_PART = 1 / 4;
const MIN_GATHERED_MS = 50;
const MAX_GATHERED_MS = 500;

/**
 * How much audio is worth a message: little while playback is close behind, half a second for speech that comes much faster
 * than it is played. `aheadMs`: audio that has come of a request beyond what can have been played of it.
 */
export const gatherMs = (aheadMs: number): number =>
  Math.min(Math.max(aheadMs * GATHERED_PART, MIN_GATHERED_MS), MAX_GATHERED_MS);

/** The object is its own tap, which is called for each frame. */
export class SentSpeech implements WordTiming, SpoolTap {
  readonly timed: TimedSpeech;
  readonly tap: SpoolTap = this;
  private readonly options: SentSpeechOptions;
  /** Pieces are small, so that the process is soon free for other speeches. */
  private readonly held = createItemPacker(MAX_SENT_MS);
  /** Audio of the current request that has come, and since when. */
  private cameMs = 0;
  private beganAtMs: number | undefined;
  /** Milliseconds of each message that the process has not taken. */
  private readonly underWay: number[] = [];
  private underWayMs = 0;
  private leadIsHeard: boolean | undefined;
  private settling: (() => void)[] = [];
  /** Endings that were asked for and are not answered, and the waiter for the last of them. */
  private asked = 0;
  private answer: ((ending: HeardEnding | 'late' | undefined) => void) | undefined;
  private disarmStall = () => {};

  constructor(options: SentSpeechOptions) {
    this.options = options;
    this.timed = options.timed;
  }

  begin(): void {
    const { language, speed, voice, wants } = this.timed;
    this.order({ kind: 'open', speech: this.options.id, language, speed, voice, wants });
  }
  spokenBy(voice: string | undefined): void {
    this.send();
    this.order({ kind: 'voice', speech: this.options.id, voice });
  }
  request(index: number, text: AlignedText): void {
    this.send();
    this.cameMs = 0;
    this.beganAtMs = undefined;
    this.leadIsHeard = undefined;
    this.order({ kind: 'request', speech: this.options.id, index, text });
  }
  add(item: SpoolItem): void {
    if (item.kind === 'flush' || item.kind === 'pause' || item.kind === 'gain' || !this.options.isOpen())
      return;
    if (item.kind === 'frame') {
      const { code, sampleRate } = item.frame.header;
      this.leadIsHeard ??= code === undefined && this.timed.passesThrough(sampleRate);
    }
    this.beganAtMs ??= this.options.clock.now();
    const wasBehind = this.isBehind();
    this.held.add(item);
    this.cameMs += itemMs(item);
    if (this.timed.whenBehind === 'give-up' && this.behindMs() > MAX_HELD_MS) return this.giveUp();
    this.sendSome();
    if (!wasBehind && this.isBehind()) this.watchStall();
  }
  takeBack(frames: number): void {
    this.send();
    this.order({ kind: 'take-back', speech: this.options.id, frames });
  }
  ending(withinMs: number, likeness: 'asked' | 'on-suspicion'): Promise<HeardEnding | 'late' | undefined> {
    const { options } = this;
    return new Promise((resolve) => {
      if (!options.isOpen()) return resolve(undefined);
      this.answer?.(undefined);
      const disarm = options.deadlines.after(withinMs, () => {
        options.onLate();
        this.answer?.('late');
      });
      this.answer = (ending) => {
        this.answer = undefined;
        disarm();
        resolve(ending);
      };
      this.asked += 1;
      options.countEndings(1);
      this.send();
      this.order({ kind: 'ending', speech: options.id, likeness });
    });
  }
  settled(): Promise<void> {
    const { options, timed } = this;
    return new Promise((resolve) => {
      if (!options.isOpen()) return resolve();
      const disarm =
        timed.whenBehind === 'give-up' ? options.clock.after(SETTLE_DEADLINE_MS, resolve) : () => {};
      this.settling.push(() => {
        disarm();
        resolve();
      });
      this.watchStall();
      this.send();
      this.order({ kind: 'settle', speech: options.id });
    });
  }
  isClosed(): boolean {
    return !this.options.isOpen();
  }
  isBehind(): boolean {
    return this.timed.whenBehind === 'hold-back' && this.options.isOpen() && this.behindMs() > MAX_BEHIND_MS;
  }
  close(): void {
    this.order({ kind: 'close', speech: this.options.id });
    this.held.clear();
    if (this.options.forget()) this.onGone();
  }

  onEstimate(index: number, estimate: WordEstimate): void {
    this.timed.onEstimate(index, estimate);
    this.watchStall();
  }
  onTaken(): void {
    const wasBehind = this.isBehind();
    this.underWayMs -= this.underWay.shift() ?? 0;
    this.sendSome();
    this.watchStall();
    if (wasBehind && !this.isBehind()) this.timed.onCaughtUp();
  }
  onSettled(): void {
    const settling = this.settling;
    this.settling = [];
    for (const wake of settling) wake();
    this.watchStall();
  }
  onEnding(ending: HeardEnding | undefined): void {
    this.asked -= 1;
    this.options.countEndings(-1);
    // An answer that came too late belongs to an older question.
    if (this.asked === 0) this.answer?.(ending);
  }
  /** No more answers will come: waiters are released. */
  onGone(): void {
    this.options.countEndings(-this.asked);
    this.asked = 0;
    this.answer?.(undefined);
    this.onSettled();
    this.disarmStall();
    if (this.timed.whenBehind === 'hold-back') this.timed.onCaughtUp();
  }

  private order(message: WordTimerOrder): void {
    this.options.order(message);
  }
  private behindMs(): number {
    return this.held.heldMs() + this.underWayMs;
  }
  private sendPiece(): void {
    const { items, ms } = this.held.take()!;
    this.underWay.push(ms);
    this.underWayMs += ms;
    this.order({ kind: 'items', speech: this.options.id, items, leadIsHeard: this.leadIsHeard ?? false });
  }
  /** Sends all that is held, before another order. */
  private send(): void {
    while (this.held.hasSome()) this.sendPiece();
  }
  private sendSome(): void {
    if (this.underWay.length > 0 || !this.held.hasSome()) return;
    const playedMs = this.options.clock.now() - (this.beganAtMs ?? 0);
    const enoughMs = this.timed.wants === 'endings' ? MAX_SENT_MS : gatherMs(this.cameMs - playedMs);
    if (this.held.heldMs() >= enoughMs || this.held.endsHere()) this.sendPiece();
  }
  /** Begins to wait anew for something to be done, where somebody waits for it. */
  private watchStall(): void {
    this.disarmStall();
    this.disarmStall = () => {};
    if (this.timed.whenBehind !== 'hold-back' || !this.options.isOpen()) return;
    if (this.settling.length > 0 || this.isBehind())
      this.disarmStall = this.options.clock.after(MAX_STALL_MS, () => this.giveUp());
  }
  private giveUp(): void {
    this.options.onBehind(this.behindMs());
    this.close();
  }
}
