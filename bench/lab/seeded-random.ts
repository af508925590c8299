// Chance that comes out the same each time, so that two runs of a bench differ by the machine alone (xorshift32).

export type SeededRandom = {
  /** 0 ≤ n < 1. */
  share(): number;
  /** `low` ≤ n < `high`. */
  between(low: number, high: number): number;
  /** Time to the next of events that come at random, once in `meanMs` on average. */
  gapMs(meanMs: number): number;
};

export function createSeededRandom(seed: number): SeededRandom {
  // Small seeds differ in few bits; multiplied by an odd constant they differ in many. Zero would stay zero.
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  const share = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return {
    share,
    between: (low, high) => low + share() * (high - low),
    gapMs: (meanMs) => -Math.log(1 - share()) * meanMs,
  };
}
