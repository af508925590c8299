// The arithmetic of one listener's time. Media position 0 of a turn is heard at `anchorMs`; a turn may be
// sent up to `leadMs` ahead of what is heard now. The schedule is absolute, so lateness never adds up;
// a listener that ran dry moves the anchor, so catching up never exceeds the lead.

export type Pace = { readonly mode: 'realtime' | 'burst'; readonly leadMs: number };

/** Below this a late frame is timer noise, not a gap that a listener's own buffer would let through. */
const SMALLEST_GAP_MS = 1;

/** Some ticks of the clock, for it may be late. */
const LATENESS_MS = 20;

/**
 * How far ahead a frame of `frameMs` may be sent. It leaves whole, so a lead no longer than one frame would have the
 * listener run dry at each; even then no more than the lead and one frame is ahead of him.
 */
export const leadForFrameMs = (pace: Pace, frameMs: number): number =>
  Math.max(pace.leadMs, frameMs + LATENESS_MS);

/**
 * How long before its time a frame may leave together with one whose time has come: one, two or four frames of telephone
 * sound, where that is little beside the lead. What is ahead of a listener may be more than his lead by so much.
 */
const COMPANY = [
  { listeners: 300, leadMs: 200, earlyMs: 80 },
  { listeners: 200, leadMs: 200, earlyMs: 40 },
  { listeners: 50, leadMs: 100, earlyMs: 20 },
] as const;

/**
 * With many listeners the cost of a look at each and of a write to each is worth sharing among frames. A few listeners get
 * each frame at its own time, many two frames of 20 ms every 40 ms, hundreds three every 60 or five every 100, never one later
 * than alone.
 */
export const coalesceMs = (pace: Pace, listeners: number): number =>
  COMPANY.find((row) => listeners >= row.listeners && pace.leadMs >= row.leadMs)?.earlyMs ?? 0;

/** When a frame of `frameMs` that ends at media position `endMs` may be sent; in the infinite past for a burst. */
export const sendableFromMs = (pace: Pace, frameMs: number, anchorMs: number, endMs: number): number =>
  pace.mode === 'burst' ? Number.NEGATIVE_INFINITY : anchorMs + endMs - leadForFrameMs(pace, frameMs);

/**
 * How long the listener has had nothing to play when a frame at `sentMs` is about to be sent at `nowMs`;
 * 0 while audio was ahead of him.
 */
export function starvedMs(anchorMs: number, sentMs: number, nowMs: number): number {
  const gap = nowMs - anchorMs - sentMs;
  return gap >= SMALLEST_GAP_MS ? gap : 0;
}

/** What a listener has heard by his own clock: never before the start, never more than was sent. */
export const heardByClockMs = (anchorMs: number, sentMs: number, nowMs: number): number =>
  Math.max(0, Math.min(sentMs, nowMs - anchorMs));
