// The budgets of time of callers: one for each connection, and those that all connections of a user share. They
// outlive the connections, so that reconnecting gives no new budget; there are as many as there are users.

import { AppError } from '../../base/app-error.ts';
import { TimeBudget } from '../../limits/time-budget.ts';
import type { WaitingRoom } from './paced-intake.ts';

export type TimeLimits = {
  /** Of this thread's time, each second, for what one connection sends; 0 is no limit. */
  readonly connectionTimeMs: number;
  /** For what all connections of a user send; 0 is no limit. */
  readonly userTimeMs: number;
};

export type TimeShare = {
  readonly budgets: readonly TimeBudget[];
  readonly slice: TimeBudget;
  readonly waitingRoom: WaitingRoom;
};

/** Two seconds' worth of messages at once is far below it. */
const BURST_SECONDS = 5;
/** Within moments half of the time: what came at once is handled in slices of 4 ms, and others go in between. */
const SLICE = { msPerSecond: 500, burstMs: 2 } as const;
/** Of one user. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

const budgetOf = (msPerSecond: number): TimeBudget[] =>
  msPerSecond === 0 ? [] : [new TimeBudget(msPerSecond, BURST_SECONDS * msPerSecond)];

const shared = (msPerSecond: number): TimeShare => ({
  budgets: budgetOf(msPerSecond),
  slice: new TimeBudget(SLICE.msPerSecond, SLICE.burstMs),
  waitingRoom: { bytes: 0, maxBytes: MAX_WAITING_BYTES },
});

/** Of a new connection whose user is not known, or shares with nobody. */
export const loneShare = ({ connectionTimeMs }: Pick<TimeLimits, 'connectionTimeMs'>): TimeShare =>
  shared(connectionTimeMs);

/** Answers with what a new connection of a user may take. */
export function createTimeShares({
  connectionTimeMs,
  userTimeMs,
}: TimeLimits): (userId: string) => TimeShare {
  const users = new Map<string, TimeShare>();
  return (userId) => {
    const user = users.get(userId) ?? shared(userTimeMs);
    users.set(userId, user);
    return { ...user, budgets: [...budgetOf(connectionTimeMs), ...user.budgets] };
  };
}

/** What a client is told that lets more wait than may. */
export const tooMuchTime = ({ connectionTimeMs, userTimeMs }: TimeLimits): AppError =>
  new AppError(
    'rate_limited',
    `Messages take more than ${connectionTimeMs} ms of the gateway's time a second, or those of all connections of this user more than ${userTimeMs}, and too many of them wait; send less.`,
  );
