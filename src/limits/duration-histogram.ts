// Durations as counts by bucket: a fixed number of counts however many were measured; two sets are added count by count. The
// bounds grow by one factor, so that a percentile has the same relative error for 20 ms as for 20 s.

const MIN_BOUND_MS = 5;
const MAX_BOUND_MS = 60_000;
const BOUNDS = 40;

/** Upper bounds in ms, both ends included: 5 to 60,000, each some 27 % above the one before. */
export const FIRST_AUDIO_BOUNDS_MS: readonly number[] = Array.from({ length: BOUNDS }, (_, i) =>
  Math.round(MIN_BOUND_MS * (MAX_BOUND_MS / MIN_BOUND_MS) ** (i / (BOUNDS - 1))),
);

/** One count for each bound (durations up to it, above the one before), and one for all that is longer. */
export type DurationCounts = readonly number[];

export const NO_DURATIONS: DurationCounts = Array.from({ length: BOUNDS + 1 }, () => 0);

/** The counts with those durations (ms) added; values that are no durations (negative, NaN) are left out. */
export function withDurations(counts: DurationCounts, durationsMs: readonly number[]): DurationCounts {
  const more = [...counts];
  for (const ms of durationsMs) {
    if (!(ms >= 0)) continue;
    const bucket = FIRST_AUDIO_BOUNDS_MS.findIndex((bound) => ms <= bound);
    more[bucket === -1 ? BOUNDS : bucket]! += 1;
  }
  return more;
}

export const durationCount = (counts: DurationCounts): number =>
  counts.reduce((sum, count) => sum + count, 0);

/**
 * The duration (ms) that a `share` (0 to 1) of the counted ones does not exceed, taking those of a bucket as evenly
 * spread over it. Undefined when there are none; what is longer than the last bound counts as that long.
 */
export function percentileMs(counts: DurationCounts, share: number): number | undefined {
  const wanted = Math.min(1, Math.max(0, share)) * durationCount(counts);
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= wanted) {
      const fromMs = FIRST_AUDIO_BOUNDS_MS[bucket - 1] ?? 0;
      const toMs = FIRST_AUDIO_BOUNDS_MS[bucket] ?? MAX_BOUND_MS;
      return fromMs + (toMs - fromMs) * ((wanted - below) / count);
    }
    below += count;
  }
  return undefined;
}
