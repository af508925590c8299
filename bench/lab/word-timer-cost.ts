// What timing words has cost so far, by Linux's own books (proc(5)): the process that does it, and the speech program that it
// has started. Both are found from outside, so nothing of the gateway is built for the bench.

import { readFileSync } from 'node:fs';
import { eachNumber, fieldsOf, PARENT } from './proc-files.ts';

export type WordTimerCost = {
  /** Of all threads of the process. */
  readonly timerMs: number;
  /** Of all threads of its speech program. */
  readonly programMs: number;
};

const TIMER = 'word-timer-process';
const PROGRAM = 'espeak-entry';

/** Time run of a thread, which the scheduler counts in ns (Documentation/scheduler/sched-stats). */
const ranMs = (task: string): number => Number(readFileSync(`${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

type Found = { readonly pid: number; readonly ms: number };

const childrenOf = (parent: number, name: string): Found[] =>
  eachNumber('/proc', (folder): Found[] => {
    const isIt =
      Number(fieldsOf(readFileSync(`${folder}/stat`, 'utf8'))[PARENT]) === parent &&
      readFileSync(`${folder}/cmdline`, 'utf8').includes(name);
    return isIt
      ? [{ pid: Number(folder.slice('/proc/'.length)), ms: sum(eachNumber(`${folder}/task`, ranMs)) }]
      : [];
  }).flat();

const programMsOf = (parents: readonly number[]): number =>
  sum(parents.flatMap((parent) => childrenOf(parent, PROGRAM)).map(({ ms }) => ms));

/** Of a speech program that this process itself has started; NaN where the system keeps no such books. */
export function ownProgramMs(): number {
  try {
    return programMsOf([process.pid]);
  } catch {
    return Number.NaN;
  }
}

/** Null where the system keeps no such books. */
export function wordTimerCost(): WordTimerCost | null {
  try {
    const timers = childrenOf(process.pid, TIMER);
    return {
      timerMs: sum(timers.map(({ ms }) => ms)),
      programMs: programMsOf(timers.map(({ pid }) => pid)),
    };
  } catch {
    return null;
  }
}
