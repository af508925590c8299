// One deadline that is moved far more often than it passes: the timer checks the latest one when it fires, instead of being
// set anew for every chunk.

import type { Clock } from '../../base/clock.ts';

export type StallWatch = {
  /** Sets the deadline to `ms` from now, replacing any before it. */
  within(ms: number): void;
  /**
   * Moves the deadline back by `ms`, at most to `mostMs` after `cameMs` (when the counted audio came; default now). Audio from
   * before the last `within` counts as if it came then: nothing was awaited before.
   */
  earn(ms: number, mostMs: number, cameMs?: number): void;
  /** Time until the deadline, ms. */
  leftMs(): number;
  /** Removes the deadline. */
  rest(): void;
};

export function createStallWatch(clock: Clock, onStall: () => void): StallWatch {
  let dueMs = Number.POSITIVE_INFINITY;
  let awaitedFromMs = Number.NEGATIVE_INFINITY;
  let timer: { readonly atMs: number; readonly cancel: () => void } | undefined;

  const rest = () => {
    dueMs = Number.POSITIVE_INFINITY;
    timer?.cancel();
    timer = undefined;
  };
  const look = () => {
    timer = undefined;
    if (clock.now() >= dueMs) onStall();
    else set();
  };
  const set = () => {
    timer = { atMs: dueMs, cancel: clock.after(dueMs - clock.now(), look) };
  };

  const move = (toMs: number) => {
    if (toMs === Number.POSITIVE_INFINITY) return rest();
    dueMs = toMs;
    if (timer !== undefined && timer.atMs <= dueMs) return;
    timer?.cancel();
    set();
  };

  return {
    within(ms) {
      awaitedFromMs = clock.now();
      move(awaitedFromMs + ms);
    },
    earn: (ms, mostMs, cameMs = clock.now()) =>
      move(Math.min(dueMs + ms, Math.max(cameMs, awaitedFromMs) + mostMs)),
    leftMs: () => dueMs - clock.now(),
    rest,
  };
}
