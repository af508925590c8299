// What this thread uses of its time, as the event loop counts it.

import { performance } from 'node:perf_hooks';

/**
 * Answers the share of the time, 0…1, that was used since it was asked last. What the thread was kept from by other programs
 * counts as used: what matters is what is left.
 */
export function createUsedShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
