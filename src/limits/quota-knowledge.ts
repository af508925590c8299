// What is known of one quota: plain JSON, so that it can be kept in a file or shared through Redis, which is why its names and
// values stay as they are: instances of several versions read them. And the rule that
// follows from it. All times are whole milliseconds of the store's clock. How it is learned: quota-learner.ts.

import type { QuotaRule } from './quota-window.ts';
import type { WindowPhase } from './window-phase.ts';

export type QuotaKnowledge = {
  /** Where the limit comes from; `unlimited`: nothing is counted until headers say otherwise. */
  readonly source: 'unlimited' | 'guessed' | 'configured' | 'headers' | 'refusals';
  /**
   * `growing`: being searched; `confirming`: found, and approached once more, because a window that ended during the search makes
   * the limit look larger than it is; `probing`: one more send is being tried.
   */
  readonly stage: 'growing' | 'confirming' | 'settled' | 'probing';
  /** In force: sends per window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Configured: the limit is never higher. */
  readonly cap?: number;
  /**
   * Jitter: how much longer one request may be on its way than another. Not measured: only the time to the first byte is known, which
   * also contains the making of the speech. Refusals near the limit widen it.
   */
  readonly spreadMs: number;
  /** The limit before it was last raised, and when that was: only later sends put the raised one to the test. */
  readonly provenLimit: number;
  readonly raisedAtMs: number;
  /** The limit grows to this, in the present window or in all. */
  readonly ceiling: number;
  /** The limit with which a window was last fully used; a new search begins here. */
  readonly floor: number;
  /** The present counting window: when it began, and whether the limit was reached in it. */
  readonly windowFromMs: number;
  readonly use: 'partly' | 'fully';
  /** Fully used windows since the limit was changed or last probed. */
  readonly cleanWindows: number;
  /** Clean windows after which a probe is due. */
  readonly probeEvery: number;
  /** When work that may be refused last waited for this quota. */
  readonly lowWaitsAtMs: number;
  /** The last new refusal; refusals of requests that were sent before it belong to it. */
  readonly refusedAtMs: number;
  /** Whether those late 429s lower the limit: each means that one send fewer was accepted. */
  readonly stragglers: 'count' | 'are nothing new';
  /** Refusals since one was accepted. */
  readonly misses: number;
  /** Back-off: nothing is sent before. */
  readonly heldUntilMs: number;
  readonly phase?: WindowPhase;
  /** How often resets contradicted each other: each makes the next confirmation harder. */
  readonly contradictions: number;
  /** A confirmed phase is not believed before. */
  readonly slidingUntilMs: number;
  /** The windows of the service: fixed; restarted by a first request; moving with every request (or a bucket). */
  readonly found: 'unknown' | 'fixed' | 'restarting' | 'moving';
  /** A limit from headers that refusals have proved wrong; until there are none for a while, or headers say otherwise. */
  readonly refutedLimit?: number;
  /** A refusal far below the limit; it counts only when a second one is like it. */
  readonly suspicion?: Suspicion;
  /** From a send to its first byte, about; measured while the limit grows with every answer. */
  readonly answerMs?: number;
  /** Requests that may run at once, by the service's own word. */
  readonly concurrent?: number;
};

export type Suspicion = {
  /** Sends that were accepted in that window; lowered by every refusal of a request that was under way. */
  readonly accepted: number;
  /** The same since the last back-off ended, for windows that restart then. */
  readonly sinceHold?: number;
  /** What was accepted before the previous refusal, if that was recent. */
  readonly before?: { readonly accepted: number; readonly atMs: number };
  readonly atMs: number;
  /** What was full: the count, or perhaps the requests under way. */
  readonly of: 'count' | 'perhaps concurrency';
  /** Limit meanwhile: raised again from below. Absent while earlier sends fill the window. */
  readonly tried?: number;
};

export const WINDOW_MS = 60_000;
export const DEFAULT_SPREAD_MS = 500;
const MIN_SPREAD_MS = 250;
export const MAX_SPREAD_MS = 2_000;
/** Growth in one window of a limit that was refused before. Beyond what is proven, sends go a few at a time. */
export const GROWTH = 2;
export const PROBE_EVERY = 30;
/** Windows without a fixed phase after a refusal in it; fully used windows after which a limit or jitter is trusted. */
export const TRUST_WINDOWS = 10;
/** No higher limit is believed or searched: it bounds the log of sends. */
export const MAX_SENDS = 100_000;
/**
 * While nothing was ever refused, this many sends may be under way beyond what is proven, and each accepted one allows one more: so
 * many are refused when the limit is reached, and so many are sent in a round trip.
 */
export const UNPROVEN_SENDS = 6;
/** Guards any wider than this share of a window would cost more than the phase gains. */
const MAX_GUARD_SHARE = 0.25;

/** `perMinute` undefined: unknown, to be learned; a number: a cap that is also the first belief. */
export function firstKnowledge(
  perMinute: number | 'unlimited' | undefined,
  spreadMs: number = DEFAULT_SPREAD_MS,
): QuotaKnowledge {
  const cap = typeof perMinute === 'number' ? perMinute : undefined;
  const limit = cap ?? UNPROVEN_SENDS;
  return {
    source: perMinute === 'unlimited' ? 'unlimited' : cap === undefined ? 'guessed' : 'configured',
    stage: perMinute === undefined ? 'growing' : 'settled',
    limit,
    windowMs: WINDOW_MS,
    ...(cap === undefined ? {} : { cap }),
    spreadMs: Math.max(MIN_SPREAD_MS, Math.min(MAX_SPREAD_MS, Math.round(spreadMs))),
    provenLimit: limit,
    raisedAtMs: 0,
    ceiling: cap ?? MAX_SENDS,
    floor: limit,
    windowFromMs: 0,
    use: 'partly',
    cleanWindows: 0,
    probeEvery: PROBE_EVERY,
    lowWaitsAtMs: 0,
    refusedAtMs: 0,
    stragglers: 'are nothing new',
    misses: 0,
    heldUntilMs: 0,
    contradictions: 0,
    slidingUntilMs: 0,
    found: 'unknown',
  };
}

/** Nothing was ever refused, so there may be no limit at all: it is raised by every answer, without a bound. */
export const isUntried = ({ source, stage, refusedAtMs }: QuotaKnowledge): boolean =>
  source === 'guessed' && stage === 'growing' && refusedAtMs === 0;

/**
 * The part of this quota that a request leaves to others, `leave` as a rule. Nothing while the limit grows with every answer to its
 * last sends: requests that leave some of it would never use them, and it would not grow.
 */
export const leaveIn = (known: QuotaKnowledge, leave: number): number => (isUntried(known) ? 0 : leave);

/** Before any was measured. */
const USUAL_ANSWER_MS = 100;

/**
 * The waits while answers raise the limit, each by `perAnswer`: until those answers, not until a window's end. `answerMs` is
 * `QuotaKnowledge.answerMs`; the waits are milliseconds from now, one for each coming send.
 */
const expectGrowth = (
  waitsMs: readonly number[],
  perAnswer: number,
  answerMs: number = USUAL_ANSWER_MS,
): readonly number[] =>
  waitsMs.map((waitMs, index) => Math.min(waitMs, answerMs * (1 + Math.floor(index / perAnswer))));

/** The waits at `nowMs` on quotas of this knowledge: shorter where one of them grows. */
export function waitsWithGrowth(
  waitsMs: readonly number[],
  asked: readonly QuotaKnowledge[],
  nowMs: number,
): readonly number[] {
  const free = asked.filter(({ heldUntilMs }) => heldUntilMs <= nowMs);
  const untried = free.find(isUntried);
  if (untried !== undefined) return expectGrowth(waitsMs, UNPROVEN_SENDS, untried.answerMs);
  const suspected = free.find((known) => limitInForce(known) < known.limit);
  return suspected === undefined ? waitsMs : expectGrowth(waitsMs, 1, suspected.answerMs);
}

/** A limit that is suspected to be lower is approached again from below. */
export const limitInForce = ({ limit, suspicion }: QuotaKnowledge): number =>
  suspicion?.of === 'count' ? Math.min(limit, suspicion.tried ?? limit) : limit;

const guardOf = ({ spreadMs }: QuotaKnowledge, { loMs, hiMs }: WindowPhase): number =>
  Math.ceil(hiMs - loMs) + spreadMs;

/** The rule in force at `nowMs`. */
export function ruleOf(known: QuotaKnowledge, nowMs: number): QuotaRule {
  const { source, windowMs, spreadMs, phase, slidingUntilMs } = known;
  if (source === 'unlimited') return { kind: 'unlimited' };
  const limit = limitInForce(known);
  const guardMs =
    phase?.confirmed && nowMs >= slidingUntilMs ? guardOf(known, phase) : Number.POSITIVE_INFINITY;
  if (phase === undefined || guardMs > windowMs * MAX_GUARD_SHARE)
    return { kind: 'sliding', limit, spanMs: windowMs + spreadMs };
  return { kind: 'phase', limit, originMs: Math.ceil(phase.hiMs), periodMs: windowMs, guardMs };
}

const moveSuspicion = (suspicion: Suspicion, move: (atMs: number) => number): Suspicion => {
  const { before, atMs } = suspicion;
  const moved = { ...suspicion, atMs: move(atMs) };
  return before === undefined ? moved : { ...moved, before: { ...before, atMs: move(before.atMs) } };
};

/** Moves every time by `byMs`, to and from a clock that outlives the process. */
export function shiftKnowledge(known: QuotaKnowledge, byMs: number): QuotaKnowledge {
  const { phase, suspicion } = known;
  return {
    ...known,
    raisedAtMs: known.raisedAtMs + byMs,
    windowFromMs: known.windowFromMs + byMs,
    lowWaitsAtMs: known.lowWaitsAtMs + byMs,
    // 0 is never, by any clock.
    refusedAtMs: known.refusedAtMs === 0 ? 0 : known.refusedAtMs + byMs,
    heldUntilMs: known.heldUntilMs === 0 ? 0 : known.heldUntilMs + byMs,
    slidingUntilMs: known.slidingUntilMs + byMs,
    ...(suspicion === undefined ? {} : { suspicion: moveSuspicion(suspicion, (atMs) => atMs + byMs) }),
    ...(phase === undefined ? {} : { phase: { ...phase, loMs: phase.loMs + byMs, hiMs: phase.hiMs + byMs } }),
  };
}

/** Longest back-off that is believed. */
const MAX_HOLD_MS = 3_600_000;

/** The knowledge of another process with possible times: its clock may have been wrong. */
export function boundKnowledge(known: QuotaKnowledge, nowMs: number): QuotaKnowledge {
  const { suspicion, slidingUntilMs, windowMs } = known;
  const past = (atMs: number) => Math.min(atMs, nowMs);
  return {
    ...known,
    raisedAtMs: past(known.raisedAtMs),
    windowFromMs: past(known.windowFromMs),
    lowWaitsAtMs: past(known.lowWaitsAtMs),
    refusedAtMs: past(known.refusedAtMs),
    heldUntilMs: Math.min(known.heldUntilMs, nowMs + MAX_HOLD_MS),
    slidingUntilMs: Math.min(slidingUntilMs, nowMs + TRUST_WINDOWS * windowMs),
    ...(suspicion === undefined ? {} : { suspicion: moveSuspicion(suspicion, past) }),
  };
}

/** How its sends are counted under `rule`, how far the limit is believed and where it comes from, in an operator's words. */
export function describeKnowledge({ stage, source, cap, concurrent }: QuotaKnowledge, rule: QuotaRule) {
  const stages = { growing: 'learning', confirming: 'confirming', probing: 'probing' } as const;
  const sources = {
    guessed: 'learned',
    refusals: 'learned',
    configured: 'configured',
    headers: 'headers',
  } as const;
  return {
    mode: stage === 'growing' ? 'learning' : rule.kind,
    ...(stage === 'settled' ? {} : { stage: stages[stage] }),
    ...(source === 'unlimited' ? {} : { source: sources[source] }),
    ...(cap === undefined ? {} : { configuredPerMinute: cap }),
    ...(concurrent === undefined ? {} : { concurrent }),
  } as const;
}
