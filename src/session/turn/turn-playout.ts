// The frames of one turn on their way to one listener: what may be sent now, what has been sent, when the listener had
// nothing left to play. Arithmetic and a queue: the clock calls it, the live turn is told.

import type { AudioFrame } from '../../audio/stage.ts';
import type { FrameQueue } from '../../playout/frame-queue.ts';
import { type Pace, sendableFromMs, starvedMs } from '../../playout/pacer.ts';
import { TICK_MS } from '../../playout/playout-clock.ts';
import { SentFrames } from '../../playout/sent-frames.ts';
import { HadSound, type HadSoundOptions } from './had-sound.ts';
import type { Position } from './heard-ledger.ts';
import type { AudioInHand, Holder, SendGate } from './send-gate.ts';

export type TurnPlayoutOptions = {
  readonly pace: Pace;
  readonly frames: FrameQueue;
  /** Whether what was sent may be given back: so much of it is kept, ms. */
  readonly givesBackMs?: number;
  /** What the listener has had in an earlier life of the turn: it is made again and not sent. */
  readonly had?: HadSoundOptions | undefined;
};

/** Playing begins with at least this much in hand, so that a slow start is no stutter; with less to hear ticks are too slow. */
const START_MS = 60;
/** Whether it is the upstream or the text that a listener who has nothing to hear waits for is looked at so often. */
const DRY_LOOK_MS = 20;
/** Rounding of samples to ms must not hold a frame back for a tick. */
const EPSILON_MS = 0.01;

/** A class, not closures: one object per turn keeps cache misses low (decision 0041). */
export class TurnPlayout {
  private readonly options: TurnPlayoutOptions;
  private anchorMs = 0;
  private beganAtMs: number | undefined;
  private sentSamples = 0;
  /** Media position of the first sample: behind what is not made again of an instance that is gone. */
  private baseMs = 0;
  private seq = 0;
  private heldBy: Holder | undefined;
  private nextMs = Number.NEGATIVE_INFINITY;
  private isEmpty = true;
  /** The gap at this place has been told, as far as it had come. */
  private toldDryAtSamples: number | undefined;
  private lastSentAtMs = Number.NEGATIVE_INFINITY;
  private onSinceMs: number | undefined;
  /** Where the listener's time stands still, as a media position. */
  private stillAtMs: number | undefined;
  /** Since when nobody is connected who could hear it. */
  private heldAtMs = Number.POSITIVE_INFINITY;
  /** Sent last, oldest first, as far back as it may be given back. */
  private readonly kept: SentFrames | undefined;
  /** Hz; that of the first frame is that of all. */
  private rate = 8000;
  /** Until it has been passed. */
  private had: HadSound | undefined;
  private repeated: number;

  constructor(options: TurnPlayoutOptions) {
    this.options = options;
    this.had = options.had && new HadSound(options.had);
    this.repeated = options.had?.had.repeatedBytes ?? 0;
    this.kept = (options.givesBackMs ?? 0) > 0 ? new SentFrames() : undefined;
  }

  /**
   * Begins the turn, to be heard from `freeAtMs` on, and answers whether it did: its first audio must be due, or `started`
   * would stand apart from it.
   */
  start(freeAtMs: number, nowMs: number, { sampleRate, waitingMs }: AudioInHand, gate: SendGate): boolean {
    const { pace, frames } = this.options;
    const first = frames.nextSamples();
    if (first === undefined || gate.isCongested()) return false;
    this.rate = sampleRate;
    const firstMs = this.toMs(first);
    if (nowMs < sendableFromMs(pace, firstMs, freeAtMs, firstMs)) return false;
    if (!frames.isEnded() && waitingMs < Math.min(START_MS, pace.leadMs)) return false;
    this.anchorMs = Math.max(nowMs, freeAtMs) - this.sentMs();
    this.beganAtMs = nowMs;
    this.onSinceMs = nowMs;
    return true;
  }
  /** Sends all frames that are due at `nowMs`. */
  send(nowMs: number, gate: SendGate): void {
    const { frames } = this.options;
    this.nextMs = nowMs;
    let untilMs = nowMs;
    for (let samples = frames.nextSamples(); ; samples = frames.nextSamples()) {
      this.isEmpty = samples === undefined;
      if (samples === undefined) {
        if (!frames.isEnded()) this.awaitFrames(nowMs, gate);
        return;
      }
      if (gate.isCongested()) {
        this.heldBy = 'congestion';
        return;
      }
      if (this.had !== undefined) {
        this.pass(this.had, samples, nowMs, gate);
        continue;
      }
      this.nextMs = this.frameDueMs(samples, gate);
      if (this.nextMs > untilMs) return;
      untilMs = nowMs + gate.coalesceMs();
      const atMs = this.sentMs();
      const gapMs = starvedMs(this.anchorMs, atMs, nowMs);
      if (gapMs > 0) {
        this.anchorMs += gapMs;
        if (this.seq > 0 && (this.heldBy ?? 'upstream') === 'upstream') gate.onUnderrun(atMs, gapMs);
      }
      this.heldBy = undefined;
      const frame = frames.shift();
      if (frame === undefined) return; // who was told of a gap has ended it all
      this.sentSamples += samples;
      this.lastSentAtMs = nowMs;
      this.keep(frame);
      gate.onFrame(frame, this.seq, atMs, this.sentMs() - atMs);
      this.seq += 1;
    }
  }
  /**
   * When time alone will let `send` do more, as of its last run. A full socket, which keeps the listener waiting and tells
   * nobody when that is over, is worth a look at every tick; credit comes with a message, and a frame with `hasSentAll`.
   */
  dueMs(): number {
    return this.nextMs;
  }
  /**
   * The next frame is worth a `send` of its own: the last one left nothing behind, and the listener has little to hear.
   * To one who has more it goes at the next tick, with whatever comes until then; so it does right behind another, for a
   * decoder makes a dozen in a row, and a loop that is late would be later for a write of each.
   */
  isShort(nowMs: number): boolean {
    const isRightBehind = nowMs < this.lastSentAtMs + TICK_MS;
    return this.isEmpty && !isRightBehind && this.heardUntilMs() - nowMs < START_MS;
  }
  /** Nothing was left at the last `send`: what comes is to be sent, by itself or with the next tick. */
  hasSentAll(): boolean {
    return this.isEmpty;
  }
  position(nowMs: number): Position {
    return this.had === undefined ? this.ownPosition(nowMs) : this.positionBefore(this.had, nowMs);
  }
  /** As if nothing had been received from an instance that is gone. */
  ownPosition(nowMs: number): Position {
    const { anchorMs, stillAtMs } = this;
    return {
      anchorMs,
      sentMs: this.sentMs(),
      nowMs: stillAtMs === undefined ? Math.min(nowMs, this.heldAtMs) : anchorMs + stillAtMs,
    };
  }
  /** Nobody is connected: the listener's time stands still until `goOn`. */
  hold(nowMs: number): void {
    this.heldAtMs = Math.min(this.heldAtMs, nowMs);
  }
  /** The listener is back, and has had nothing to hear for `stalledMs`. */
  goOn(nowMs: number, stalledMs: number): void {
    this.heldAtMs = Number.POSITIVE_INFINITY;
    if (this.beganAtMs === undefined) return;
    this.anchorMs += stalledMs;
    this.onSinceMs = nowMs;
    this.nextMs = nowMs;
  }
  /**
   * Nothing is sent until `resume`, and the listener's time stands still where all that was sent has been heard, or at
   * `playedMs` when the listener says so.
   */
  pause(playedMs: number | undefined): void {
    this.heldBy = undefined;
    const isHeard = this.beganAtMs !== undefined || this.had !== undefined;
    if (isHeard && playedMs !== undefined) this.stillAtMs = Math.min(playedMs, this.receivedMs());
  }
  resume(nowMs: number): void {
    if (this.beganAtMs === undefined) {
      this.stillAtMs = undefined;
      return;
    }
    const heardMs = this.stillAtMs ?? Math.min(this.sentMs(), nowMs - this.anchorMs);
    this.anchorMs = nowMs - heardMs;
    this.stillAtMs = undefined;
    this.heldBy = undefined;
    this.onSinceMs = nowMs;
    this.nextMs = nowMs;
  }
  /** What was sent from media position `fromMs` on has been given back: it was never sent, and is the caller's again. */
  takeBack(fromMs: number): readonly AudioFrame[] {
    const back: AudioFrame[] = [];
    for (let last = this.kept?.lastSamples(); last !== undefined; last = this.kept?.lastSamples()) {
      if (this.positionOf(this.sentSamples - last) < fromMs - EPSILON_MS) break;
      this.sentSamples -= last;
      back.unshift(this.kept!.takeLast());
    }
    return back;
  }
  /** Nothing will be taken back any more. */
  close(): void {
    this.kept?.clear();
  }
  /** The listener has dropped what has not been heard yet. */
  skip(nowMs: number): void {
    if (this.beganAtMs === undefined) return;
    if (this.stillAtMs !== undefined) this.stillAtMs = this.sentMs();
    else this.anchorMs = Math.min(this.anchorMs, nowMs - this.sentMs());
  }
  /** The listener dropped `ms` of earlier audio. */
  pullForward(ms: number): void {
    this.anchorMs -= ms;
  }
  /**
   * Another place of the text is spoken next; answers at which media position. What had been received of the place before is
   * not made again.
   */
  leap(paragraph: number, nowMs: number): number {
    const leapt = this.had?.leap(paragraph);
    if (leapt === undefined) return this.sentMs();
    if (leapt.atMs !== undefined) this.baseMs = leapt.atMs - this.toMs(this.sentSamples);
    this.kept?.clear();
    if (!leapt.isPassed) return this.sentMs();
    this.anchorMs = nowMs - this.sentMs();
    this.passed(this.had!);
    return this.sentMs();
  }
  /** As in `HadOfTurn`. */
  repeatedBytes(): number {
    return this.repeated;
  }
  /** No more of it will be made, and that is all of it. */
  endHad(): void {
    this.had = undefined;
  }
  sentMs(): number {
    return this.positionOf(this.sentSamples);
  }
  /** As `sentMs`; while it is made again, up to where an instance that is gone had sent it. */
  receivedMs(): number {
    return Math.max(this.sentMs(), this.had?.receivedMs() ?? 0);
  }
  /** What its listener has received of an instance that is gone has not been made again yet. */
  isMadeAgain(): boolean {
    return this.had !== undefined;
  }
  /** When the listener will have heard all that was sent. */
  heardUntilMs(): number {
    return this.anchorMs + this.sentMs();
  }
  /** When sending began; undefined before. */
  startedAtMs(): number | undefined {
    return this.beganAtMs;
  }
  /** When it began, or last went on after a pause. */
  goingSinceMs(): number | undefined {
    return this.onSinceMs;
  }
  holder(): Holder | undefined {
    return this.heldBy;
  }

  /** While it is made again its listener's time stands still, and all that the listener has received ends now. */
  private positionBefore(had: HadSound, nowMs: number): Position {
    const sentMs = this.receivedMs();
    const untilMs = this.beganAtMs === undefined ? nowMs : this.heardUntilMs();
    const heardMs = this.stillAtMs ?? Math.max(had.heardMs(), this.sentMs());
    return { anchorMs: untilMs - sentMs, sentMs, nowMs: untilMs - sentMs + heardMs };
  }
  private passed(had: HadSound): void {
    this.had = undefined;
    had.passed(this.sentMs());
  }
  /** Lets a frame go by that the listener has had; all of those have been heard. */
  private pass(had: HadSound, samples: number, nowMs: number, gate: SendGate): void {
    const { frames } = this.options;
    const frame = frames.shift()!;
    const atMs = this.sentMs();
    this.sentSamples += samples;
    // Nothing is missed meanwhile, nor until the next one comes.
    this.heldBy = 'congestion';
    this.keep(frame);
    const seq = this.seq++;
    const untilMs = this.sentMs();
    this.anchorMs = nowMs - untilMs;
    if (!had.pass(frame.bytes, untilMs)) return;
    const restBytes = had.restBytes();
    if (restBytes !== undefined) {
      this.passed(had);
      if (restBytes === 0) return;
      this.anchorMs = nowMs - atMs;
      const rest = { bytes: frame.bytes.subarray(frame.bytes.length - restBytes), samples };
      return gate.onFrame(rest, seq, atMs, untilMs - atMs);
    }
    const again = this.takeBack(had.wordAt(untilMs));
    frames.putBack(again);
    this.anchorMs = nowMs - this.sentMs();
    this.passed(had);
    const bytes = had.head();
    this.repeated = had.repeatedBytes(again.reduce((sum, each) => sum + each.bytes.length, bytes.length));
    if (bytes.length > 0) gate.onFrame({ bytes, samples: 0 }, this.seq++, this.sentMs(), 0);
  }
  private positionOf(samples: number): number {
    return this.baseMs + this.toMs(samples);
  }
  private toMs(samples: number): number {
    return (samples * 1000) / this.rate;
  }
  private keep(frame: AudioFrame): void {
    this.kept?.add(frame, ((this.options.givesBackMs ?? 0) * this.rate) / 1000);
  }
  /** When the next frame, of so many samples, may go; infinite while the listener's credit does not reach so far. */
  private frameDueMs(samples: number, gate: SendGate): number {
    const { pace } = this.options;
    const endMs = this.positionOf(this.sentSamples + samples) - EPSILON_MS;
    // A frame longer than the whole credit still goes, alone: otherwise it never would.
    if (endMs > gate.creditMs() && this.sentMs() > gate.creditMs() - pace.leadMs) {
      this.heldBy = 'credit';
      return Number.POSITIVE_INFINITY;
    }
    return sendableFromMs(pace, this.toMs(samples), this.anchorMs, endMs);
  }
  /** Told at once, and not when it is over: that may take long. What is left of the gap is told then. */
  private tellDry(nowMs: number, gate: SendGate): void {
    const gapMs = starvedMs(this.anchorMs, this.sentMs(), nowMs);
    if (gapMs < DRY_LOOK_MS || this.toldDryAtSamples === this.sentSamples) return;
    this.toldDryAtSamples = this.sentSamples;
    this.anchorMs += gapMs;
    gate.onUnderrun(this.sentMs(), gapMs);
  }
  /**
   * The producer of frames tells of the next one. What keeps the queue empty counts from the moment when the listener runs
   * dry; from then on a pause in the text excuses the upstream, for it cannot speak what it has not been given.
   */
  private awaitFrames(nowMs: number, gate: SendGate): void {
    const dryMs = this.heardUntilMs();
    if (nowMs < dryMs || this.heldBy === undefined || this.heldBy === 'upstream')
      this.heldBy = gate.emptyBecause();
    if (this.heldBy === 'upstream' && gate.waitsForQuota()) this.tellDry(nowMs, gate);
    const isNew = nowMs < dryMs + DRY_LOOK_MS;
    this.nextMs = nowMs < dryMs ? dryMs : (isNew ? dryMs : nowMs) + DRY_LOOK_MS;
  }
}
