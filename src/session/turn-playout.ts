// The frames of one turn on their way to one listener: what may be sent now, what he has been sent, when he ran
// dry. Arithmetic and a queue; the clock calls it, the live turn is told.

import { createFrameStore } from '../audio/frame-store.ts';
import type { AudioFrame } from '../audio/stage.ts';
import type { FrameQueue } from '../playout/frame-queue.ts';
import { type Pace, sendableFromMs, starvedMs } from '../playout/pacer.ts';
import type { Position } from './heard-ledger.ts';

/** Why nothing may be sent although the listener may be running dry. Only `upstream` makes an underrun. */
export type Holder = 'upstream' | 'text' | 'credit' | 'congestion';

export type SendGate = {
  /** Media position up to which the listener has given credit, ms. */
  creditMs(): number;
  readonly isCongested: () => boolean;
  /** Who is to blame when the queue is empty: the upstream, or a caller who has given no text. */
  readonly emptyBecause: () => 'upstream' | 'text';
  /** A frame that goes takes along those that are due so soon after it, ms. */
  readonly coalesceMs: () => number;
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
   * When time alone will let `send` do more, as of its last run. What keeps the listener waiting and tells nobody when
   * it is over, a full socket or an empty queue, is worth a look at every tick; credit comes with a message.
   */
  dueMs(): number;
  /**
   * The next frame is worth a `send` of its own: the last one left nothing behind, and the listener has little to hear.
   * To one who has more it goes at the next tick, with whatever comes until then.
   */
  isShort(nowMs: number): boolean;
  position(nowMs: number): Position;
  /**
   * Nothing is sent until `resume`, and the listener's time stands still where he has heard what he was sent, or at
   * `playedMs` when he says so himself.
   */
  pause(playedMs: number | undefined): void;
  resume(nowMs: number): void;
  /** What was sent from media position `fromMs` on has been given back: it was never sent, and is the caller's again. */
  takeBack(fromMs: number): readonly AudioFrame[];
  /** Nothing will be taken back any more. */
  close(): void;
  /** The listener has dropped what he has not heard. */
  skip(nowMs: number): void;
  /** The listener dropped `ms` of earlier audio. */
  readonly pullForward: (ms: number) => void;
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
  onUnderrun(atMs: number, gapMs: number): void;
  /** Whether what was sent may be given back: so much of it is kept, ms. */
  readonly givesBackMs?: number;
};

/** Playing begins with at least this much in hand, so that a slow start is no stutter; with less to hear ticks are too slow. */
const START_MS = 60;
/** Rounding of samples to ms must not hold a frame back for a tick. */
const EPSILON_MS = 0.01;

export function createTurnPlayout(options: TurnPlayoutOptions): TurnPlayout {
  const { pace, frames, givesBackMs = 0 } = options;
  let anchorMs = 0;
  let startedAtMs: number | undefined;
  let sentSamples = 0;
  let seq = 0;
  let holder: Holder | undefined;
  let dueMs = Number.NEGATIVE_INFINITY;
  let hasSentAll = true;
  let goingSinceMs: number | undefined;
  /** Where the listener's time stands still, as a media position. */
  let stillAtMs: number | undefined;
  /** Sent last, oldest first, as far back as it may be given back. */
  const kept =
    givesBackMs > 0
      ? createFrameStore((bytes, samples: number): AudioFrame => ({ bytes, samples }))
      : undefined;
  let keptSamples = 0;
  const keep = (frame: AudioFrame) => {
    if (kept === undefined) return;
    kept.add(frame.bytes, frame.samples);
    keptSamples += frame.samples;
    for (let first = kept.firstNote()!; toMs(keptSamples - first) > givesBackMs; first = kept.firstNote()!) {
      kept.dropFirst();
      keptSamples -= first;
    }
  };
  const nowOf = (nowMs: number) => (stillAtMs === undefined ? nowMs : anchorMs + stillAtMs);

  /** Hz; that of the first frame is that of all. */
  let rate = 8000;
  const toMs = (samples: number) => (samples * 1000) / rate;

  /** When the next frame, of so many samples, may go; infinite while the listener's credit does not reach so far. */
  const frameDueMs = (samples: number, gate: SendGate): number => {
    const endMs = toMs(sentSamples + samples) - EPSILON_MS;
    // A frame longer than the whole credit still goes, alone: otherwise it never would.
    if (endMs > gate.creditMs() && toMs(sentSamples) > gate.creditMs() - pace.leadMs) {
      holder = 'credit';
      return Number.POSITIVE_INFINITY;
    }
    return sendableFromMs(pace, toMs(samples), anchorMs, endMs);
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
    start(freeAtMs, nowMs, { sampleRate, waitingMs }, gate) {
      const first = frames.nextSamples();
      if (first === undefined || gate.isCongested()) return false;
      rate = sampleRate;
      const firstMs = toMs(first);
      if (nowMs < sendableFromMs(pace, firstMs, freeAtMs, firstMs)) return false;
      if (!frames.isEnded() && waitingMs < Math.min(START_MS, pace.leadMs)) return false;
      anchorMs = Math.max(nowMs, freeAtMs);
      startedAtMs = nowMs;
      goingSinceMs = nowMs;
      return true;
    },
    send(nowMs, gate) {
      dueMs = nowMs;
      let untilMs = nowMs;
      for (let samples = frames.nextSamples(); ; samples = frames.nextSamples()) {
        hasSentAll = samples === undefined;
        if (samples === undefined) {
          if (!frames.isEnded()) blameForEmpty(nowMs, gate);
          return;
        }
        if (gate.isCongested()) {
          holder = 'congestion';
          return;
        }
        dueMs = frameDueMs(samples, gate);
        if (dueMs > untilMs) return;
        untilMs = nowMs + gate.coalesceMs();
        const atMs = toMs(sentSamples);
        const gapMs = starvedMs(anchorMs, atMs, nowMs);
        if (gapMs > 0) {
          anchorMs += gapMs;
          if (seq > 0 && (holder ?? 'upstream') === 'upstream') options.onUnderrun(atMs, gapMs);
        }
        holder = undefined;
        const frame = frames.shift();
        if (frame === undefined) return; // who was told of a gap has ended it all
        sentSamples += samples;
        keep(frame);
        options.onFrame(frame, seq, atMs, toMs(sentSamples) - atMs);
        seq += 1;
      }
    },
    position: (nowMs) => ({ anchorMs, sentMs: toMs(sentSamples), nowMs: nowOf(nowMs) }),
    pause(playedMs) {
      holder = undefined;
      if (startedAtMs !== undefined && playedMs !== undefined)
        stillAtMs = Math.min(playedMs, toMs(sentSamples));
    },
    resume(nowMs) {
      if (startedAtMs === undefined) return;
      const heardMs = stillAtMs ?? Math.min(toMs(sentSamples), nowMs - anchorMs);
      anchorMs = nowMs - heardMs;
      stillAtMs = undefined;
      holder = undefined;
      goingSinceMs = nowMs;
      dueMs = nowMs;
    },
    takeBack(fromMs) {
      const back: AudioFrame[] = [];
      for (let last = kept?.lastNote(); last !== undefined; last = kept?.lastNote()) {
        if (toMs(sentSamples - last) < fromMs - EPSILON_MS) break;
        const { bytes, samples } = kept!.takeLast()!;
        keptSamples -= samples;
        sentSamples -= samples;
        back.unshift({ bytes: bytes.slice(), samples });
      }
      return back;
    },
    skip(nowMs) {
      if (startedAtMs === undefined) return;
      if (stillAtMs !== undefined) stillAtMs = toMs(sentSamples);
      else anchorMs = Math.min(anchorMs, nowMs - toMs(sentSamples));
    },
    close: () => kept?.clear(),
    pullForward(ms) {
      anchorMs -= ms;
    },
    dueMs: () => dueMs,
    isShort: (nowMs) => hasSentAll && anchorMs + toMs(sentSamples) - nowMs < START_MS,
    sentMs: () => toMs(sentSamples),
    heardUntilMs: () => anchorMs + toMs(sentSamples),
    startedAtMs: () => startedAtMs,
    goingSinceMs: () => goingSinceMs,
    holder: () => holder,
  };
}
