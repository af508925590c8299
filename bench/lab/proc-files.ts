// Linux's own books of processes and threads (proc(5)), as the benches read them.

import { readdirSync, readFileSync } from 'node:fs';

/** Places of fields in what `fieldsOf` gives. */
export const PARENT = 1;
export const USER_TICKS = 11;
export const SYSTEM_TICKS = 12;
/** Of children that have ended and were waited for. */
export const CHILDREN_USER_TICKS = 13;
export const CHILDREN_SYSTEM_TICKS = 14;

/** The fields of a `stat` file behind the name, which is in brackets and may hold anything. */
export const fieldsOf = (stat: string): readonly string[] => stat.replace(/^.*\) /s, '').split(' ');

/** Bytes of a process in memory; undefined where the system does not tell. */
export function residentOf(pid: number): number | undefined {
  try {
    const told = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return told === null ? undefined : Number(told[1]) * 1024;
  } catch {
    return undefined;
  }
}

/** How many files this process and those that it starts may have open; undefined where the system does not tell. */
export function openFilesLimit(): number | undefined {
  try {
    const told = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return told === null ? undefined : Number(told[1]);
  } catch {
    return undefined;
  }
}

/** What `read` gives of each entry of `folder` that is a number; an entry that has gone meanwhile is left out. */
export function eachNumber<T>(folder: string, read: (path: string) => T): T[] {
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [read(`${folder}/${name}`)];
      } catch {
        return [];
      }
    });
}
