// A process and the programs that it has started, by Linux's own books (proc(5)): what they keep in memory, and how long they
// have run.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { eachNumber, fieldsOf, PARENT, SYSTEM_TICKS, USER_TICKS } from './proc-files.ts';

const PAGE_BYTES = 4096;
/** USER_HZ is 100 on every Linux that Node runs on. */
export const TICK_MS = 10;

/** A process, its parent, what it keeps in memory (bytes), and how long all its threads have run (ms). */
export type ProcessEntry = {
  readonly pid: number;
  readonly parent: number;
  readonly bytes: number;
  readonly cpuMs: number;
};

function readEntry(folder: string): ProcessEntry {
  const fields = fieldsOf(readFileSync(`${folder}/stat`, 'utf8'));
  return {
    pid: Number(basename(folder)),
    parent: Number(fields[PARENT]),
    bytes: Number(readFileSync(`${folder}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES,
    cpuMs: (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) * TICK_MS,
  };
}

/** The programs that process `pid` has started, theirs included, itself not. Undefined where there is no /proc. */
export function childrenOf(pid: number): readonly ProcessEntry[] | undefined {
  let entries: readonly ProcessEntry[];
  try {
    entries = eachNumber('/proc', readEntry);
  } catch {
    return undefined;
  }
  const below = (above: number): ProcessEntry[] =>
    entries.filter(({ parent }) => parent === above).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}

/** Resident bytes of the programs that process `pid` has started; what they share is counted for each. */
export const residentOfChildren = (pid: number): number | undefined =>
  childrenOf(pid)?.reduce((sum, { bytes }) => sum + bytes, 0);
