// The clock that the processes of one machine share: Node's high-resolution time is the system's monotonic clock
// (CLOCK_MONOTONIC on Linux), so a stamp of one process may be taken from a stamp of another.

import { sharedClock } from '../../src/base/shared-clock.ts';

export const monotonicMs = (): number => sharedClock.now();
