// The few hundred milliseconds of encoded frames that wait in front of a listener. The only place where
// playback holds decoding back: the producer asks `isFull` and awaits `room()`; whoever drains the queue
// (the clock, an HTTP body, a file) calls `refill()` after its sending, never inside it. Between two refills at
// most one capacity is let in, even when every frame is sent at once: a burst must not decode minutes in one go.
// Room is offered half of the capacity at a time: waking a decoder for every single frame costs more than it, and one that
// decodes several in a row finds its tables in the processor's cache.
//
//   decode → push ─▶ [ frame frame frame ] ─▶ shift → socket
//                      ▲ isFull / room()   refill() ┘

import type { AudioFrame } from '../audio/stage.ts';
import { createLoneWaiter } from '../base/lone-waiter.ts';

export type FrameQueue = {
  /** Always takes the frame: one MP3 frame may become several, so the bound is asked before, not here. */
  readonly push: (frame: AudioFrame) => void;
  peek(): AudioFrame | undefined;
  shift(): AudioFrame | undefined;
  isFull(): boolean;
  queuedSamples(): number;
  queuedBytes(): number;
  /** Resolves when decoding may go on; rejects with the signal's reason. One waiter at a time. */
  room(signal: AbortSignal): Promise<void>;
  wantsRefill(): boolean;
  /** Lets a waiting producer go on. */
  readonly refill: () => void;
  /** No further frame will come. */
  end(): void;
  isEnded(): boolean;
  /** Drops what is queued and takes frames again, even after its end; tells how many samples are gone. */
  drop(): number;
  /** Frames that were taken are to be taken again, before all others. */
  putBack(taken: readonly AudioFrame[]): void;
  /** Takes frames again after its end, behind those that are queued. */
  reopen(): void;
  /** Drops everything, for a cancel; frames pushed afterwards are dropped too. */
  clear(): void;
};

/** A waiting producer may go on when no more than this of the capacity is left. */
const REFILL_SHARE = 1 / 2;

/**
 * `onPush` runs after each frame, so that a starved listener is served without waiting for the next tick; `onWait`
 * when a producer begins to wait although there is room, for whoever refills may have looked before. Before the first
 * refill no more than `firstSamples` are let in: what begins is heard soon, and holds up nobody else who begins.
 */
export function createFrameQueue(
  capacitySamples: () => number,
  onPush: () => void,
  onWait: () => void = () => {},
  firstSamples: () => number = capacitySamples,
): FrameQueue {
  let frames: AudioFrame[] = [];
  let head = 0;
  let samples = 0;
  let bytes = 0;
  let phase: 'open' | 'ended' | 'cleared' = 'open';
  const waiter = createLoneWaiter();
  /** Pushed since the last refill, and how much that may be. */
  let letIn = 0;
  let mostSamples = firstSamples;

  const isFull = () => phase === 'open' && (samples >= capacitySamples() || letIn >= mostSamples());
  const hasRoom = () => {
    const capacity = capacitySamples();
    return capacity > 0 && samples <= capacity * REFILL_SHARE;
  };
  const refill = () => {
    letIn = 0;
    mostSamples = capacitySamples;
    waiter.release();
  };

  return {
    push(frame) {
      if (phase === 'cleared') return;
      frames.push(frame);
      samples += frame.samples;
      letIn += frame.samples;
      bytes += frame.bytes.length;
      onPush();
    },
    peek: () => frames[head],
    shift() {
      const frame = frames[head];
      if (frame === undefined) return undefined;
      head += 1;
      samples -= frame.samples;
      bytes -= frame.bytes.length;
      if (head === frames.length || head >= 64) {
        frames = frames.slice(head);
        head = 0;
      }
      return frame;
    },
    isFull,
    queuedSamples: () => samples,
    queuedBytes: () => bytes,
    room(signal) {
      if (!isFull()) return Promise.resolve();
      const waited = waiter.wait(signal);
      if (waiter.isWaiting() && hasRoom()) onWait();
      return waited;
    },
    wantsRefill: () => waiter.isWaiting() && hasRoom(),
    refill,
    end() {
      if (phase === 'open') phase = 'ended';
    },
    isEnded: () => phase !== 'open',
    drop() {
      const dropped = samples;
      frames = [];
      head = 0;
      samples = 0;
      bytes = 0;
      if (phase === 'ended') phase = 'open';
      return dropped;
    },
    putBack(taken) {
      if (phase === 'cleared') return;
      frames = [...taken, ...frames.slice(head)];
      head = 0;
      for (const frame of taken) {
        samples += frame.samples;
        bytes += frame.bytes.length;
      }
    },
    reopen() {
      if (phase === 'ended') phase = 'open';
    },
    clear() {
      phase = 'cleared';
      frames = [];
      head = 0;
      samples = 0;
      bytes = 0;
      refill();
    },
  };
}
