// The arithmetic of one listener's time. Media position 0 of a turn is heard at `anchorMs`; a turn may be sent up to `leadMs` ahead
// of what is heard now. The schedule is absolute, so lateness never adds up; an underrun moves the anchor, so catching up never
// exceeds the lead.

export type Pace = { readonly mode: 'realtime' | 'burst'; readonly leadMs: number };

/** Below this a late frame is timer noise, not an audible gap. */
const MIN_GAP_MS = 1;

/** A few ticks of the playout clock, which may be late. */
const LATENESS_MS = 20;

/**
 * How far ahead a frame of `frameMs` may be sent. Frames are sent whole, so with a lead of one frame or less the listener would run
 * dry at each; even then no more than the lead and one frame is ahead of the listener.
 */
export const leadForFrameMs = (pace: Pace, frameMs: number): number =>
  Math.max(pace.leadMs, frameMs + LATENESS_MS);

/**
 * How far frames are coalesced, by the number of listeners: how long before its time a frame may be sent with one that is due. Of
 * telephone audio 20 ms make two frames a write, 40 three, 80 five. The lead may be exceeded by as much, so it is a small part of it.
 */
const COALESCING = [
  { listeners: 300, leadMs: 200, earlyMs: 80 },
  { listeners: 200, leadMs: 200, earlyMs: 40 },
  { listeners: 50, leadMs: 100, earlyMs: 20 },
] as const;

/**
 * With many listeners the polling and write cost per listener is worth sharing among frames. A few listeners get each frame at its
 * own time; no frame is sent later than it would be alone.
 */
export const coalesceMs = (pace: Pace, listeners: number): number =>
  COALESCING.find((row) => listeners >= row.listeners && pace.leadMs >= row.leadMs)?.earlyMs ?? 0;

/** When a frame of `frameMs` that ends at media position `endMs` may be sent; in the infinite past for a burst. */
export const sendableFromMs = (pace: Pace, frameMs: number, anchorMs: number, endMs: number): number =>
  pace.mode === 'burst' ? Number.NEGATIVE_INFINITY : anchorMs + endMs - leadForFrameMs(pace, frameMs);

/**
 * The length of the underrun when a frame at media position `sentMs` is about to be sent at `nowMs`; 0 while the listener had audio.
 */
export function starvedMs(anchorMs: number, sentMs: number, nowMs: number): number {
  const gap = nowMs - anchorMs - sentMs;
  return gap >= MIN_GAP_MS ? gap : 0;
}

/** What a listener has heard by the clock: never before the start, never more than was sent. */
export const heardByClockMs = (anchorMs: number, sentMs: number, nowMs: number): number =>
  Math.max(0, Math.min(sentMs, nowMs - anchorMs));
