// How much memory a process that serves for weeks lets lie. V8 collects a heap that has never been collected at many times
// what a program needs to start, and later at up to four times of what it found alive; what lives for a second, as words
// and audio under way do, would fill all of it.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The old space may grow by so much, in percent of what is alive, before it is collected. For hundreds of turns `lean` is a
 * tenth less memory than `roomy`, and every twenty-fifth of the processor more, in collections that each hold back frames for
 * ten milliseconds; more room than `roomy` saves nothing.
 */
const GROWTH_PERCENT = { lean: 40, roomy: 60 } as const;
/** It becomes roomy with so many turns, and lean again with half of them. */
const MANY_TURNS = 50;

let heap: 'unset' | keyof typeof GROWTH_PERCENT = 'unset';

function grow(how: keyof typeof GROWTH_PERCENT): void {
  if (heap === how) return;
  heap = how;
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT[how]}`);
}

/**
 * For the end of a start: gives back what only the start needed, some 100 ms, and has later collections come in time. They
 * are concurrent, and what they find is little.
 */
export function keepHeapLean(): void {
  grow('lean');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}

/** So many turns play in this process. Without effect where nobody asked for a lean heap. */
export function fitHeapTo(turns: number): void {
  if (heap === 'unset') return;
  if (turns >= MANY_TURNS) grow('roomy');
  else if (turns <= MANY_TURNS / 2) grow('lean');
}
