// What a refusal (429) teaches of a quota. It always causes a back-off. It says something of the limit only where it was to be
// expected: at the front of a search, or near the limit. Anywhere else another program may have used the key, the service may have
// had a bad minute, or too many requests may have been under way: the limit is lowered only after a second, similar refusal. Where
// one is to be expected, sends go one at a time, so that the second costs one refusal and not all that is under way.

import {
  isUntried,
  limitInForce,
  MAX_SPREAD_MS,
  PROBE_EVERY,
  type QuotaKnowledge,
  type Suspicion,
  TRUST_WINDOWS,
  UNPROVEN_SENDS,
} from './quota-knowledge.ts';
import type { SendCounts } from './quota-window.ts';
import type { RateAdvice } from './rate-headers.ts';

type Answer = {
  readonly atMs: number;
  readonly sentAtMs: number;
  readonly advice: RateAdvice;
} & SendCounts;
type Refusal = Answer & { readonly perhaps?: 'concurrency' };

/** After a refusal that may have had a cause of its own. */
const SOON_PROBE_EVERY = 8;
/** Where a higher limit was configured. */
const RETURN_PROBE_EVERY = 1;
const PROBE_BACKOFF = 3;
const MAX_PROBE_EVERY = 270;
/** A probe that raised the limit by less than this factor was not worth its refusals: the next one comes later. */
const GAIN = 1.05;
/** A refusal at fewer sends than this share of the limit means a lower limit, not a larger jitter. */
const NEAR = 0.9;
/** A refusal while less than this part of the limit was in use is only a suspicion. */
const SURE = 0.75;
/** A search during which the service's window ended has counted at most twice the limit. */
const SURELY_ONE_WINDOW = 0.45;
/** Two counts are alike when they differ by no more than this share of the greater. */
const ALIKE = 0.2;
const mostAlike = (accepted: number): number => accepted / (1 - ALIKE) + 1;
/** A limit that was lowered in the middle of a window has let more through in it than in the next one. */
const ALIKE_NEXT = 0.5;
const NEXT_WINDOWS = 2.5;
/** Beyond counts similar to the suspected one, every this many accepted sends allow one more under way at a time. */
const HASTE_EVERY = 32;
/** Back-off when the concurrency may have been too high and the service names no time. Sends that are accepted within
 * `SAME_WINDOW` after it show that the count was not the cause. */
const CROWDED_HOLD_MS = 1_000;
const SAME_WINDOW = 0.25;

/** Before the refusals that there were. */
const wasUntried = (known: QuotaKnowledge): boolean => isUntried({ ...known, refusedAtMs: 0 });

/** An accepted answer ends a series of refusals; a fully used window refutes a suspicion. */
export function relieve(known: QuotaKnowledge, event: Answer): QuotaKnowledge {
  if (event.sentAtMs <= known.refusedAtMs) return known;
  const { suspicion, ...rest } = known;
  const relieved = known.misses === 0 ? known : { ...known, misses: 0 };
  if (suspicion === undefined) return relieved;
  const isOver = event.atMs - suspicion.atMs > TRUST_WINDOWS * known.windowMs;
  // Requests under way at the refusal may have filled the window in which it came: that window proves nothing.
  const isRefuted = known.cleanWindows > 0 && event.atMs - suspicion.atMs > 2 * known.windowMs;
  const wasCrowd =
    suspicion.of === 'perhaps concurrency' &&
    event.sentAtMs - known.refusedAtMs < SAME_WINDOW * known.windowMs;
  if (!isOver && !isRefuted && !wasCrowd) return relieved;
  const wasCrowdOnly = suspicion.of === 'perhaps concurrency' && wasUntried(known);
  return { ...rest, misses: 0, ...(wasCrowdOnly ? { refusedAtMs: 0 } : {}) };
}

export function refuse(known: QuotaKnowledge, event: Refusal): QuotaKnowledge {
  if (event.sentAtMs <= known.refusedAtMs) return countLate429(known);
  const held = hold(known, event);
  if (held.source === 'unlimited') return held;
  // Nothing was accepted since the last refusal, or at all: others use the key, or the service refuses everything. That says when
  // to try again, and nothing of the limit.
  if (known.misses > 0) return blameCount(held);
  if (acceptedBy(event) <= 0) return held;
  if (event.perhaps === 'concurrency') return suspect(held, event, 'perhaps concurrency');
  if (known.stage === 'probing') return endProbe(held, event);
  if (known.stage === 'settled') return refuseSettled(held, known, event);
  return refuseSearch(held, event);
}

/** A 429 for a request sent before the last refusal was known. */
function countLate429(known: QuotaKnowledge): QuotaKnowledge {
  if (known.stragglers === 'are nothing new') return known;
  const { suspicion } = known;
  if (suspicion !== undefined) {
    const { accepted, sinceHold } = suspicion;
    const fewer = {
      ...suspicion,
      accepted: Math.max(0, accepted - 1),
      ...cautionFor(known, accepted - 1),
      ...(sinceHold === undefined ? {} : { sinceHold: sinceHold - 1 }),
    };
    return believeAlike({ ...known, suspicion: fewer });
  }
  const ceiling = Math.max(1, known.ceiling - 1);
  return {
    ...known,
    ceiling,
    limit: Math.min(known.limit, ceiling),
    floor: Math.min(known.floor, ceiling),
  };
}

function hold(known: QuotaKnowledge, { atMs, advice, perhaps }: Refusal): QuotaKnowledge {
  const { misses, windowMs, spreadMs } = known;
  const patienceMs = Math.min(windowMs, 1000 * (2 ** Math.min(misses, 16) - 1));
  const untoldMs = perhaps === 'concurrency' ? CROWDED_HOLD_MS : windowMs + spreadMs;
  const heldMs = Math.max(advice.resetMs ?? untoldMs, patienceMs);
  return {
    ...known,
    misses: misses + 1,
    refusedAtMs: atMs,
    heldUntilMs: Math.max(known.heldUntilMs, atMs + heldMs),
    cleanWindows: 0,
    use: 'partly',
    stragglers: 'are nothing new',
  };
}

/** Sends of that window that are not known to be refused; those under way are subtracted if they are refused later. */
const acceptedBy = ({ tested, after }: SendCounts): number => tested + after - 1;

// Suspicion.

/**
 * After a refused count the limit starts again at its half, because it may have been lowered in the middle of that window. Not after
 * a back-off so short that earlier sends still count: those would leave no room.
 */
const cautionFor = (
  { heldUntilMs, refusedAtMs, windowMs }: QuotaKnowledge,
  accepted: number,
): Pick<Suspicion, 'tried'> =>
  heldUntilMs - refusedAtMs < windowMs ? {} : { tried: Math.max(1, Math.floor(accepted / 2)) };

/** All sends are answered and none is refused: raises `tried`, or ends the suspicion. */
export function climb(known: QuotaKnowledge, { used, proven, sentAtMs }: Answer): QuotaKnowledge {
  const { suspicion, ...rest } = known;
  const tried = limitInForce(known);
  if (suspicion?.tried === undefined || suspicion.of !== 'count') return known;
  if (used < tried || proven < tried || sentAtMs <= known.refusedAtMs) return known;
  if (tried >= known.limit) return rest;
  const beyond = Math.max(0, tried - mostAlike(suspicion.accepted));
  const atATime = Math.min(UNPROVEN_SENDS, 1 + Math.floor(beyond / HASTE_EVERY));
  return { ...known, suspicion: { ...suspicion, tried: tried + atATime } };
}

function suspect(held: QuotaKnowledge, event: Answer, of: Suspicion['of']): QuotaKnowledge {
  const { suspicion: last, windowMs } = held;
  const isLately = last?.of === 'count' && event.atMs - last.atMs <= TRUST_WINDOWS * windowMs;
  const accepted = acceptedBy(event);
  const suspicion: Suspicion = {
    accepted,
    ...(event.sinceHold === undefined ? {} : { sinceHold: event.sinceHold - 1 }),
    ...(isLately ? { before: { accepted: last.accepted, atMs: last.atMs } } : {}),
    atMs: event.atMs,
    of,
    ...cautionFor(held, accepted),
  };
  return believeAlike({ ...held, suspicion, stragglers: 'count' });
}

/** Refused again with hardly anything under way: the concurrency was not the cause. A search has found its limit. */
function blameCount(held: QuotaKnowledge): QuotaKnowledge {
  const { suspicion, stage, floor } = held;
  if (suspicion?.of !== 'perhaps concurrency') return held;
  const { accepted } = suspicion;
  if (stage === 'settled' || stage === 'probing')
    return { ...held, suspicion: { ...suspicion, of: 'count', ...cautionFor(held, accepted) } };
  const sure = Math.max(floor, Math.floor(SURELY_ONE_WINDOW * accepted));
  return confirm({ ...held, floor: sure }, accepted, PROBE_EVERY);
}

/**
 * Two similar refusals far below the limit: that is the limit. Windows that restart after a back-off are counted from there, others
 * over the whole window.
 */
function believeAlike(held: QuotaKnowledge): QuotaKnowledge {
  const { suspicion, windowMs, source, limit, cap } = held;
  if (suspicion?.of !== 'count' || suspicion.before === undefined) return held;
  const { before, accepted, sinceHold = accepted, atMs } = suspicion;
  const isNext = atMs - before.atMs < NEXT_WINDOWS * windowMs;
  const least = (1 - (isNext ? ALIKE_NEXT : ALIKE)) * before.accepted - 1;
  const most = Math.min(mostAlike(before.accepted), NEAR * limit);
  const found = [Math.min(sinceHold, accepted), accepted].find(
    (count) => count > 0 && count >= least && count <= most,
  );
  if (found === undefined) return held;
  const refuted = source === 'headers' ? { refutedLimit: limit } : {};
  const probeEvery = cap === undefined ? SOON_PROBE_EVERY : RETURN_PROBE_EVERY;
  return confirm({ ...held, ...refuted, floor: found }, found, probeEvery);
}

// By stage.

/** Believed only after it was reached again without a refusal, from what a whole window has proven. */
const confirm = (known: QuotaKnowledge, found: number, probeEvery: number): QuotaKnowledge => {
  const { suspicion: _settled, ...rest } = known;
  const ceiling = Math.max(1, found);
  const floor = Math.min(known.floor, ceiling);
  const stage = { source: 'refusals', stage: 'confirming', stragglers: 'count' } as const;
  return { ...rest, ...stage, ceiling, floor, limit: floor, provenLimit: floor, probeEvery };
};

const laterProbe = ({ probeEvery }: QuotaKnowledge): number =>
  Math.min(MAX_PROBE_EVERY, probeEvery * PROBE_BACKOFF);

function endProbe(held: QuotaKnowledge, event: Answer): QuotaKnowledge {
  const back = { ...held, stage: 'settled', limit: held.provenLimit } as const;
  if (acceptedBy(event) < NEAR * held.provenLimit) return suspect(back, event, 'count');
  return { ...back, probeEvery: laterProbe(held) };
}

function refuseSearch(held: QuotaKnowledge, event: Answer): QuotaKnowledge {
  const { limit, floor } = held;
  // Fewer than whole windows have proven, or the limit was not in use. Later sends may have overtaken it.
  if (acceptedBy(event) < NEAR * floor || event.used < SURE * limit) return suspect(held, event, 'count');
  const found = Math.min(acceptedBy(event), limit - 1);
  const isFirst = wasUntried(held);
  const sure = isFirst ? Math.max(floor, Math.floor(SURELY_ONE_WINDOW * found)) : floor;
  const isGain = isFirst || found > GAIN * floor;
  return confirm({ ...held, floor: sure }, found, isGain ? PROBE_EVERY : laterProbe(held));
}

/** Within a believed limit: the phase is wrong, the limit was lowered, or the jitter is larger. */
function refuseSettled(held: QuotaKnowledge, before: QuotaKnowledge, event: Answer): QuotaKnowledge {
  const { limit, spreadMs, source } = before;
  const sliding = doubtPhase(held);
  const accepted = event.tested - 1;
  // Refused at the very beginning of a window: at the service the previous one is not over yet.
  const isEarly = accepted < (1 - NEAR) * limit && event.used >= NEAR * limit;
  // How many are refused is unknown until those under way are answered, so any refusal may be one far below the limit.
  const suspected = suspect(sliding, event, 'count');
  if (suspected.stage === 'confirming' || (accepted < NEAR * limit && !isEarly)) return suspected;
  // Raised that far, perhaps across the end of a window of the service: the suspicion may still be right.
  const isDoubtful = limitInForce(before) < limit && (before.suspicion?.accepted ?? limit) < NEAR * limit;
  if (isDoubtful) return suspected;
  const isYoung = source === 'refusals' && before.cleanWindows < TRUST_WINDOWS;
  if (!isYoung && spreadMs < MAX_SPREAD_MS)
    return { ...suspected, spreadMs: Math.min(MAX_SPREAD_MS, Math.round(spreadMs * 1.5)) };
  const floor = Math.max(1, Math.floor(NEAR * limit));
  return confirm({ ...sliding, floor }, Math.max(floor, Math.min(acceptedBy(event), limit - 1)), PROBE_EVERY);
}

function doubtPhase(held: QuotaKnowledge): QuotaKnowledge {
  if (!held.phase?.confirmed) return held;
  const { phase: _doubted, ...rest } = held;
  return { ...rest, slidingUntilMs: held.refusedAtMs + TRUST_WINDOWS * held.windowMs };
}
