// The frames of one turn on their way to one listener: what may be sent now, what has been sent, when the listener had
// nothing left to play. Arithmetic and a queue: the clock calls it, the live turn is told.

import { createAudioFrameStore, type FrameStore } from '../../audio/frame-store.ts';
import type { AudioFrame } from '../../audio/stage.ts';
import type { FrameQueue } from '../../playout/frame-queue.ts';
import { type Pace, sendableFromMs, starvedMs } from '../../playout/pacer.ts';
import { TICK_MS } from '../../playout/playout-clock.ts';
import { HadSound, type HadSoundOptions } from './had-sound.ts';
import type { Position } from './heard-ledger.ts';

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
  private readonly kept: FrameStore<number, AudioFrame> | undefined;
  private keptSamples = 0;
  /** Hz; that of the first frame is that of all. */
  private rate = 8000;
  /** Until it has been passed. */
  private had: HadSound | undefined;

  constructor(options: TurnPlayoutOptions) {
    this.options = options;
    this.had = options.had && new HadSound(options.had);
    this.kept = (options.givesBackMs ?? 0) > 0 ? createAudioFrameStore() : undefined;
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
    this.anchorMs = Math.max(nowMs, freeAtMs);
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
    const { anchorMs, stillAtMs } = this;
    if (this.had !== undefined) {
      const sentMs = this.reachedMs();
      const heardAtMs = this.beganAtMs === undefined ? nowMs : this.heardUntilMs();
      return { anchorMs: heardAtMs - sentMs, sentMs, nowMs: Math.max(nowMs, heardAtMs) };
    }
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
    if (this.beganAtMs !== undefined && playedMs !== undefined)
      this.stillAtMs = Math.min(playedMs, this.sentMs());
  }
  resume(nowMs: number): void {
    if (this.beganAtMs === undefined) return;
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
    for (let last = this.kept?.lastNote(); last !== undefined; last = this.kept?.lastNote()) {
      if (this.toMs(this.sentSamples - last) < fromMs - EPSILON_MS) break;
      const { bytes, samples } = this.kept!.takeLast()!;
      this.keptSamples -= samples;
      this.sentSamples -= samples;
      back.unshift({ bytes: new Uint8Array(bytes), samples });
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
  sentMs(): number {
    return this.toMs(this.sentSamples);
  }
  /** As `sentMs`; of a turn that has not come so far again as the listener has had it in an earlier life, what is known of that. */
  reachedMs(): number {
    return Math.max(this.sentMs(), this.had?.leastMs() ?? 0);
  }
  /** What the listener has had in an earlier life has not all been made again. */
  isBehindHad(): boolean {
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
    this.had = undefined;
    const restBytes = had.restBytes();
    if (restBytes !== undefined) {
      had.onPassed(untilMs);
      if (restBytes === 0) return;
      this.anchorMs = nowMs - atMs;
      const rest = { bytes: frame.bytes.subarray(frame.bytes.length - restBytes), samples };
      return gate.onFrame(rest, seq, atMs, untilMs - atMs);
    }
    frames.putBack(this.takeBack(had.wordAt(untilMs)));
    this.anchorMs = nowMs - this.sentMs();
    had.onPassed(this.sentMs());
    const bytes = had.head();
    if (bytes.length > 0) gate.onFrame({ bytes, samples: 0 }, this.seq++, this.sentMs(), 0);
  }
  private toMs(samples: number): number {
    return (samples * 1000) / this.rate;
  }
  private keep(frame: AudioFrame): void {
    const { kept } = this;
    if (kept === undefined) return;
    kept.add(frame.bytes, frame.samples);
    this.keptSamples += frame.samples;
    const mostMs = this.options.givesBackMs ?? 0;
    for (
      let first = kept.firstNote()!;
      this.toMs(this.keptSamples - first) > mostMs;
      first = kept.firstNote()!
    ) {
      kept.dropFirst();
      this.keptSamples -= first;
    }
  }
  /** When the next frame, of so many samples, may go; infinite while the listener's credit does not reach so far. */
  private frameDueMs(samples: number, gate: SendGate): number {
    const { pace } = this.options;
    const endMs = this.toMs(this.sentSamples + samples) - EPSILON_MS;
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
