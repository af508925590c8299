// Whoever makes the load takes the processor from what is measured, at the worst moment: when all of it has something to do.
// Where there are cores to choose from, this process and what it starts leave the first one to the gateway.

import { spawnSync } from 'node:child_process';

/** sched_setaffinity(2) has no other way in from here: util-linux, on every Linux. */
const PROGRAM = 'taskset';

export type CoresApart = {
  /** What a process is run by that may use all cores again. */
  readonly through: readonly string[];
  /** So may this one, from now on. */
  end(): void;
};

/** `0-2,5` as numbers. */
const coresIn = (list: string): readonly number[] =>
  list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number) as [number, number?];
    return Array.from({ length: last - first + 1 }, (_, more) => first + more);
  });

/** A list of cores without its first; undefined where that leaves none. */
export function withoutFirstCore(list: string): string | undefined {
  const [, ...others] = coresIn(list);
  return others.length === 0 ? undefined : others.join(',');
}

const tasksetOf = (...words: readonly string[]) => {
  const { status, stdout } = spawnSync(PROGRAM, [...words, String(process.pid)], { encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
};

/** Moves this process, and what it starts from now on, to all cores but the first; undefined where that cannot be done. */
export function leaveFirstCore(): CoresApart | undefined {
  const all = tasksetOf('--cpu-list', '--pid')?.match(/: ([\d,-]+)\s*$/)?.[1];
  const others = all === undefined ? undefined : withoutFirstCore(all);
  if (all === undefined || others === undefined) return undefined;
  if (tasksetOf('--all-tasks', '--cpu-list', '--pid', others) === undefined) return undefined;
  return {
    through: [PROGRAM, '--cpu-list', all],
    end() {
      tasksetOf('--all-tasks', '--cpu-list', '--pid', all);
    },
  };
}
