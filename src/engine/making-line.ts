// Whose sound is made next, of all requests of an engine: stretching, resampling and encoding take as long as speaking, and one
// thread does them for all. What is far ahead of its listener is made when nobody else's is due; of a listener who interrupts,
// it never is. Where several ask, they get a part of the thread only, for what is made for nobody is time of the whole machine.

import type { Clock } from '../base/clock.ts';

export type MakingLine = {
  /** Resolves when a piece may be made. `aheadMs` is asked whenever one is chosen, and is the same for all pieces of a request. */
  turn(aheadMs: () => number): Promise<void>;
};

type Waiting = { readonly aheadMs: () => number; readonly go: () => void };

/** Where several ask, so many times as long as a piece took passes before the next one: they get a quarter of the thread. */
const REST_FACTOR = 3;
/** One that was long because the machine was busy with other things does not stop the others. */
const MAX_REST_MS = 30;
const ALONE_MS = 500;

export function createMakingLine(clock: Clock): MakingLine {
  const line: Waiting[] = [];
  let phase: 'idle' | 'choosing' = 'idle';
  let lastAsked: Waiting['aheadMs'] | undefined;
  /** When another one asked than the one before. */
  let othersAtMs = Number.NEGATIVE_INFINITY;
  const choose = () => {
    let [next, leastMs] = [0, Number.POSITIVE_INFINITY];
    for (const [index, { aheadMs }] of line.entries()) {
      const ms = aheadMs();
      if (ms < leastMs) [next, leastMs] = [index, ms];
    }
    const atMs = clock.now();
    line.splice(next, 1)[0]?.go();
    // The piece is made before this.
    clock.soon(() => {
      const nowMs = clock.now();
      const isAlone = nowMs - othersAtMs > ALONE_MS;
      goOn(isAlone ? 0 : Math.min(MAX_REST_MS, REST_FACTOR * (nowMs - atMs)));
    });
  };
  const goOn = (restMs: number) => {
    if (line.length === 0) phase = 'idle';
    else if (restMs === 0) choose();
    else clock.after(restMs, choose);
  };
  return {
    turn: (aheadMs) =>
      new Promise((resolve) => {
        line.push({ aheadMs, go: resolve });
        if (lastAsked !== undefined && lastAsked !== aheadMs) othersAtMs = clock.now();
        lastAsked = aheadMs;
        if (phase === 'choosing') return;
        phase = 'choosing';
        clock.soon(choose);
      }),
  };
}
