// One deadline that is moved far more often than it passes: the timer looks at the latest one when it fires, instead
// of being set anew for every chunk.

import type { Clock } from '../../base/clock.ts';

export type StallWatch = {
  /** From now on so long; takes the place of any deadline before it. */
  within(ms: number): void;
  /**
   * So much later than it was, and at most so long from `cameMs`, when what is counted came, or from now; what came before
   * the last `within` counts as if it came then, for nothing was awaited before.
   */
  earn(ms: number, mostMs: number, cameMs?: number): void;
  /** How long it is until then, ms. */
  leftMs(): number;
  /** Nothing is awaited. */
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
