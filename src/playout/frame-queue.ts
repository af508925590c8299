// The few hundred milliseconds of encoded frames that wait in front of a listener. The only place where
// playback holds decoding back: the producer asks `isFull` and awaits `room()`; whoever drains the queue
// (the clock, an HTTP body, a file) calls `refill()` after its sending, never inside it. Between two refills at
// most one capacity is let in, even when every frame is sent at once: a burst must not decode minutes in one go.
// Room is offered half of the capacity at a time: waking a decoder for every single frame costs more than it, and one that
// decodes several in a row finds its tables in the processor's cache.
//
//   decode → push ─▶ [ frame frame frame ] ─▶ shift → socket
//                      ▲ isFull / room()   refill() ┘

import { createFrameStore } from '../audio/frame-store.ts';
import type { AudioFrame } from '../audio/stage.ts';
import { createLoneWaiter } from '../base/lone-waiter.ts';

export type FrameQueue = {
  /** Always takes the frame, a copy: one MP3 frame may become several, so the bound is asked before, not here. */
  readonly push: (frame: AudioFrame) => void;
  /** Of the next frame. */
  nextSamples(): number | undefined;
  /** Its bytes are good until the next call. */
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

const toFrame = (bytes: Uint8Array, samples: number): AudioFrame => ({ bytes, samples });

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
  const frames = createFrameStore(toFrame);
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
      frames.add(frame.bytes, frame.samples);
      samples += frame.samples;
      letIn += frame.samples;
      bytes += frame.bytes.length;
      onPush();
    },
    nextSamples: () => frames.firstNote(),
    shift() {
      const frame = frames.takeFirst();
      if (frame === undefined) return undefined;
      samples -= frame.samples;
      bytes -= frame.bytes.length;
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
      frames.clear();
      samples = 0;
      bytes = 0;
      if (phase === 'ended') phase = 'open';
      return dropped;
    },
    putBack(taken) {
      if (phase === 'cleared') return;
      const behind = frames.range(0, frames.frames());
      frames.clear();
      for (const frame of [...taken, ...behind]) frames.add(frame.bytes, frame.samples);
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
      frames.clear();
      samples = 0;
      bytes = 0;
      refill();
    },
  };
}
