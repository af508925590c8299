// The rules of a quota, and when the next send may go under a rule: pure arithmetic over a log of sends, and its specification. The
// store in memory calls it; the one in Redis does the same in Lua. It asks the log one question only, "when was the k-th newest
// send?", because "fewer than n sends since t" is the same as "the n-th newest is before t".

/**
 * How the sends of one key are to be counted. Both kinds are counts over ranges of one log of sends, which is why a store in
 * memory and one in Redis can apply them exactly alike.
 */
export type QuotaRule =
  /** No count limits the key; only its 429s do. */
  | { readonly kind: 'unlimited' }
  /** At most `limit` sends in any `spanMs`: the window and the spread of the latency on the way. */
  | { readonly kind: 'sliding'; readonly limit: number; readonly spanMs: number }
  /**
   * At most `limit` sends in each window of `periodMs` that begins at `originMs` + k · `periodMs` of the store's
   * clock; a send within `guardMs` of a boundary counts on both sides.
   */
  | {
      readonly kind: 'phase';
      readonly limit: number;
      readonly originMs: number;
      readonly periodMs: number;
      readonly guardMs: number;
    };

/** Times of sends, in whole milliseconds of the store's clock, never falling. */
export type SendTimes = {
  count(): number;
  /** The k-th newest, from 0 (the newest) to `count` − 1. */
  newest(k: number): number;
};

/**
 * What a grant must leave of `limit` to others: limit − reserve sends are for all, the rest for requests with less to leave. reserve = ⌈limit · leave⌉, at least 1 when `leave` is more than 0, and never all: 0 ≤ reserve ≤ limit − 1. So
 * 0.1 of 60 leaves 6, and a limit of 1 leaves nothing.
 */
export const reserveOf = (limit: number, leave: number): number =>
  // Tolerates the rounding of binary fractions.
  Math.max(0, Math.min(limit - 1, Math.ceil(limit * leave - 1e-9)));

/** Sends at `fromMs` or later. O(log n). */
export function countSince(sends: SendTimes, fromMs: number): number {
  let [least, most] = [0, sends.count()];
  while (least < most) {
    const middle = (least + most) >> 1;
    if (sends.newest(middle) >= fromMs) least = middle + 1;
    else most = middle;
  }
  return least;
}

type Sliding = Extract<QuotaRule, { readonly kind: 'sliding' }>;
type Phase = Extract<QuotaRule, { readonly kind: 'phase' }>;

const windowStart = ({ originMs, periodMs }: Phase, atMs: number): number =>
  originMs + Math.floor((atMs - originMs) / periodMs) * periodMs;

/** A rule without a limit still has sends to show. */
const UNLIMITED_SPAN_MS = 60_000;

/** Sends that count at `nowMs` against the limit of the window that is open then. */
export function usedBy(rule: QuotaRule, sends: SendTimes, nowMs: number): number {
  if (rule.kind === 'phase') return countSince(sends, windowStart(rule, nowMs) - rule.guardMs);
  const spanMs = rule.kind === 'sliding' ? rule.spanMs : UNLIMITED_SPAN_MS;
  return countSince(sends, nowMs - spanMs + 1);
}

/**
 * In how many whole seconds, rounded up, the sends left at `nowMs` lapse: at the end of a fixed window; never in a sliding one; 0
 * without a limit. Spending first what lapses first wastes least; windows that begin together are equal. A send within the guard
 * also costs a send of the next window, which lapses later.
 */
export function lapsesInSeconds(rule: QuotaRule, nowMs: number): number {
  if (rule.kind === 'unlimited') return 0;
  if (rule.kind === 'sliding') return Number.POSITIVE_INFINITY;
  const leftMs = windowStart(rule, nowMs) + rule.periodMs - rule.guardMs - nowMs;
  return Math.ceil((leftMs > 0 ? leftMs : leftMs + rule.periodMs) / 1000);
}

export type SendCounts = {
  /** All that may count at present. */
  readonly used: number;
  /** Those that the service must have counted in one window with the given send, itself included. */
  readonly tested: number;
  /** Those that were sent after it. */
  readonly after: number;
  /** Those that the service must have counted in one window with the newest one, and has answered. */
  readonly proven: number;
  /** Those since the last back-off ended, later ones included; undefined when the given send is older. */
  readonly sinceHold?: number;
};

/**
 * The counts to judge the answer to the send at `sentAtMs` by. Sliding: tested are the sends in
 * (sent − span + 2 · spread, sent], with span = window + spread; phase: those since the window began. Proven are those
 * up to the newest, less the `unanswered`; if that number is unknown, only the tested ones.
 */
export function countsAround(
  rule: QuotaRule,
  sends: SendTimes,
  at: {
    readonly sentAtMs: number;
    readonly nowMs: number;
    readonly spreadMs: number;
    readonly heldUntilMs?: number;
    readonly unanswered?: number;
  },
): SendCounts {
  const { sentAtMs, nowMs, spreadMs, heldUntilMs, unanswered } = at;
  const sureFromMs = (toMs: number): number => {
    if (rule.kind === 'phase') return windowStart(rule, toMs);
    return toMs - (rule.kind === 'sliding' ? rule.spanMs - 2 * spreadMs : UNLIMITED_SPAN_MS) + 1;
  };
  const after = countSince(sends, sentAtMs + 1);
  const tested = countSince(sends, sureFromMs(sentAtMs)) - after;
  const newestMs = after === 0 ? sentAtMs : sends.newest(0);
  return {
    used: usedBy(rule, sends, nowMs),
    tested,
    after,
    proven: unanswered === undefined ? tested : countSince(sends, sureFromMs(newestMs)) - unanswered,
    ...(heldUntilMs === undefined || heldUntilMs === 0 || heldUntilMs > sentAtMs
      ? {}
      : { sinceHold: countSince(sends, heldUntilMs) }),
  };
}

/**
 * Phase: W is the start of the window that holds `fromMs`, W' = W + period the next, R the reserve.
 * A send at t may go when both hold:
 *   sends in [W − guard, t] < limit − ⌈R · (W' − guard − t) ÷ period⌉   (the reserve melts, so that nothing is wasted)
 *   if t ≥ W' − guard:  sends in [W' − guard, t] < limit − R            (it may still arrive in the next window)
 * The origin is the *latest* time at which the service's window can begin and the guard the uncertainty before it plus
 * the latency's spread, so that a send at W or later never arrives in the window before.
 */
function freeInPhase(rule: Phase, sends: SendTimes, fromMs: number, leave: number): number {
  const { limit, periodMs, guardMs } = rule;
  const reserve = reserveOf(limit, leave);
  let atMs = fromMs;
  for (;;) {
    const startMs = windowStart(rule, atMs);
    const endMs = startMs + periodMs;
    const guardedMs = endMs - guardMs;
    const left = limit - 1 - countSince(sends, startMs - guardMs);
    if (left >= 0) {
      // The reserve has melted to `left` when this much of the period remains.
      if (reserve > left) atMs = Math.max(atMs, Math.ceil(guardedMs - (left * periodMs) / reserve));
      const isClear = atMs < guardedMs || countSince(sends, guardedMs) < limit - reserve;
      if (atMs < endMs && isClear) return atMs;
    }
    atMs = endMs;
  }
}

/**
 * The first time from `fromMs` on at which a send may go that leaves `leave` (0…1) of the limit, if none goes before;
 * `fromMs` itself says that it may go at once. Whole milliseconds in and out; `fromMs` is not before the newest send.
 *
 * Sliding: a send at t may go when the sends in (t − span, t] are fewer than limit − reserve.
 */
export function freeAtMs(rule: QuotaRule, sends: SendTimes, fromMs: number, leave: number): number {
  if (rule.kind === 'unlimited') return fromMs;
  if (rule.kind === 'phase') return freeInPhase(rule, sends, fromMs, leave);
  const open = rule.limit - reserveOf(rule.limit, leave);
  return sends.count() < open ? fromMs : Math.max(fromMs, sends.newest(open - 1) + rule.spanMs);
}

export type Forecast = {
  /** When the next send may go. */
  nextMs(): number;
  /** It goes then: on to the one after it. */
  take(): void;
};

/**
 * Repeated `freeAtMs` with one look at the log for each: the send that blocks the next one is one position later in the log for
 * each planned send, and after the end of the log it is one of the planned ones.
 */
function foretellSliding(
  { limit, spanMs }: Sliding,
  sends: SendTimes,
  fromMs: number,
  leave: number,
): Forecast {
  const open = limit - reserveOf(limit, leave);
  const planned: number[] = [];
  let nextMs = fromMs;
  const foretell = () => {
    const k = open - 1 - planned.length;
    if (k >= sends.count()) return;
    nextMs = Math.max(nextMs, (k < 0 ? planned[-1 - k]! : sends.newest(k)) + spanMs);
  };
  foretell();
  return {
    nextMs: () => nextMs,
    take() {
      planned.push(nextMs);
      foretell();
    },
  };
}

/** The coming free moments, each assuming that a send goes at all earlier ones. */
export function createForecast(rule: QuotaRule, sends: SendTimes, fromMs: number, leave: number): Forecast {
  if (rule.kind === 'sliding') return foretellSliding(rule, sends, fromMs, leave);
  const planned: number[] = [];
  const all: SendTimes = {
    count: () => sends.count() + planned.length,
    newest: (k) => planned[planned.length - 1 - k] ?? sends.newest(k - planned.length),
  };
  let nextMs = freeAtMs(rule, all, fromMs, leave);
  return {
    nextMs: () => nextMs,
    take() {
      planned.push(nextMs);
      nextMs = freeAtMs(rule, all, nextMs, leave);
    },
  };
}
