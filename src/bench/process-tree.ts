// What the programs that a process has started keep in memory, by Linux's own books.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { eachNumber, fieldsOf, PARENT } from './proc-files.ts';

const PAGE_BYTES = 4096;

/** A process, its parent, and what it keeps in memory, bytes. */
type Entry = { readonly pid: number; readonly parent: number; readonly bytes: number };

const readEntry = (folder: string): Entry => ({
  pid: Number(basename(folder)),
  parent: Number(fieldsOf(readFileSync(`${folder}/stat`, 'utf8'))[PARENT]),
  bytes: Number(readFileSync(`${folder}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES,
});

/**
 * Resident bytes of the programs that process `pid` has started, theirs included, itself not. What they share is
 * counted for each. Undefined where there is no /proc.
 */
export function residentOfChildren(pid: number): number | undefined {
  let entries: readonly Entry[];
  try {
    entries = eachNumber('/proc', readEntry);
  } catch {
    return undefined;
  }
  const bytesBelow = (above: number): number =>
    entries
      .filter(({ parent }) => parent === above)
      .reduce((sum, child) => sum + child.bytes + bytesBelow(child.pid), 0);
  return bytesBelow(pid);
}
