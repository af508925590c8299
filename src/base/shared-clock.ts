// A monotonic clock that all processes and threads of this machine read alike, for times that travel between them: the usual
// one counts from the start of each.

import { hrtime } from 'node:process';
import { type Clock, systemClock } from './clock.ts';

/** Unix ms, for times that travel between machines or outlive a process; it steps when somebody sets it. */
export const wallClock: Clock = { ...systemClock, now: Date.now };

export const sharedClock: Clock = { ...systemClock, now: () => Number(hrtime.bigint()) / 1e6 };
