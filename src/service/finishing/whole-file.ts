// A file that is there whole or not at all: written under another name beside its place, brought to the disk, and
// moved there. The other name is new each time: an ffmpeg that outlived us, or a process that slept, may still be writing
// to the one of an earlier attempt. What a crash leaves goes with its folder.

import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { flushFile } from '../../storage/flush-file.ts';

const UNFINISHED = '.unfinished';

/** `write` gets the path to write to. When it rejects, nothing is left; else the result has the size in bytes too. */
export async function writeWholeFile<T extends object>(
  outPath: string,
  write: (path: string) => Promise<T>,
): Promise<T & { readonly bytes: number }> {
  const path = `${outPath}.${randomUUID()}${UNFINISHED}`;
  try {
    const written = await write(path);
    const bytes = await flushFile(path);
    await rename(path, outPath);
    return { ...written, bytes };
  } catch (cause) {
    await rm(path, { force: true });
    throw cause;
  }
}
