// A sustained rate with room for bursts; time is an argument.

export type TokenBucket = {
  /** Takes `amount` tokens; false, taking none, when there are not so many. */
  take(nowMs: number, amount?: number): boolean;
};

/** `perSecond` tokens come back each second, at most `burst` are kept; it starts full. */
export function createTokenBucket(perSecond: number, burst: number): TokenBucket {
  let tokens = burst;
  let filledAtMs: number | undefined;
  return {
    take(nowMs, amount = 1) {
      if (filledAtMs !== undefined) {
        tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) * perSecond) / 1000);
      }
      filledAtMs = nowMs;
      if (tokens < amount) return false;
      tokens -= amount;
      return true;
    },
  };
}
