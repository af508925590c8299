// A monotonic clock that all processes and threads of this machine read alike, for times that travel between them: the usual
// one counts from the start of each.

import { hrtime } from 'node:process';
import { type Clock, systemClock } from './clock.ts';

export const sharedClock: Clock = { ...systemClock, now: () => Number(hrtime.bigint()) / 1e6 };

/** The time of day: what machines have in common, for times that travel between them and outlive a start. */
export const wallClock: Clock = { ...systemClock, now: () => Date.now() };
