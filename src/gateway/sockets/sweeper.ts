// Checks all connections once a second. A process that was held up (a debugger, a stopped container, a blocked loop)
// finds every deadline missed and has not yet read what clients sent meanwhile, so a check that comes late is skipped: no
// client is judged by what the process itself did not do.

import type { Clock } from '../../base/clock.ts';

export type Sweeper = {
  /** Starting twice is starting once. */
  start(): void;
  stop(): void;
};

const EVERY_MS = 1000;
const LATE_MS = 1000;

/** `sweep` answers whether there is anything left to look at; without, the sweeper stops by itself. */
export function createSweeper(clock: Clock, sweep: (nowMs: number) => 'more' | 'none'): Sweeper {
  let cancel: (() => void) | undefined;
  const schedule = () => {
    const dueMs = clock.now() + EVERY_MS;
    cancel = clock.after(EVERY_MS, () => {
      cancel = undefined;
      const nowMs = clock.now();
      if (nowMs - dueMs >= LATE_MS || sweep(nowMs) === 'more') schedule();
    });
  };
  return {
    start() {
      if (cancel === undefined) schedule();
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
