// What a process and all that it has started keep in memory, by Linux's own books (proc(5)).

import { readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4096;

/** The parent of each process. */
function parents(): Map<number, number> {
  const found = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The name of the program, in brackets, may hold anything.
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      found.set(Number(name), Number(fields[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

function residentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

/**
 * Resident bytes of the programs that process `pid` has started, theirs included, itself not. What they share is
 * counted for each. Undefined where there is no /proc.
 */
export function residentOfChildren(pid: number): number | undefined {
  let above: Map<number, number>;
  try {
    above = parents();
  } catch {
    return undefined;
  }
  const isBelow = (process: number): boolean => {
    for (
      let at = above.get(process), depth = 0;
      at !== undefined && depth < 32;
      at = above.get(at), depth += 1
    )
      if (at === pid) return true;
    return false;
  };
  return [...above.keys()].filter(isBelow).reduce((sum, child) => sum + residentOf(child), 0);
}
