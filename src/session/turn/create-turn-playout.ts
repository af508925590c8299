// What turn-playout.ts promises: arithmetic and a queue; the clock calls it, the live turn is told.

import { createAudioFrameStore, type FrameStore } from '../../audio/frame-store.ts';
import type { AudioFrame } from '../../audio/stage.ts';
import { sendableFromMs, starvedMs } from '../../playout/pacer.ts';
import { TICK_MS } from '../../playout/playout-clock.ts';
import type { Position } from './heard-ledger.ts';
import type { AudioInHand, Holder, SendGate, TurnPlayout, TurnPlayoutOptions } from './turn-playout.ts';

/** Playing begins with at least this much in hand, so that a slow start is no stutter; with less to hear ticks are too slow. */
const START_MS = 60;
/** Whether it is the upstream or the text that a listener who has nothing to hear waits for is looked at so often. */
const DRY_LOOK_MS = 20;
/** Rounding of samples to ms must not hold a frame back for a tick. */
const EPSILON_MS = 0.01;

/** Of hundreds of turns none is in the cache when its time comes. */
class PacedPlayout implements TurnPlayout {
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
  /** Sent last, oldest first, as far back as it may be given back. */
  private readonly kept: FrameStore<number, AudioFrame> | undefined;
  private keptSamples = 0;
  /** Hz; that of the first frame is that of all. */
  private rate = 8000;

  constructor(options: TurnPlayoutOptions) {
    this.options = options;
    this.kept = (options.givesBackMs ?? 0) > 0 ? createAudioFrameStore() : undefined;
  }

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
      this.nextMs = this.frameDueMs(samples, gate);
      if (this.nextMs > untilMs) return;
      untilMs = nowMs + gate.coalesceMs();
      const atMs = this.sentMs();
      const gapMs = starvedMs(this.anchorMs, atMs, nowMs);
      if (gapMs > 0) {
        this.anchorMs += gapMs;
        if (this.seq > 0 && (this.heldBy ?? 'upstream') === 'upstream') this.options.onUnderrun(atMs, gapMs);
      }
      this.heldBy = undefined;
      const frame = frames.shift();
      if (frame === undefined) return; // who was told of a gap has ended it all
      this.sentSamples += samples;
      this.lastSentAtMs = nowMs;
      this.keep(frame);
      this.options.onFrame(frame, this.seq, atMs, this.sentMs() - atMs);
      this.seq += 1;
    }
  }
  dueMs(): number {
    return this.nextMs;
  }
  isShort(nowMs: number): boolean {
    const isRightBehind = nowMs < this.lastSentAtMs + TICK_MS;
    return this.isEmpty && !isRightBehind && this.heardUntilMs() - nowMs < START_MS;
  }
  hasSentAll(): boolean {
    return this.isEmpty;
  }
  position(nowMs: number): Position {
    const { anchorMs, stillAtMs } = this;
    return {
      anchorMs,
      sentMs: this.sentMs(),
      nowMs: stillAtMs === undefined ? nowMs : anchorMs + stillAtMs,
    };
  }
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
  takeBack(fromMs: number): readonly AudioFrame[] {
    const back: AudioFrame[] = [];
    for (let last = this.kept?.lastNote(); last !== undefined; last = this.kept?.lastNote()) {
      if (this.toMs(this.sentSamples - last) < fromMs - EPSILON_MS) break;
      const { bytes, samples } = this.kept!.takeLast()!;
      this.keptSamples -= samples;
      this.sentSamples -= samples;
      back.unshift({ bytes: bytes.slice(), samples });
    }
    return back;
  }
  close(): void {
    this.kept?.clear();
  }
  skip(nowMs: number): void {
    if (this.beganAtMs === undefined) return;
    if (this.stillAtMs !== undefined) this.stillAtMs = this.sentMs();
    else this.anchorMs = Math.min(this.anchorMs, nowMs - this.sentMs());
  }
  pullForward(ms: number): void {
    this.anchorMs -= ms;
  }
  sentMs(): number {
    return this.toMs(this.sentSamples);
  }
  heardUntilMs(): number {
    return this.anchorMs + this.sentMs();
  }
  startedAtMs(): number | undefined {
    return this.beganAtMs;
  }
  goingSinceMs(): number | undefined {
    return this.onSinceMs;
  }
  holder(): Holder | undefined {
    return this.heldBy;
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
  private tellDry(nowMs: number): void {
    const gapMs = starvedMs(this.anchorMs, this.sentMs(), nowMs);
    if (gapMs < DRY_LOOK_MS || this.toldDryAtSamples === this.sentSamples) return;
    this.toldDryAtSamples = this.sentSamples;
    this.anchorMs += gapMs;
    this.options.onUnderrun(this.sentMs(), gapMs);
  }
  /**
   * Whoever makes frames tells of the next one. Who keeps the queue empty counts from the moment when the listener runs
   * dry; from then on a pause in the text excuses the upstream, for it cannot speak what it has not been given.
   */
  private awaitFrames(nowMs: number, gate: SendGate): void {
    const dryMs = this.heardUntilMs();
    if (nowMs < dryMs || this.heldBy === undefined || this.heldBy === 'upstream')
      this.heldBy = gate.emptyBecause();
    if (this.heldBy === 'upstream' && gate.waitsForQuota()) this.tellDry(nowMs);
    const isNew = nowMs < dryMs + DRY_LOOK_MS;
    this.nextMs = nowMs < dryMs ? dryMs : (isNew ? dryMs : nowMs) + DRY_LOOK_MS;
  }
}

export const createTurnPlayout = (options: TurnPlayoutOptions): TurnPlayout => new PacedPlayout(options);
