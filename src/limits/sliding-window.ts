// How many requests a key may still send: a log of the last sends. The window is 60 s plus a margin for the spread
// of network latency, so that no 60 s at the far end ever holds more than `limit` arrivals, whatever kind of window
// is counted there and wherever it begins. Fixed counters and token buckets do not promise that.

/** The service interface counts requests per key over 60 s (section 8). */
const COUNTED_MS = 60_000;
/** How much longer one request may be under way than another. Only the difference matters, not the latency. */
const LATENCY_SPREAD_MS = 500;

export type Take = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number };

export type SlidingWindow = {
  readonly limit: number;
  /** Counts one send at `nowMs`, or says when the next one fits. */
  tryTake(nowMs: number): Take;
  /** Takes back the send counted at `takenAtMs`, of which no byte left the process. */
  refund(takenAtMs: number, nowMs: number): void;
  used(nowMs: number): number;
  /** Milliseconds until a send fits behind `ahead` others that go as early as they can. */
  waitMs(nowMs: number, ahead: number): number;
};

/**
 * `limit` sends (a whole number from 1) in any 60 s of arrivals, when latencies differ by at most `spreadMs`.
 * Times are monotonic milliseconds; a time before the last one is read as the last one. Every call is O(1) amortised.
 */
export function createSlidingWindow(limit: number, spreadMs: number = LATENCY_SPREAD_MS): SlidingWindow {
  if (!Number.isInteger(limit) || limit < 1)
    throw new RangeError(`limit must be a whole number from 1, got ${limit}`);
  const spanMs = COUNTED_MS + spreadMs;
  const sentAt = new Float64Array(limit);
  let oldest = 0;
  let count = 0;
  let latest = Number.NEGATIVE_INFINITY;

  const dropOldest = () => {
    oldest = (oldest + 1) % limit;
    count -= 1;
  };
  const forget = (nowMs: number) => {
    latest = Math.max(latest, nowMs);
    while (count > 0 && latest - sentAt[oldest]! >= spanMs) dropOldest();
  };
  const waitMs = (nowMs: number, ahead: number): number => {
    forget(nowMs);
    const missing = count + ahead + 1 - limit;
    if (missing <= 0) return 0;
    // The missing-th of the present sends must leave first; past those, sends that have yet to be made must.
    const rounds = Math.ceil(missing / limit);
    const turn = (missing - 1) % limit;
    const leaving = turn < count ? sentAt[(oldest + turn) % limit]! : latest;
    return leaving + rounds * spanMs - latest;
  };

  return {
    limit,
    waitMs,
    tryTake(nowMs) {
      const retryAfterMs = waitMs(nowMs, 0);
      if (retryAfterMs > 0) return { ok: false, retryAfterMs };
      sentAt[(oldest + count) % limit] = latest;
      count += 1;
      return { ok: true };
    },
    // The oldest entry goes, whichever send is meant: the later ones stay longer, so the count errs on the safe side.
    refund(takenAtMs, nowMs) {
      forget(nowMs);
      if (count > 0 && latest - takenAtMs < spanMs) dropOldest();
    },
    used(nowMs) {
      forget(nowMs);
      return count;
    },
  };
}
