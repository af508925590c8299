// How much of every quota a request must leave to those who matter more. A reserve, not a rank: it keeps room for the
// first words of turns that have not begun, at the price that what plays waits when the pool is nearly used up.

import type { SpeechWork, WorkClass } from '../speech-work.ts';

/** Parts of a limit; jobs never take more than 70 % of a window. */
const LEAVE: Record<WorkClass, number> = { resume: 0, first: 0, next: 0.1, prefetch: 0.2, batch: 0.3 };
/**
 * What a playing turn needs soon leaves only what first words take meanwhile. At 90 % of a quota of 4 × 60, of what plays
 * 18 % comes late and 99 of 100 first words wait for nothing; with 0 left it would be 12 %, and first words would wait
 * for 7 s; with 0.01 it would be 14 %, and they would wait for half a second (test/upstream/pool/reserve-simulation.test.ts).
 */
const URGENT = { beforeMs: 2_500, leave: 0.02 };

type Standing = Pick<SpeechWork, 'class' | 'deadlineMs'>;

const urgentAtMs = ({ deadlineMs }: Standing): number => deadlineMs - URGENT.beforeMs;

/** When the request begins to leave less than at `nowMs`, on the clock of its deadline; Infinity when it never does. */
export const leavesLessAtMs = (work: Standing, nowMs: number): number =>
  work.class === 'next' && nowMs < urgentAtMs(work) ? urgentAtMs(work) : Number.POSITIVE_INFINITY;

/** The least that a class ever leaves. */
export const leastLeaveOf = (of: WorkClass): number =>
  of === 'next' ? Math.min(LEAVE.next, URGENT.leave) : LEAVE[of];

/** 0…1, as `QuotaAsk.leave`. */
export const leaveOf = (work: Standing, nowMs: number): number =>
  work.class === 'next' && nowMs >= urgentAtMs(work) ? URGENT.leave : LEAVE[work.class];

/** What is asked for a hedge, which matters to nobody but the one who waits. */
export const HEDGE_LEAVE = LEAVE.prefetch;
