// How much memory a process that serves for weeks lets lie. V8 collects a heap that has never been collected at many times
// what a program needs to start, and later at up to four times of what it found alive; what lives for a second, as words
// and audio under way do, would fill all of it. Where the thread has little time left, memory buys some (decision 0045).

import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { collector } from './collector.ts';
import { createUsedShare } from './used-share.ts';

/**
 * The old space may grow by so much, in percent of what is alive, before it is collected. With 500 turns on half of a core 25
 * cost a twentieth more of the processor's time than 40, and 90 take a sixth more memory.
 */
const GROWTH_PERCENT = { atEase: 40, busy: 90 } as const;
/** While the collector marks it takes a quarter to a third of the thread's time; above this share little more than that is free. */
const BUSY_SHARE = 0.6;

/** How much the old space may grow, %, when so much of the thread's time was used between two collections, 0…1. */
export const growthPercent = (usedShare: number): number =>
  GROWTH_PERCENT[usedShare > BUSY_SHARE ? 'busy' : 'atEase'];

/** What Node tells of a collection; its types leave it out. */
type Collection = PerformanceEntry & { readonly detail?: { readonly kind?: number } };

/**
 * Says anew how much the old space may grow whenever that has changed, for as long as the process lives. V8 sets the limit of the
 * next collection as one ends, which is before we hear of it: what is said holds from the next one on, some seconds later.
 */
export function followUse({
  usedShare,
  growBy,
}: {
  /** Of the thread's time since it was asked last, 0…1. */
  readonly usedShare: () => number;
  readonly growBy: (percent: number) => void;
}): { stop(): void } {
  let percent: number = GROWTH_PERCENT.atEase;
  const collections = new PerformanceObserver((list) => {
    const collected = list.getEntries() as readonly Collection[];
    if (!collected.some(({ detail }) => detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) return;
    const wanted = growthPercent(usedShare());
    if (wanted !== percent) growBy(wanted);
    percent = wanted;
  });
  collections.observe({ entryTypes: ['gc'] });
  return { stop: () => collections.disconnect() };
}

/**
 * For the end of a start: gives back what only the start needed, some 100 ms, and has later collections come in time. They
 * are concurrent, and what they find is little.
 */
export function keepHeapLean(): void {
  const growBy = (percent: number) => setFlagsFromString(`--heap-growing-percent=${percent}`);
  growBy(GROWTH_PERCENT.atEase);
  collector()();
  followUse({ usedShare: createUsedShare(), growBy });
}
