// Whose sound is made next, of all requests of an engine: stretching, resampling and encoding take as long as speaking, and one
// thread does them for all. What is far ahead of its listener is made when nobody else's is due, one piece in a turn of the
// event loop; of a listener who interrupts, it never is.

import type { Clock } from '../base/clock.ts';

export type MakingLine = {
  /** Resolves when a piece may be made. `aheadMs` is asked whenever one is chosen. */
  turn(aheadMs: () => number): Promise<void>;
};

type Waiting = { readonly aheadMs: () => number; readonly go: () => void };

export function createMakingLine(clock: Clock): MakingLine {
  const line: Waiting[] = [];
  let phase: 'idle' | 'choosing' = 'idle';
  const choose = () => {
    let [next, leastMs] = [0, Number.POSITIVE_INFINITY];
    for (const [index, { aheadMs }] of line.entries()) {
      const ms = aheadMs();
      if (ms < leastMs) [next, leastMs] = [index, ms];
    }
    line.splice(next, 1)[0]?.go();
    if (line.length > 0) clock.soon(choose);
    else phase = 'idle';
  };
  return {
    turn: (aheadMs) =>
      new Promise((resolve) => {
        line.push({ aheadMs, go: resolve });
        if (phase === 'choosing') return;
        phase = 'choosing';
        clock.soon(choose);
      }),
  };
}
