// When a second request for the same audio is worth sending: when the first is slower than 19 of 20 are, and on a share of the
// traffic that stays small whatever happens. Pure; the pool asks it and chooses the key.
// ("The Tail at Scale", Dean and Barroso 2013: hedging at the 95th percentile.)

export type HedgePolicy = {
  /** Counts a request: adds its share to the budget. */
  request(): void;
  /** A time to first byte; of a request that was cut, how long it had been silent: it was slow, not absent. */
  learn(ttfbMs: number): void;
  /** How long a first byte may take before it is hedged; undefined until enough is known. */
  afterMs(): number | undefined;
  /** Takes one hedge from the budget, if there is one. */
  tryHedge(): boolean;
  /** Returns a hedge that was not sent. */
  giveBack(): void;
  /** Hedges in the budget now. */
  budget(): number;
};

const SHARE = 0.05;
/** Most that is saved up: enough for a few at once, never for a burst. */
const MAX_SAVED = 3;
const QUANTILE = 0.95;
/** Of the latest requests, so that it follows the load of the day. */
const SAMPLES = 256;
const MIN_SAMPLES = 20;

export type HedgeRule = {
  /** A first byte is never late before. */
  readonly floorMs: number;
  /** How many times the 95th percentile is late. */
  readonly times: number;
};

/** For a second request on another key of the same service. */
const KEY_RULE: HedgeRule = { floorMs: 100, times: 1 };

export function createHedgePolicy({ floorMs, times }: HedgeRule = KEY_RULE): HedgePolicy {
  const samples = new Float64Array(SAMPLES);
  let learned = 0;
  let saved = 0;
  /** Computed on demand and kept until a sample is added. */
  let quantileMs: number | undefined;

  return {
    request() {
      saved = Math.min(MAX_SAVED, saved + SHARE);
    },
    learn(ttfbMs) {
      samples[learned % SAMPLES] = ttfbMs;
      learned += 1;
      quantileMs = undefined;
    },
    afterMs() {
      const known = Math.min(learned, SAMPLES);
      if (known < MIN_SAMPLES) return undefined;
      quantileMs ??= samples.slice(0, known).sort()[Math.ceil(QUANTILE * known) - 1]!;
      return Math.max(floorMs, times * quantileMs);
    },
    tryHedge() {
      // Twenty times 1/20 sums to a little less than one.
      if (saved + 1e-9 < 1) return false;
      saved -= 1;
      return true;
    },
    giveBack() {
      saved = Math.min(MAX_SAVED, saved + 1);
    },
    budget: () => Math.max(0, saved),
  };
}
