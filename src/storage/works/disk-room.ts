// How much room a file system has left, where it says so.

import { type StatsFs, statfsSync } from 'node:fs';

/** With less than this free, a disk is full: the next part of speech would not fit. */
export const MIN_FREE_BYTES = 1024 * 1024;
/** Entries for new files. */
const MIN_FREE_FILES = 16;

/** Some file systems tell 0 of what they do not count. */
export const isFull = ({ blocks, bavail, bsize, files, ffree }: StatsFs, minFreeBytes: number): boolean =>
  (blocks > 0 && bavail * bsize < minFreeBytes) || (files > 0 && ffree < MIN_FREE_FILES);

export function hasNoRoom(folder: string): boolean {
  try {
    return isFull(statfsSync(folder), MIN_FREE_BYTES);
  } catch {
    return false;
  }
}
