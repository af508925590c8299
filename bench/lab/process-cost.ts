// What this process has cost so far. Where the system tells (Linux), the main thread apart from the others, which are
// the encoders' threads, the compiler and the collector.

import { readFileSync } from 'node:fs';
import { residentOfChildren } from './process-tree.ts';

export type ProcessCost = {
  /** User and system time of all threads. */
  readonly cpuMs: number;
  /** Of these, the main thread's; null where the system does not tell. */
  readonly mainCpuMs: number | null;
  /** How long the main thread has been ready to run and was not run; null where the system does not tell. */
  readonly waitedMs: number | null;
  readonly residentBytes: number;
  /** Of the programs that it has started; 0 where that cannot be told. */
  readonly childrenBytes: number;
};

/** Linux tells of the main thread: time run, time waited, both in ns (Documentation/scheduler/sched-stats). */
function mainThreadMs(): readonly [ran: number, waited: number] | undefined {
  try {
    const [ran, waited] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
    return [ran! / 1e6, waited! / 1e6];
  } catch {
    return undefined;
  }
}

export function processCost(): ProcessCost {
  const { user, system } = process.cpuUsage();
  const [mainCpuMs = null, waitedMs = null] = mainThreadMs() ?? [];
  return {
    cpuMs: (user + system) / 1000,
    mainCpuMs,
    waitedMs,
    residentBytes: process.memoryUsage.rss(),
    childrenBytes: residentOfChildren(process.pid) ?? 0,
  };
}
