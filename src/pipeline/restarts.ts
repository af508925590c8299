// When what died may be started again: soon when it had done something, and after twice as long each time that it had not.

import type { Clock } from '../base/clock.ts';

export type Restarts = {
  /** It has done something. */
  proven(): void;
  died(): void;
  mayStart(): boolean;
};

const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 300_000;

export function createRestarts(clock: Pick<Clock, 'now'>): Restarts {
  let isProven = false;
  let restMs = FIRST_REST_MS;
  let restUntilMs = Number.NEGATIVE_INFINITY;
  return {
    proven() {
      isProven = true;
    },
    died() {
      restMs = isProven ? FIRST_REST_MS : Math.min(2 * restMs, LONGEST_REST_MS);
      restUntilMs = clock.now() + restMs;
      isProven = false;
    },
    mayStart: () => clock.now() >= restUntilMs,
  };
}
