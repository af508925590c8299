// The back-off before a process that died is started again: short when it had done some work, and twice as long each time that
// it had not.

import type { Clock } from '../../base/clock.ts';

export type RestartBackOff = {
  /** It has done some work. */
  proven(): void;
  died(): void;
  mayStart(): boolean;
};

const FIRST_BACK_OFF_MS = 1000;
const MAX_BACK_OFF_MS = 300_000;

export function createRestartBackOff(clock: Pick<Clock, 'now'>): RestartBackOff {
  let isProven = false;
  let backOffMs = FIRST_BACK_OFF_MS;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  return {
    proven() {
      isProven = true;
    },
    died() {
      backOffMs = isProven ? FIRST_BACK_OFF_MS : Math.min(2 * backOffMs, MAX_BACK_OFF_MS);
      notBeforeMs = clock.now() + backOffMs;
      isProven = false;
    },
    mayStart: () => clock.now() >= notBeforeMs,
  };
}
