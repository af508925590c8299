// When the next send may go under a quota rule: pure arithmetic over a log of sends, and its specification. The store in
// memory calls it; the one in Redis says the same in Lua. It asks the log one question only, "when was the k-th newest
// send?", because "fewer than n sends since t" is the same as "the n-th newest is before t".

import type { QuotaRule } from './quota-rule.ts';

/** Times of sends, in whole milliseconds of the store's clock, never falling. */
export type SendTimes = {
  count(): number;
  /** The k-th newest, from 0 (the newest) to `count` − 1. */
  newest(k: number): number;
};

/**
 * What a grant must leave of `limit` to others: L − reserve sends are for everybody, the rest for those with less to
 * leave. reserve = ⌈limit · leave⌉, at least 1 when `leave` is more than 0, and never all: 0 ≤ reserve ≤ limit − 1. So
 * 0.1 of 60 leaves 6, and a limit of 1 leaves nothing.
 */
export const reserveOf = (limit: number, leave: number): number =>
  // What is a whole number but for the rounding of binary fractions is a whole number.
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
 * In how many whole seconds, rounded up, what is left at `nowMs` lapses: with a fixed window, never where each send
 * takes its place along, and 0 where nothing is lost. Whoever spends first what lapses first wastes least; of windows
 * that begin together none is first. A send within the guard costs a place of the next window, which lapses later.
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
  /** Those that the service must have counted in one window with the one in question, itself included. */
  readonly tested: number;
  /** Those that were sent after it. */
  readonly after: number;
  /** Those that the service must have counted in one window with the newest one, and has answered. */
  readonly proven: number;
  /** Those since the last hold ended, those after it included; undefined when it was sent before. */
  readonly sinceHold?: number;
};

/**
 * What the answer to the send at `sentAtMs` is to be seen against. Sliding: tested are the sends in
 * (sent − span + 2 · spread, sent], with span = window + spread; phase: those since the window began. Proven are those
 * up to the newest, less the `unanswered`; of whom that is not known, only those that are tested.
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
 * `freeAtMs` time after time, with one look at the log for each: what is in the way of a send stands one place later in
 * it for each that is planned before, and when all in the log are passed it is one of those.
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

/** The coming free moments, each in the belief that a send goes at all those before it. */
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
