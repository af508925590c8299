// The part of every quota that a request must leave to more important ones. A reserve, not a rank: it keeps room for the first
// words of turns that have not begun, at the price that playing turns wait when the pool is nearly used up.

import type { SpeechWork, WorkClass } from '../speech-work.ts';

/** Parts of a limit; jobs never take more than 70 % of a window. */
const LEAVE: Record<WorkClass, number> = { resume: 0, first: 0, next: 0.1, prefetch: 0.2, batch: 0.3 };
/**
 * A playing turn that needs audio soon leaves only what first words need meanwhile. At 90 % use of a quota of 4 × 60, 18 % of
 * the requests of playing turns come late and 99 of 100 first words do not wait; with 0 it would be 12 %, and first words would
 * wait for 7 s; with 0.01 it would be 14 %, and they would wait for half a second (test/upstream/pool/reserve-simulation.test.ts).
 */
const URGENT = { beforeMs: 2_500, leave: 0.02 };

type Standing = Pick<SpeechWork, 'class' | 'deadlineMs'>;

const urgentAtMs = ({ deadlineMs }: Standing): number => deadlineMs - URGENT.beforeMs;

/** When the request begins to leave less than at `nowMs`, on the clock of its deadline; Infinity: never. */
export const leavesLessAtMs = (work: Standing, nowMs: number): number =>
  work.class === 'next' && nowMs < urgentAtMs(work) ? urgentAtMs(work) : Number.POSITIVE_INFINITY;

/** The least that a class ever leaves. */
export const leastLeaveOf = (of: WorkClass): number =>
  of === 'next' ? Math.min(LEAVE.next, URGENT.leave) : LEAVE[of];

/** 0…1, as `QuotaAsk.leave`. */
export const leaveOf = (work: Standing, nowMs: number): number =>
  work.class === 'next' && nowMs >= urgentAtMs(work) ? URGENT.leave : LEAVE[work.class];

/** For a hedge, which helps only the one listener that waits. */
export const HEDGE_LEAVE = LEAVE.prefetch;
