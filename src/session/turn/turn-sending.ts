// The frames of one turn through its outlet: what may hold them back, what is said along with them, and how the listener's
// side of it is followed.

import type { AudioFrame } from '../../audio/stage.ts';
import type { FrameQueue } from '../../playout/frame-queue.ts';
import { coalesceMs, type Pace } from '../../playout/pacer.ts';
import type { TurnOutlet } from '../session-outlet.ts';
import { createTurnPlayout } from './create-turn-playout.ts';
import type { TurnCaptions } from './turn-captions.ts';
import { createTurnHearing, type TurnHearing } from './turn-hearing.ts';
import { wholeMs } from './turn-messages.ts';
import type { TurnParts } from './turn-parts.ts';
import type { SendGate, TurnPlayout, TurnPlayoutOptions } from './turn-playout.ts';

export type TurnSending = {
  readonly playout: TurnPlayout;
  readonly hearing: TurnHearing;
  /** Begins the turn, to be heard from `freeAtMs` on, if its first audio is due; answers whether it did. */
  start(freeAtMs: number, nowMs: number): boolean;
  /** Sends all frames that are due at `nowMs`. */
  send(nowMs: number): void;
};

/** What it needs of the turn's parts. */
export type SendingParts = Pick<TurnParts, 'live' | 'script' | 'speech' | 'captions'>;

/** Media positions are counted in samples on one side and in frames of MP3 on the other. */
export const ROUNDING_MS = 1;
/** Of what was sent to a leg: more is not before any. */
const MOST_GIVEN_BACK_MS = 10_000;

/** It is what its playout asks and tells, too: an object less to find for each frame. */
class OutletSending implements TurnSending, TurnPlayoutOptions, SendGate {
  readonly pace: Pace;
  readonly frames: FrameQueue;
  readonly givesBackMs: number;
  private readonly parts: SendingParts;
  private readonly outlet: TurnOutlet;
  private readonly captions: TurnCaptions;
  readonly playout: TurnPlayout;
  readonly hearing: TurnHearing;

  constructor(parts: SendingParts) {
    const { id, settings, runtime, outlet } = parts.live;
    this.pace = { mode: settings.pace, leadMs: settings.leadMs };
    this.frames = parts.speech.frames;
    this.givesBackMs = outlet.takeBack === undefined ? 0 : MOST_GIVEN_BACK_MS;
    this.parts = parts;
    this.outlet = outlet;
    this.captions = parts.captions;
    this.playout = createTurnPlayout(this);
    this.hearing = createTurnHearing({
      settings,
      playout: this.playout,
      creditTimeoutMs: runtime.limits.creditTimeoutMs,
      reports: outlet.reports,
      onMark: (name, outcome) => outlet.say({ type: 'mark', turn: id, name, outcome }),
    });
  }

  start(freeAtMs: number, nowMs: number): boolean {
    const { speech } = this.parts;
    const inHand = { sampleRate: speech.sampleRate(), waitingMs: speech.waitingMs() };
    return this.playout.start(freeAtMs, nowMs, inHand, this);
  }
  send(nowMs: number): void {
    this.playout.send(nowMs, this);
  }

  onFrame(frame: AudioFrame, seq: number, atMs: number, durationMs: number): void {
    const { id: turn, settings } = this.parts.live;
    this.captions.say(atMs + durationMs + ROUNDING_MS);
    const encoding = settings.audio;
    this.outlet.sendAudio({ turn, encoding, seq, atMs, durationMs, bytes: frame.bytes });
  }
  onUnderrun(atMs: number, gapMs: number): void {
    const { id, runtime, outlet } = this.parts.live;
    runtime.metrics.underrun(gapMs);
    outlet.say({ type: 'underrun', turn: id, atMs: wholeMs(atMs), gapMs: wholeMs(gapMs) });
  }
  creditMs(): number {
    return this.hearing.creditMs();
  }
  isCongested(): boolean {
    return this.outlet.isCongested();
  }
  emptyBecause(): 'upstream' | 'text' {
    const { script, speech } = this.parts;
    const lacksText = script.input() === 'open' && !script.stretch().requests.hasText() && !speech.isAsking();
    return lacksText ? 'text' : 'upstream';
  }
  waitsForQuota(): boolean {
    return this.parts.speech.waitsForQuota();
  }
  coalesceMs(): number {
    return coalesceMs(this.pace, this.parts.live.runtime.playout.playing());
  }
}

export const createTurnSending = (parts: SendingParts): TurnSending => new OutletSending(parts);
