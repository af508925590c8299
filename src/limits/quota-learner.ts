// How each answer of the service changes what is known of a quota: a pure step.
//
// Unknown limit: it grows while it is fully used, past what is proven a few sends at a time, so that the service refuses
// hardly more than those before the limit is found. Known limit: sliding window and spread; fixed windows once their
// phase is confirmed (quota-advice.ts). What refusals teach is in quota-refusal.ts. Headers win over learning.

import { adviseKnowledge } from './quota-advice.ts';
import {
  DEFAULT_SPREAD_MS,
  GROWTH,
  isUntried,
  MOST_SENDS,
  type QuotaKnowledge,
  TRUST_WINDOWS,
  UNPROVEN_SENDS,
} from './quota-knowledge.ts';
import { climb, refuse, relieve } from './quota-refusal.ts';
import type { SendCounts } from './quota-window.ts';
import type { RateAdvice } from './rate-advice.ts';

/** The answer to the send at `sentAtMs`; the counts are those of `countsAround`. */
type Answer = {
  readonly atMs: number;
  readonly sentAtMs: number;
  readonly advice: RateAdvice;
} & SendCounts;

export type QuotaEvent =
  | ({ readonly kind: 'accepted' } & Answer)
  /** `perhaps`: others were under way, and may have been as many as the service takes. */
  | ({ readonly kind: 'refused'; readonly perhaps?: 'concurrency' } & Answer)
  /** Work that had to leave something to others found nothing. */
  | { readonly kind: 'low-waits'; readonly atMs: number };

/** Growth in one window of sends that come evenly, of which none is surely the last that the limit allows. */
const EVEN_GROWTH = 0.05;
/** The share by which a limit that is less than what was configured is tried. */
const RETURN_GROWTH = 0.125;
/** How far one answer moves the mean of their times. */
const ANSWER_WEIGHT = 0.2;

/** The same object when nothing is new, so that the caller need not store it again. */
export function stepKnowledge(known: QuotaKnowledge, event: QuotaEvent): QuotaKnowledge {
  if (event.kind === 'low-waits') return noteLowWaits(known, event.atMs);
  const advised = adviseKnowledge(known, event);
  return event.kind === 'accepted' ? accept(advised, event) : refuse(advised, event);
}

function noteLowWaits(known: QuotaKnowledge, atMs: number): QuotaKnowledge {
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
  // Sends that come evenly never fill the part of the window that `tested` looks at; whole windows of them prove it, too.
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

/** Counts a window that is over, and lets a fully used one do its work. */
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
 * It took the limit as it is now: as many are answered and none was refused. In a window that has just begun a send proves
 * little, whoever waits behind it; nor does one that has overtaken another of which nothing is known yet.
 */
const isTested = ({ limit, refusedAtMs }: QuotaKnowledge, { used, proven, sentAtMs }: Answer): boolean =>
  used >= limit && proven >= limit && sentAtMs > refusedAtMs;

// Growing and confirming.

/** Each answer to a send past what whole windows have proven, or to the last few of those, stands for one more. */
function growFreely(known: QuotaKnowledge, event: Answer): QuotaKnowledge {
  const { limit, floor, ceiling, answerMs } = known;
  const tookMs = event.atMs - event.sentAtMs;
  const isFront = event.used > limit - UNPROVEN_SENDS && event.tested > floor - UNPROVEN_SENDS;
  if (!isFront || limit >= ceiling) return known;
  return {
    ...known,
    limit: limit + 1,
    provenLimit: limit,
    raisedAtMs: event.atMs,
    answerMs: answerMs === undefined ? tookMs : Math.round(answerMs + ANSWER_WEIGHT * (tookMs - answerMs)),
  };
}

/**
 * Sends beyond what is proven that may be under way together: so many may be refused before it is noticed. Large limits
 * would take for ever one by one; what is being confirmed is to be exact.
 */
const stepOf = ({ stage, limit }: QuotaKnowledge): number =>
  stage === 'confirming' ? 1 : 1 + Math.floor(limit / 512);

/** A raised limit is proven by a send that only it allowed. */
function raise(known: QuotaKnowledge, atMs: number, by: number): QuotaKnowledge {
  const { limit, cap = MOST_SENDS, ceiling, stage } = known;
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

/** A limit that is less than what was configured is tried by itself; any other only while something waits for more. */
function probeWhenDue(known: QuotaKnowledge, { atMs, used, tested }: Answer): QuotaKnowledge {
  const { limit, cap = MOST_SENDS, source, cleanWindows, probeEvery, lowWaitsAtMs, windowMs } = known;
  if (used < limit || tested < limit || limit >= cap) return known;
  const lowWaits = lowWaitsAtMs > 0 && atMs - lowWaitsAtMs < windowMs;
  const isWanted = known.cap !== undefined || lowWaits;
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
