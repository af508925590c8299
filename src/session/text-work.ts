// Cutting text into sentences, of all sessions together: a piece at a time, for a slice of each turn of the event loop. However
// much text somebody sends, others are heard in between; who has most to cut waits longest.

import type { Clock } from '../base/clock.ts';
import { createWorkSlices, type WorkSlices } from '../base/processes/work-slices.ts';

export type CutInPieces = {
  /** Cuts the next piece; never throws. Adds itself again while there is more. */
  cutOn(): void;
};

export type TextWork = {
  /** It is served when its turn comes. One that waits is not added again. */
  add(one: CutInPieces): void;
};

/** What a client pays for of this thread's time: the handling of its messages is counted where they come in. */
export type WorkMeter = {
  /** Work for this client that was done later, in another turn of the event loop. */
  charge(ms: number): void;
};

/** Of a turn of the event loop: a few pieces, well below the time between two frames. */
const SLICE_MS = 2;
/** Text that waits does so for nobody's ear: it takes no more where the loop has much else to do. */
const MAX_SLICE_MS = 4;

export function createTextWork(clock: Clock): TextWork {
  const slices: WorkSlices<CutInPieces> = createWorkSlices({
    soon: (task) => clock.soon(task),
    now: () => clock.now(),
    serve: (one: CutInPieces) => one.cutOn(),
    sliceMs: SLICE_MS,
    maxMs: MAX_SLICE_MS,
  });
  let isAsked = false;
  return {
    add(one) {
      slices.add(one);
      // Never within the message that asked for it: its own first piece has been cut there.
      if (isAsked) return;
      isAsked = true;
      clock.soon(() => {
        isAsked = false;
        slices.go();
      });
    },
  };
}

/** `work` as one client has it: the time that its pieces take is charged to it. */
export function chargedTextWork(work: TextWork, meter: WorkMeter | undefined, clock: Clock): TextWork {
  if (meter === undefined) return work;
  return {
    add: (one) =>
      work.add({
        cutOn() {
          const startedAtMs = clock.now();
          one.cutOn();
          meter.charge(clock.now() - startedAtMs);
        },
      }),
  };
}
