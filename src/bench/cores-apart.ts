// Whoever makes the load takes the processor from what is measured, at the worst moment: when all of it has something to do.
// Where there are cores to choose from, CPU affinity keeps this process and what it starts off the first one, which the main
// thread of what is measured has for itself; its other threads (the collector, the compiler) share the others.

import { spawnSync } from 'node:child_process';

/** Node has no way to sched_setaffinity(2); of util-linux, for others take shorter words. */
const PROGRAM = 'taskset';

export type CoresApart = {
  /** The main thread of process `pid` has the first core, and what it starts from now on. Throws where it cannot be moved. */
  giveFirstCore(pid: number): void;
  /** This process may use all cores again. Throws where it cannot be moved. */
  end(): void;
};

/** `0-2,5` as numbers. */
const coresIn = (list: string): readonly number[] =>
  list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number) as [number, number?];
    return Array.from({ length: last - first + 1 }, (_, more) => first + more);
  });

/** The first of a list of cores, and the others; undefined where that leaves none. */
export function firstAndOthers(list: string): readonly [first: string, others: string] | undefined {
  const [first, ...others] = coresIn(list);
  return others.length === 0 ? undefined : [String(first), others.join(',')];
}

const taskset = (...words: readonly (string | number)[]): string | undefined => {
  const env = { ...process.env, LC_ALL: 'C' };
  const { status, stdout } = spawnSync(PROGRAM, words.map(String), { encoding: 'utf8', env });
  return status === 0 ? stdout : undefined;
};

/** Moves this process, and what it starts from now on, to all cores but the first; undefined where that cannot be done. */
export function leaveFirstCore(): CoresApart | undefined {
  const { pid } = process;
  const all = taskset('--cpu-list', '--pid', pid)?.match(/: ([\d,-]+)\s*$/)?.[1];
  const [first, others] = (all === undefined ? undefined : firstAndOthers(all)) ?? [];
  if (all === undefined || first === undefined || others === undefined) return undefined;
  const moveTo = (list: string) => taskset('--all-tasks', '--cpu-list', '--pid', list, pid) !== undefined;
  if (!moveTo(others)) {
    // It moves one thread after the other.
    moveTo(all);
    return undefined;
  }
  return {
    giveFirstCore(ofPid) {
      // Without --all-tasks it is the thread whose id is the process's.
      if (taskset('--cpu-list', '--pid', first, ofPid) === undefined)
        throw new Error(`process ${ofPid} cannot be given the core ${first}`);
    },
    end() {
      if (!moveTo(all)) throw new Error(`this process is kept on the cores ${others}`);
    },
  };
}
