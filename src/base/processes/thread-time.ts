// How much processor time a thread of this process has had, where Linux tells (Documentation/scheduler/sched-stats). What a
// thread is allowed to spend on something is not to depend on what else the machine does.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The calling thread's number, as the system counts threads; undefined where it does not tell. */
export function ownThread(): number | undefined {
  try {
    const [, thread] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
    return thread === undefined ? undefined : Number(thread);
  } catch {
    return undefined;
  }
}

/** All threads of this process, by the same numbers; throws where the system does not tell. */
export const threads = (): number[] => readdirSync('/proc/self/task').map(Number);

/** Milliseconds that thread `thread` of this process has run; undefined where the system does not tell. */
export function threadTimeMs(thread: number | undefined): number | undefined {
  if (thread === undefined) return undefined;
  try {
    const [ran] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ');
    return Number(ran) / 1e6;
  } catch {
    return undefined;
  }
}
