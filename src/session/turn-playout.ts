// The frames of one turn on their way to one listener: what may be sent now, what he has been sent, when he ran
// dry. Arithmetic and a queue; the clock calls it, the live turn is told.

import type { AudioFrame } from '../audio/stage.ts';
import type { FrameQueue } from '../playout/frame-queue.ts';
import { type Pace, sendableUntilMs, starvedMs } from '../playout/pacer.ts';
import type { Position } from './heard-ledger.ts';

/** Why nothing may be sent although the listener may be running dry. Only `upstream` makes an underrun. */
export type Holder = 'upstream' | 'text' | 'credit' | 'congestion';

export type SendGate = {
  /** Media position up to which the listener has given credit, ms. */
  readonly creditMs: number;
  readonly isCongested: () => boolean;
  /** Who is to blame when the queue is empty: the upstream, or a caller who has given no text. */
  readonly emptyBecause: () => 'upstream' | 'text';
};

export type TurnPlayout = {
  /** Media position 0 will be heard at `anchorMs`; sending begins at `nowMs`. */
  start(anchorMs: number, nowMs: number): void;
  /** Sends all frames that are due at `nowMs`. */
  send(nowMs: number, gate: SendGate): void;
  position(nowMs: number): Position;
  /** The listener dropped `ms` of earlier audio. */
  readonly pullForward: (ms: number) => void;
  readonly sentMs: number;
  /** When sending began; undefined before. */
  readonly startedAtMs: number | undefined;
  readonly holder: Holder | undefined;
};

export type TurnPlayoutOptions = {
  readonly pace: Pace;
  readonly frames: FrameQueue;
  /** Hz; known once there is a frame. */
  readonly sampleRate: () => number | undefined;
  onFrame(frame: AudioFrame, seq: number, atMs: number, durationMs: number): void;
  onUnderrun(atMs: number, gapMs: number): void;
};

/** Rounding of samples to ms must not hold a frame back for a tick. */
const EPSILON_MS = 0.01;

export function createTurnPlayout(options: TurnPlayoutOptions): TurnPlayout {
  const { pace, frames } = options;
  let anchorMs = 0;
  let startedAtMs: number | undefined;
  let sentSamples = 0;
  let seq = 0;
  let holder: Holder | undefined;

  const toMs = (samples: number) => (samples * 1000) / (options.sampleRate() ?? 8000);

  const mayGo = (frame: AudioFrame, nowMs: number, gate: SendGate): boolean => {
    const endMs = toMs(sentSamples + frame.samples) - EPSILON_MS;
    // A frame longer than the whole credit still goes, alone: otherwise it never would.
    if (endMs > gate.creditMs && toMs(sentSamples) > gate.creditMs - pace.leadMs) {
      holder = 'credit';
      return false;
    }
    return endMs <= sendableUntilMs(pace, toMs(frame.samples), anchorMs, nowMs);
  };

  /**
   * Who keeps the queue empty counts from the moment when the listener runs dry; from then on a pause in the text
   * excuses the upstream, for it cannot speak what it has not been given.
   */
  const blameForEmpty = (nowMs: number, gate: SendGate) => {
    const isDry = nowMs >= anchorMs + toMs(sentSamples);
    if (!isDry || holder === undefined || holder === 'upstream') holder = gate.emptyBecause();
  };

  return {
    start(startMs, nowMs) {
      anchorMs = startMs;
      startedAtMs = nowMs;
    },
    send(nowMs, gate) {
      for (let frame = frames.peek(); ; frame = frames.peek()) {
        if (frame === undefined) {
          if (!frames.isEnded) blameForEmpty(nowMs, gate);
          return;
        }
        if (gate.isCongested()) {
          holder = 'congestion';
          return;
        }
        if (!mayGo(frame, nowMs, gate)) return;
        const atMs = toMs(sentSamples);
        const gapMs = starvedMs(anchorMs, atMs, nowMs);
        if (gapMs > 0) {
          anchorMs += gapMs;
          if (seq > 0 && (holder ?? 'upstream') === 'upstream') options.onUnderrun(atMs, gapMs);
        }
        holder = undefined;
        frames.shift();
        sentSamples += frame.samples;
        options.onFrame(frame, seq, atMs, toMs(sentSamples) - atMs);
        seq += 1;
      }
    },
    position: (nowMs) => ({ anchorMs, sentMs: toMs(sentSamples), nowMs }),
    pullForward(ms) {
      anchorMs -= ms;
    },
    get sentMs() {
      return toMs(sentSamples);
    },
    get startedAtMs() {
      return startedAtMs;
    },
    get holder() {
      return holder;
    },
  };
}
