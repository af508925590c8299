// Whoever makes the load takes the processor from what is measured, at the worst moment: when all of it has something to do.
// Where there are cores to choose from, CPU affinity keeps this process and what it starts off the first one, so that the
// gateway, which may use all of them, always has one that is free.

import { spawnSync } from 'node:child_process';

/** Node has no way to sched_setaffinity(2); of util-linux, for others take shorter words. */
const PROGRAM = 'taskset';

export type CoresApart = {
  /** What a process is run by that may use all cores again. */
  readonly through: readonly string[];
  /** So may this one, from now on. Throws where it can no longer be moved. */
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
  const env = { ...process.env, LC_ALL: 'C' };
  const { status, stdout } = spawnSync(PROGRAM, [...words, String(process.pid)], { encoding: 'utf8', env });
  return status === 0 ? stdout : undefined;
};

/** Moves this process, and what it starts from now on, to all cores but the first; undefined where that cannot be done. */
export function leaveFirstCore(): CoresApart | undefined {
  const all = tasksetOf('--cpu-list', '--pid')?.match(/: ([\d,-]+)\s*$/)?.[1];
  const others = all === undefined ? undefined : withoutFirstCore(all);
  if (all === undefined || others === undefined) return undefined;
  const moveTo = (list: string) => tasksetOf('--all-tasks', '--cpu-list', '--pid', list) !== undefined;
  if (!moveTo(others)) {
    // It moves one thread after the other.
    moveTo(all);
    return undefined;
  }
  return {
    through: [PROGRAM, '--cpu-list', all],
    end() {
      if (!moveTo(all)) throw new Error(`this process is kept on the cores ${others}`);
    },
  };
}
