// What the headers of an answer change in what is known of a quota: a limit, a hold, and where fixed windows begin.

import { MOST_SENDS, type QuotaKnowledge, TRUST_WINDOWS, WINDOW_MS } from './quota-knowledge.ts';
import type { RateAdvice } from './rate-advice.ts';
import { firstPhase, refinePhase, resetInterval } from './window-phase.ts';

type Advised = {
  readonly atMs: number;
  readonly sentAtMs: number;
  /** Sends that count now. */
  readonly used: number;
  readonly advice: RateAdvice;
};

/** The same object when nothing is new. */
export const adviseKnowledge = (known: QuotaKnowledge, advised: Advised): QuotaKnowledge =>
  adviseReset(adviseHold(adviseLimit(adviseConcurrency(known, advised), advised), advised), advised);

const adviseConcurrency = (known: QuotaKnowledge, { advice: { concurrent } }: Advised): QuotaKnowledge =>
  concurrent === undefined || concurrent === known.concurrent ? known : { ...known, concurrent };

/** Refusals have proved it wrong, lately, and it is told unchanged. */
const isRefuted = ({ refutedLimit, refusedAtMs, windowMs }: QuotaKnowledge, told: number, atMs: number) =>
  told === refutedLimit && atMs - refusedAtMs < TRUST_WINDOWS * windowMs;

/** A cap is per minute: windows of another length take its place only when they allow less at any time. */
const isLooserThanCap = ({ cap }: QuotaKnowledge, limit: number, windowMs: number) =>
  cap !== undefined &&
  windowMs !== WINDOW_MS &&
  (windowMs > WINDOW_MS || limit / windowMs >= cap / WINDOW_MS);

/** The service's own limit, unless it is looser than what the operator configured or refusals have refuted it. */
function adviseLimit(known: QuotaKnowledge, { advice, atMs }: Advised): QuotaKnowledge {
  const { limit: told, windowMs = WINDOW_MS } = advice;
  if (told === undefined || told < 1 || windowMs < 1000) return known;
  if (isRefuted(known, told, atMs) || isLooserThanCap(known, told, windowMs)) return known;
  const cap = windowMs === WINDOW_MS ? (known.cap ?? MOST_SENDS) : MOST_SENDS;
  const limit = Math.min(told, MOST_SENDS, cap);
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

/** Others use the key, too: the service has nothing left where our count has. */
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
  const { windowMs: periodMs, spreadMs: stirMs, contradictions } = known;
  const phase = refinePhase(known.phase, seen, { periodMs, stirMs, leastPeriods: 1 + contradictions });
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
