// What timing words has cost this process so far, by Linux's own books (proc(5)): its thread, and the speech program that
// this thread has started. Both are found from outside, so nothing of the gateway is built for the bench.

import { readFileSync } from 'node:fs';
import { SPARE_TIME_NICENESS } from '../base/yield-to-playback.ts';
import { eachNumber, fieldsOf, NICENESS, PARENT } from './proc-files.ts';

export type WordTimerCost = {
  /** Processor time of the thread, garbage of its own heap included as far as it collects that itself. */
  readonly threadMs: number;
  /** Of all threads of the speech program. */
  readonly programMs: number;
};

const THREAD_NAME = 'word-timer';
const PROGRAM = 'espeak-entry';

/** Time run of a thread, which the scheduler counts in ns (Documentation/scheduler/sched-stats). */
const ranMs = (task: string): number => Number(readFileSync(`${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function threadMs(): number {
  const threads = eachNumber('/proc/self/task', (task) => ({
    name: readFileSync(`${task}/comm`, 'utf8').trim(),
    nice: Number(fieldsOf(readFileSync(`${task}/stat`, 'utf8'))[NICENESS]),
    ms: ranMs(task),
  }));
  const named = threads.filter(({ name }) => name === THREAD_NAME);
  // Node 20 names no thread; no other of the gateway's gives way as much.
  const isNice = ({ nice }: { readonly nice: number }) => nice >= SPARE_TIME_NICENESS;
  return sum((named.length > 0 ? named : threads.filter(isNice)).map(({ ms }) => ms));
}

const isOurProgram = (folder: string): boolean =>
  Number(fieldsOf(readFileSync(`${folder}/stat`, 'utf8'))[PARENT]) === process.pid &&
  readFileSync(`${folder}/cmdline`, 'utf8').includes(PROGRAM);

/** Null where the system keeps no such books. */
export function wordTimerCost(): WordTimerCost | null {
  try {
    const programs = eachNumber('/proc', (folder) =>
      isOurProgram(folder) ? sum(eachNumber(`${folder}/task`, ranMs)) : 0,
    );
    return { threadMs: threadMs(), programMs: sum(programs) };
  } catch {
    return null;
  }
}
