// How each answer of the service changes what is known of a quota: a pure step.
//
// Unknown limit: it grows while it is fully used, beyond what is proven a few sends at a time, so that the service refuses hardly more
// than those before the limit is found. Known limit: sliding window and jitter; fixed windows once their
// phase is confirmed (window-phase.ts). What refusals teach is in quota-refusal.ts. Headers win over learning.

import {
  DEFAULT_SPREAD_MS,
  GROWTH,
  isUntried,
  MAX_SENDS,
  type QuotaKnowledge,
  TRUST_WINDOWS,
  UNPROVEN_SENDS,
  WINDOW_MS,
} from './quota-knowledge.ts';
import { climb, refuse, relieve } from './quota-refusal.ts';
import type { SendCounts } from './quota-window.ts';
import type { RateAdvice } from './rate-headers.ts';
import { firstPhase, refinePhase, resetInterval } from './window-phase.ts';

/** The answer to the send at `sentAtMs`; the counts are those of `countsAround`. */
type Answer = {
  readonly atMs: number;
  readonly sentAtMs: number;
  readonly advice: RateAdvice;
} & SendCounts;

export type QuotaEvent =
  | ({ readonly kind: 'accepted' } & Answer)
  /** `perhaps`: the requests under way may have been as many as the service takes. */
  | ({ readonly kind: 'refused'; readonly perhaps?: 'concurrency' } & Answer)
  /** So many of the sends that count are not under way any more: they were accepted, or failed without a refusal. */
  | { readonly kind: 'answered'; readonly atMs: number; readonly answered: number }
  /** Low-priority work, which must leave a part to others, found no send. */
  | { readonly kind: 'low-priority-waits'; readonly atMs: number };

/** Growth in one window of evenly spaced sends, of which none is surely the last that the limit allows. */
const EVEN_GROWTH = 0.05;
/** The share by which a limit below the configured one is raised for a probe. */
const RETURN_GROWTH = 0.125;
/** Weight of one answer in the mean answer time. */
const ANSWER_WEIGHT = 0.2;

/** The same object when nothing is new, so that the caller need not store it again. */
export function stepKnowledge(known: QuotaKnowledge, event: QuotaEvent): QuotaKnowledge {
  if (event.kind === 'low-priority-waits') return noteLowPriorityWaits(known, event.atMs);
  if (event.kind === 'answered') return growBeyond(known, event.answered, event.atMs);
  const advised = adviseKnowledge(known, event);
  return event.kind === 'accepted' ? accept(advised, event) : refuse(advised, event);
}

function noteLowPriorityWaits(known: QuotaKnowledge, atMs: number): QuotaKnowledge {
  const isProbeNear = known.source === 'refusals' && known.cleanWindows >= known.probeEvery;
  const isNews = atMs - known.lowWaitsAtMs >= known.windowMs;
  return isProbeNear && isNews ? { ...known, lowWaitsAtMs: atMs } : known;
}

function accept(known: QuotaKnowledge, event: Answer): QuotaKnowledge {
  const relieved = climb(relieve(known, event), event);
  if (relieved.source === 'unlimited') return relieved;
  const turned = turnWindow(relieved, event.atMs);
  if (turned.stage === 'settled') return probeWhenDue(noteUse(turned, event), event);
  if (turned.stage === 'probing') return judgeProbe(noteUse(turned, event), event);
  // Evenly spaced sends never fill the part of the window that `tested` covers; whole windows of them are a proof, too.
  const isWindowProof =
    turned.floor === relieved.limit &&
    turned.cleanWindows > relieved.cleanWindows &&
    relieved.raisedAtMs < relieved.windowFromMs;
  if (isWindowProof) return raise(turned, event.atMs, 1 + Math.floor(turned.limit * EVEN_GROWTH));
  if (isUntried(turned)) return growFreely(noteUse(turned, event), event);
  return isTested(turned, event)
    ? raise(noteUse(turned, event), event.atMs, stepOf(turned))
    : noteUse(turned, event);
}

/** Closes a window that is over; a fully used one changes what is known. */
function turnWindow(known: QuotaKnowledge, atMs: number): QuotaKnowledge {
  if (atMs - known.windowFromMs < known.windowMs + known.spreadMs) return known;
  if (known.use === 'partly') return { ...known, windowFromMs: atMs };
  const cleanWindows = known.cleanWindows + 1;
  const isTrusted = cleanWindows % TRUST_WINDOWS === 0 && known.spreadMs > DEFAULT_SPREAD_MS;
  return {
    ...known,
    windowFromMs: atMs,
    use: 'partly',
    cleanWindows,
    ceiling: known.stage === 'confirming' || isUntried(known) ? known.ceiling : known.limit * GROWTH,
    floor: known.limit,
    spreadMs: isTrusted ? Math.max(DEFAULT_SPREAD_MS, Math.round(known.spreadMs / 1.25)) : known.spreadMs,
  };
}

const noteUse = (known: QuotaKnowledge, { used }: Answer): QuotaKnowledge =>
  known.use === 'partly' && used >= known.limit ? { ...known, use: 'fully' } : known;

/**
 * The service took as many as the limit: as many are answered and none was refused. In a window that has just begun a send proves
 * little; nor does one that has overtaken another which is not answered yet.
 */
const isTested = ({ limit, refusedAtMs }: QuotaKnowledge, { used, proven, sentAtMs }: Answer): boolean =>
  used >= limit && proven >= limit && sentAtMs > refusedAtMs;

// Growing and confirming.

const growTo = (known: QuotaKnowledge, limit: number, atMs: number): QuotaKnowledge => {
  const next = Math.min(limit, known.ceiling);
  return next > known.limit ? { ...known, limit: next, provenLimit: known.limit, raisedAtMs: atMs } : known;
};

/** Each answer to a send beyond what whole windows have proven, or to the last few of those, raises the limit by one. */
function growFreely(known: QuotaKnowledge, event: Answer): QuotaKnowledge {
  const { limit, floor } = known;
  const isFront = event.used > limit - UNPROVEN_SENDS && event.tested > floor - UNPROVEN_SENDS;
  const grown = isFront ? growTo(known, limit + 1, event.atMs) : known;
  if (grown === known) return known;
  const tookMs = event.atMs - event.sentAtMs;
  const { answerMs = tookMs } = known;
  return { ...grown, answerMs: Math.round(answerMs + ANSWER_WEIGHT * (tookMs - answerMs)) };
}

/**
 * As many beyond the sends that are answered may always be under way. `growFreely` alone would stand still where sends have failed, or
 * where an instance learned of those of others too late.
 */
const growBeyond = (known: QuotaKnowledge, answered: number, atMs: number): QuotaKnowledge =>
  isUntried(known) ? growTo(known, answered + UNPROVEN_SENDS, atMs) : known;

/**
 * Sends beyond what is proven that may be under way together: as many may be refused before it is noticed. Large limits would take
 * too long one by one; confirming must be exact.
 */
const stepOf = ({ stage, limit }: QuotaKnowledge): number =>
  stage === 'confirming' ? 1 : 1 + Math.floor(limit / 512);

/** A raised limit is proven by a send that only it allowed. */
function raise(known: QuotaKnowledge, atMs: number, by: number): QuotaKnowledge {
  const { limit, cap = MAX_SENDS, ceiling, stage } = known;
  if (limit >= cap)
    return { ...known, stage: 'settled', source: known.cap === limit ? 'configured' : 'refusals' };
  const raised = Math.min(limit + by, ceiling, cap);
  if (raised > limit) return { ...known, limit: raised, provenLimit: limit, raisedAtMs: atMs };
  return stage === 'confirming' ? { ...known, stage: 'settled', provenLimit: limit } : known;
}

// Settled and probing.

function judgeProbe(known: QuotaKnowledge, event: Answer): QuotaKnowledge {
  if (!isTested(known, event)) return known;
  return raise({ ...known, stage: 'growing', ceiling: known.limit * GROWTH }, event.atMs, 1);
}

/** A limit below the configured one is probed anyway; any other only while work waits for more. */
function probeWhenDue(known: QuotaKnowledge, { atMs, used, tested }: Answer): QuotaKnowledge {
  const { limit, cap = MAX_SENDS, source, cleanWindows, probeEvery, lowWaitsAtMs, windowMs } = known;
  if (used < limit || tested < limit || limit >= cap) return known;
  const lowPriorityWaits = lowWaitsAtMs > 0 && atMs - lowWaitsAtMs < windowMs;
  const isWanted = known.cap !== undefined || lowPriorityWaits;
  if (source !== 'refusals' || cleanWindows < probeEvery || !isWanted) return known;
  const by = known.cap === undefined ? 1 : 1 + Math.floor(limit * RETURN_GROWTH);
  return {
    ...known,
    stage: 'probing',
    provenLimit: limit,
    limit: Math.min(limit + by, cap),
    raisedAtMs: atMs,
  };
}

// What the headers of an answer change: a limit, a hold, and where fixed windows begin.

type Advised = {
  readonly atMs: number;
  readonly sentAtMs: number;
  /** Sends that count now. */
  readonly used: number;
  readonly advice: RateAdvice;
};

/** The same object when nothing is new. */
const adviseKnowledge = (known: QuotaKnowledge, advised: Advised): QuotaKnowledge =>
  adviseReset(adviseHold(adviseLimit(adviseConcurrency(known, advised), advised), advised), advised);

const adviseConcurrency = (known: QuotaKnowledge, { advice: { concurrent } }: Advised): QuotaKnowledge =>
  concurrent === undefined || concurrent === known.concurrent ? known : { ...known, concurrent };

/** Recent refusals have proved it wrong, and the service repeats it unchanged. */
const isRefuted = ({ refutedLimit, refusedAtMs, windowMs }: QuotaKnowledge, told: number, atMs: number) =>
  told === refutedLimit && atMs - refusedAtMs < TRUST_WINDOWS * windowMs;

/** A cap is per minute: windows of another length replace it only when they always allow less. */
const isLooserThanCap = ({ cap }: QuotaKnowledge, limit: number, windowMs: number) =>
  cap !== undefined &&
  windowMs !== WINDOW_MS &&
  (windowMs > WINDOW_MS || limit / windowMs >= cap / WINDOW_MS);

/** The service's own limit, unless it is looser than what the operator configured or refusals have refuted it. */
function adviseLimit(known: QuotaKnowledge, { advice, atMs }: Advised): QuotaKnowledge {
  const { limit: told, windowMs = WINDOW_MS } = advice;
  if (told === undefined || told < 1 || windowMs < 1000) return known;
  if (isRefuted(known, told, atMs) || isLooserThanCap(known, told, windowMs)) return known;
  const cap = windowMs === WINDOW_MS ? (known.cap ?? MAX_SENDS) : MAX_SENDS;
  const limit = Math.min(told, MAX_SENDS, cap);
  if (limit === known.limit && windowMs === known.windowMs && known.stage === 'settled') return known;
  const { phase, refutedLimit: _refuted, suspicion: _suspicion, ...rest } = known;
  const keepsPhase = phase !== undefined && windowMs === known.windowMs;
  return {
    ...rest,
    ...(keepsPhase ? { phase } : {}),
    source: 'headers',
    stage: 'settled',
    limit,
    windowMs,
    provenLimit: limit,
    cleanWindows: 0,
  };
}

/** Other programs use the key, too: nothing is left at the service although our count says so. */
function adviseHold(known: QuotaKnowledge, { advice, sentAtMs, used }: Advised): QuotaKnowledge {
  const { resetMs, remaining } = advice;
  if (resetMs === undefined || remaining !== 0 || resetMs > known.windowMs + 1000) return known;
  if (known.source === 'unlimited' || used >= known.limit) return known;
  return { ...known, heldUntilMs: Math.max(known.heldUntilMs, sentAtMs + resetMs) };
}

/** Where fixed windows begin. */
function adviseReset(known: QuotaKnowledge, { advice, sentAtMs, atMs }: Advised): QuotaKnowledge {
  const { resetMs } = advice;
  if (resetMs === undefined || resetMs > known.windowMs + 1000) return known;
  const seen = resetInterval(sentAtMs, atMs, resetMs);
  if (known.phase === undefined) return { ...known, phase: firstPhase(seen) };
  const { windowMs: periodMs, spreadMs: moveMs, contradictions } = known;
  const phase = refinePhase(known.phase, seen, { periodMs, moveMs, minPeriods: 1 + contradictions });
  if (phase === known.phase) return known;
  if (phase !== undefined) return { ...known, phase, found: phase.confirmed ? 'fixed' : known.found };
  return {
    ...known,
    phase: firstPhase(seen),
    contradictions: Math.min(contradictions + 1, 100),
    slidingUntilMs: known.phase.confirmed ? atMs + TRUST_WINDOWS * periodMs : known.slidingUntilMs,
    // While the boundary that was told still lies ahead, only a window that moves with every request has another.
    found: atMs < known.phase.loMs || known.found === 'moving' ? 'moving' : 'restarting',
  };
}
