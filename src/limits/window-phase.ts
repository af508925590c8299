// Where a service's counting windows begin, learned from the resets that it reports. Each reset names an interval in which a boundary
// lies (an answer is under way for a while, and seconds are rounded); their intersection is kept. Resets without an intersection mean
// windows that move.

export type WindowPhase = {
  /** The newest boundary known lies in this interval of the store's clock. */
  readonly loMs: number;
  readonly hiMs: number;
  /** Periods between the first boundary seen and the newest. */
  readonly periods: number;
  /** Enough resets agree: the windows are fixed. */
  readonly confirmed: boolean;
};

/** `[fromMs, toMs]`: where a boundary lies by one answer. */
export type ResetInterval = { readonly fromMs: number; readonly toMs: number };

/** Two clocks may drift apart by this share of the time: 100 parts in a million. */
const DRIFT = 1e-4;
const SECOND_MS = 1000;

/**
 * A request sent at `sentAtMs` and answered at `atMs` with "the window ends in `resetMs`". Whole seconds are taken to be
 * rounded, up or down.
 */
export function resetInterval(sentAtMs: number, atMs: number, resetMs: number): ResetInterval {
  const roundedMs = resetMs % SECOND_MS === 0 ? SECOND_MS : 0;
  return { fromMs: sentAtMs + resetMs - roundedMs, toMs: atMs + resetMs + roundedMs };
}

export const firstPhase = ({ fromMs, toMs }: ResetInterval): WindowPhase => ({
  loMs: fromMs,
  hiMs: toMs,
  periods: 0,
  confirmed: false,
});

/**
 * The phase after one more reset; undefined when it contradicts. Confirmed when resets of at least `minPeriods` different windows
 * agree, and so many that a window which begins with its first request would have been seen to move: by then it has moved by at
 * least `moveMs` with each window, compared with the width of one interval.
 */
export function refinePhase(
  phase: WindowPhase,
  seen: ResetInterval,
  { periodMs, moveMs, minPeriods }: { periodMs: number; moveMs: number; minPeriods: number },
): WindowPhase | undefined {
  const middleMs = (phase.loMs + phase.hiMs) / 2;
  const apart = Math.round(((seen.fromMs + seen.toMs) / 2 - middleMs) / periodMs);
  // An overtaken answer names an earlier boundary; that one is moved on, never the newest one back.
  const later = Math.max(0, apart);
  const behindMs = (later - apart) * periodMs;
  const slackMs = Math.ceil(later * periodMs * DRIFT);
  const loMs = Math.max(phase.loMs + later * periodMs - slackMs, seen.fromMs + behindMs);
  const hiMs = Math.min(phase.hiMs + later * periodMs + slackMs, seen.toMs + behindMs);
  if (loMs > hiMs) return undefined;
  const periods = phase.periods + later;
  const confirmed = phase.confirmed || (periods >= minPeriods && periods * moveMs > seen.toMs - seen.fromMs);
  if (later === 0 && loMs === phase.loMs && hiMs === phase.hiMs && confirmed === phase.confirmed)
    return phase;
  return { loMs, hiMs, periods, confirmed };
}
