// Writes the frames of a call whose far side plays audio as it comes: each frame when it is due, with a lead that covers lateness,
// and no larger burst than that. Slots that were missed beyond the lead are lost. Times are absolute.

import type { LegRules } from '../legs/leg.ts';
import { type FrameRingMemory, readFrameRing } from './frame-ring.ts';
import type { PlayoutClock } from './playout-clock.ts';

export type FrameMeter = {
  /** There is a frame again after there was none. */
  kick(): void;
  /** Frames that were not written stay in the ring. */
  close(): void;
};

export type FrameMeterOptions = {
  readonly memory: FrameRingMemory;
  readonly rules: Pick<LegRules, 'leadMs' | 'stepMs'>;
  readonly write: (frame: Uint8Array) => void;
  readonly playout: PlayoutClock;
  readonly now: () => number;
};

export function createFrameMeter({ memory, rules, write, playout, now }: FrameMeterOptions): FrameMeter {
  const { leadMs, stepMs } = rules;
  const ring = readFrameRing(memory);
  let playsUntilMs = ring.playsUntilMs();
  const nextMs = () => playsUntilMs + stepMs - leadMs;

  const sendDue = (nowMs: number) => {
    while (nextMs() <= nowMs) {
      // After an underrun the schedule starts again from now.
      const untilMs = Math.max(playsUntilMs, nowMs) + stepMs;
      const frame = ring.take(untilMs);
      if (frame === undefined) return;
      playsUntilMs = untilMs;
      write(frame);
    }
  };
  const player = {
    dueMs: () => (ring.waiting() > 0 ? nextMs() : Number.POSITIVE_INFINITY),
    sendDue,
    wantsRefill: () => false,
    refill() {},
  };
  playout.join(player, 'thin');

  return {
    kick: () => sendDue(now()),
    close: () => playout.leave(player),
  };
}
