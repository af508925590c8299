// Every paced frame of a fixed length held against the schedule of its own turn, which begins with the turn's first frame.

import { monotonicMs } from './monotonic.ts';

export type FrameTally = {
  /** How much later than its schedule each paced frame came, ms; a schedule that began late makes some negative. */
  readonly latenessMs: number[];
  /** Frames that came after the moment at which a player without any buffer of its own needed them. */
  dryFrames: number;
};

export type FrameSchedule = {
  /** The next frame is the first of a turn. */
  begin(): void;
  /** A listener that ran dry goes on that much later. */
  shift(gapMs: number): void;
  came(tally: FrameTally): void;
};

export const FRAME_MS = 20;
export const LEAD_MS = 200;

/** `frameMs`: of each frame; `leadMs`: how far ahead it is sent. */
export function createFrameSchedule(frameMs: number = FRAME_MS, leadMs: number = LEAD_MS): FrameSchedule {
  let startedAtMs = 0;
  let frame = -1;
  return {
    begin() {
      frame = -1;
    },
    shift(gapMs) {
      startedAtMs += gapMs;
    },
    came(tally) {
      const nowMs = monotonicMs();
      frame += 1;
      if (frame === 0) startedAtMs = nowMs;
      const playedAtMs = startedAtMs + frame * frameMs;
      if (nowMs > playedAtMs + 1) tally.dryFrames += 1;
      // What is within the lead comes at once when the turn begins; behind it, each frame has its time.
      const sentAtMs = playedAtMs + frameMs - leadMs;
      if (sentAtMs > startedAtMs) tally.latenessMs.push(nowMs - sentAtMs);
    },
  };
}
