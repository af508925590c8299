// Tells connections to leave, one after the other where others wait for them: clients that are all closed at once all come
// back at once, to whichever instances are left.

import type { Clock } from '../../base/clock.ts';

export type DrainTimes = {
  /** What plays may finish for so long. */
  readonly deadlineMs: number;
  /** Over so long at most the connections are told; 0: all at once. */
  readonly spreadMs: number;
};

type Leaver = { drain(deadlineMs: number): void };

/** So many a second are welcome elsewhere, and a drain of few is over soon. */
const STEP_MS = 100;

/** Tells the first at once, each with the time that is left. Returns what ends it. */
export function drainInTurn(
  leavers: Iterable<Leaver>,
  { deadlineMs, spreadMs }: DrainTimes,
  clock: Clock,
): () => void {
  const order = [...leavers];
  const fromMs = clock.now();
  const stepMs = Math.min(STEP_MS, spreadMs / order.length);
  let told = 0;
  let cancel = () => {};
  const tellDue = (spentMs: number) => {
    const due = stepMs > 0 ? 1 + Math.floor(spentMs / stepMs) : order.length;
    while (told < Math.min(due, order.length)) order[told++]!.drain(Math.ceil(deadlineMs - spentMs));
    if (told < order.length) cancel = clock.after(STEP_MS, () => tellDue(clock.now() - fromMs));
  };
  tellDue(0);
  return () => cancel();
}
