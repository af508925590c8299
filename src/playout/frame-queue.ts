// The few hundred milliseconds of encoded frames that wait in front of a listener. The only place where
// playback holds decoding back: the producer asks `isFull` and awaits `room()`; whoever drains the queue
// (the clock, an HTTP body, a file) calls `refill()` after its sending, never inside it. Between two refills at
// most one capacity is let in, even when every frame is sent at once: a burst must not decode minutes in one go.
// Room is offered half of the capacity at a time: waking a decoder for every single frame costs more than it, and one that
// decodes several in a row finds its tables in the processor's cache.
//
//   decode → push ─▶ [ frame frame frame ] ─▶ shift → socket
//                      ▲ isFull / room()   refill() ┘

import { createAudioFrameStore } from '../audio/frame-store.ts';
import type { AudioFrame } from '../audio/stage.ts';
import { SingleWaiter } from '../base/single-waiter.ts';

/** A waiting producer may go on when no more than this of the capacity is left. */
const REFILL_SHARE = 1 / 2;

/** One for each turn, looked at for each frame. */
export class FrameQueue {
  private readonly capacitySamples: () => number;
  private readonly onPush: () => void;
  private readonly onWait: () => void;
  private readonly frames = createAudioFrameStore();
  private readonly waiter = new SingleWaiter();
  private samples = 0;
  private bytes = 0;
  private phase: 'open' | 'ended' | 'cleared' = 'open';
  /** Pushed since the last refill, and how much that may be. */
  private letIn = 0;
  private mostSamples: () => number;

  /**
   * `onPush` runs after each frame, so that a starved listener is served without waiting for the next tick; `onWait`
   * when a producer begins to wait although there is room, for whoever refills may have looked before. Before the first
   * refill no more than `firstSamples` are let in: what begins is heard soon, and holds up nobody else who begins.
   */
  constructor(
    capacitySamples: () => number,
    onPush: () => void,
    onWait: () => void = () => {},
    firstSamples: () => number = capacitySamples,
  ) {
    this.capacitySamples = capacitySamples;
    this.onPush = onPush;
    this.onWait = onWait;
    this.mostSamples = firstSamples;
  }

  /** Always takes the frame, a copy: one MP3 frame may become several, so the bound is asked before, not here. */
  push(frame: AudioFrame): void {
    if (this.phase === 'cleared') return;
    this.frames.add(frame.bytes, frame.samples);
    this.samples += frame.samples;
    this.letIn += frame.samples;
    this.bytes += frame.bytes.length;
    this.onPush();
  }
  /** Of the next frame. */
  nextSamples(): number | undefined {
    return this.frames.firstNote();
  }
  /** Its bytes are good until the next call. */
  shift(): AudioFrame | undefined {
    const frame = this.frames.takeFirst();
    if (frame === undefined) return undefined;
    this.samples -= frame.samples;
    this.bytes -= frame.bytes.length;
    return frame;
  }
  isFull(): boolean {
    if (this.phase !== 'open') return false;
    return this.samples >= this.capacitySamples() || this.letIn >= this.mostSamples();
  }
  queuedSamples(): number {
    return this.samples;
  }
  queuedBytes(): number {
    return this.bytes;
  }
  /** Resolves when decoding may go on; rejects with the signal's reason. One waiter at a time. */
  room(signal: AbortSignal): Promise<void> {
    if (!this.isFull()) return Promise.resolve();
    const waited = this.waiter.wait(signal);
    if (this.wantsRefill()) this.onWait();
    return waited;
  }
  wantsRefill(): boolean {
    return this.waiter.isWaiting() && this.hasRoom();
  }
  /** Lets a waiting producer go on. */
  refill(): void {
    this.letIn = 0;
    this.mostSamples = this.capacitySamples;
    this.waiter.release();
  }
  /** No further frame will come. */
  end(): void {
    if (this.phase === 'open') this.phase = 'ended';
  }
  isEnded(): boolean {
    return this.phase !== 'open';
  }
  /** Drops what is queued and takes frames again, even after its end; tells how many samples are gone. */
  drop(): number {
    const dropped = this.samples;
    this.empty();
    this.reopen();
    return dropped;
  }
  /** Frames that were taken are to be taken again, before all others. */
  putBack(taken: readonly AudioFrame[]): void {
    if (this.phase === 'cleared') return;
    const behind = this.frames.range(0, this.frames.frames());
    this.frames.clear();
    for (const frame of [...taken, ...behind]) this.frames.add(frame.bytes, frame.samples);
    for (const frame of taken) {
      this.samples += frame.samples;
      this.bytes += frame.bytes.length;
    }
  }
  /** Takes frames again after its end, behind those that are queued. */
  reopen(): void {
    if (this.phase === 'ended') this.phase = 'open';
  }
  /** Drops everything, for a cancel; frames pushed afterwards are dropped too. */
  clear(): void {
    this.phase = 'cleared';
    this.empty();
    this.refill();
  }

  private hasRoom(): boolean {
    const capacity = this.capacitySamples();
    return capacity > 0 && this.samples <= capacity * REFILL_SHARE;
  }
  private empty(): void {
    this.frames.clear();
    this.samples = 0;
    this.bytes = 0;
  }
}
