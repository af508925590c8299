// When a second request for the same audio is worth sending: once the first is slower than 19 of 20 are, on a share of
// the traffic that stays small whatever happens. Pure; the pool asks it and keeps the promises about keys.
// ("The Tail at Scale", Dean and Barroso 2013: hedging at the 95th percentile.)

export type HedgePolicy = {
  /** Counts a request, which earns a part of a hedge. */
  request(): void;
  /** A time to first byte; of a request that was cut short, how long it had been silent: it was slow, not absent. */
  learn(ttfbMs: number): void;
  /** How long a first byte may take before it is hedged; undefined until enough is known. */
  afterMs(): number | undefined;
  /** Takes a hedge out of the budget, if there is one. */
  tryHedge(): boolean;
  /** Puts one back that was not sent. */
  giveBack(): void;
  /** Hedges that the budget has now. */
  budget(): number;
};

const SHARE = 0.05;
/** What is saved up at most: enough for a few that come together, never for a burst. */
const MOST_SAVED = 3;
const QUANTILE = 0.95;
/** Of the latest requests, so that it follows the hour of the day. */
const SAMPLES = 256;
const LEAST_SAMPLES = 20;
const FLOOR_MS = 100;

export function createHedgePolicy(): HedgePolicy {
  const samples = new Float64Array(SAMPLES);
  let learned = 0;
  let saved = 0;
  /** Sorting is done when asked and something has changed: a request, not a frame. */
  let quantileMs: number | undefined;

  return {
    request() {
      saved = Math.min(MOST_SAVED, saved + SHARE);
    },
    learn(ttfbMs) {
      samples[learned % SAMPLES] = ttfbMs;
      learned += 1;
      quantileMs = undefined;
    },
    afterMs() {
      const known = Math.min(learned, SAMPLES);
      if (known < LEAST_SAMPLES) return undefined;
      quantileMs ??= samples.slice(0, known).sort()[Math.ceil(QUANTILE * known) - 1]!;
      return Math.max(FLOOR_MS, quantileMs);
    },
    tryHedge() {
      // Twenty twentieths are a little less than one.
      if (saved + 1e-9 < 1) return false;
      saved -= 1;
      return true;
    },
    giveBack() {
      saved = Math.min(MOST_SAVED, saved + 1);
    },
    budget: () => Math.max(0, saved),
  };
}
