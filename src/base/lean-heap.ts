// How much memory a process that serves for weeks lets lie. V8 collects a heap that has never been collected at many times
// what a program needs to start, and later at up to four times of what it found alive; what lives for a second, as words
// and audio under way do, would fill all of it.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The old space may grow by so much, in percent of what is alive, before it is collected. With 500 turns 60 take a tenth more
 * memory and save no processor; 25 cost every twentieth of it.
 */
const GROWTH_PERCENT = 40;

/**
 * For the end of a start: gives back what only the start needed, some 100 ms, and has later collections come in time. They
 * are concurrent, and what they find is little.
 */
export function keepHeapLean(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
