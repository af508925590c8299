// How long this process's event loop is held in one piece, and for how long of it garbage was collected, since the last look.
// The look itself costs a wake-up each millisecond, so only a bench that is about this asks for it.

import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
} from 'node:perf_hooks';

export type HeldLoop = {
  /** The longest, less what the timer's own resolution adds. */
  readonly longestMs: number;
  /** The longest collection of garbage that the thread waited for. */
  readonly longestCollectionMs: number;
};

const RESOLUTION_MS = 1;
const { NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_MINOR } = constants;

export function watchHeldLoop(): { look(): HeldLoop; stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let longestCollectionMs = 0;
  const collections = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as PerformanceEntry & {
        readonly detail?: { readonly kind?: number };
      };
      const kind = detail?.kind;
      if (kind === NODE_PERFORMANCE_GC_MAJOR || kind === NODE_PERFORMANCE_GC_MINOR)
        longestCollectionMs = Math.max(longestCollectionMs, duration);
    }
  });
  collections.observe({ entryTypes: ['gc'] });
  return {
    look() {
      const held = { longestMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS), longestCollectionMs };
      delay.reset();
      longestCollectionMs = 0;
      return held;
    },
    stop() {
      delay.disable();
      collections.disconnect();
    },
  };
}
