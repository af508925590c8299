// How much of the recent traffic may be retries. In an outage every request fails, and without a budget each would be sent three
// times, which keeps the far end down. A share of the traffic is no storm at any load; the minimum keeps retries possible when
// there is little traffic (the idea of Envoy's retry budget, and its figures).

export type RetryBudget = {
  /** Counts a first attempt. */
  request(nowMs: number): void;
  /** Counts a retry, if one is left. */
  tryRetry(nowMs: number): boolean;
};

export type RetryBudgetOptions = {
  /** Retries per request, 0…1. */
  readonly share: number;
  /** Retries that are always allowed in a window. */
  readonly least: number;
  readonly windowMs: number;
};

const SLOTS = 10;

/** Counts in tenths of the window, so that memory stays the same at any rate. Times are monotonic milliseconds. */
export function createRetryBudget({ share, least, windowMs }: RetryBudgetOptions): RetryBudget {
  const requests = new Array<number>(SLOTS).fill(0);
  const retries = new Array<number>(SLOTS).fill(0);
  let latest = 0;

  const slotAt = (nowMs: number): number => {
    const now = Math.max(latest, Math.floor((nowMs * SLOTS) / windowMs));
    for (let passed = Math.max(latest + 1, now - SLOTS + 1); passed <= now; passed++) {
      requests[passed % SLOTS] = 0;
      retries[passed % SLOTS] = 0;
    }
    latest = now;
    return now % SLOTS;
  };
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

  return {
    request(nowMs) {
      const slot = slotAt(nowMs);
      requests[slot] = requests[slot]! + 1;
    },
    tryRetry(nowMs) {
      const slot = slotAt(nowMs);
      // The retry itself counts: with 17 requests a share of 0.2 is three retries, not four.
      if (sum(retries) + 1 > Math.max(least, share * sum(requests))) return false;
      retries[slot] = retries[slot]! + 1;
      return true;
    },
  };
}
