// A file that is there whole or not at all: written under another name beside its place, brought to the disk, and
// moved there. What a crash leaves under the other name is taken away, not written over: an ffmpeg that outlived us may
// still be writing to it.

import { rename, rm } from 'node:fs/promises';
import { flushFile } from '../../storage/flush-file.ts';

const UNFINISHED = '.unfinished';

/** `write` gets the path to write to. When it rejects, nothing is left; else the result has the size in bytes too. */
export async function writeWholeFile<T extends object>(
  outPath: string,
  write: (path: string) => Promise<T>,
): Promise<T & { readonly bytes: number }> {
  const path = outPath + UNFINISHED;
  try {
    await rm(path, { force: true });
    const written = await write(path);
    const bytes = await flushFile(path);
    await rename(path, outPath);
    return { ...written, bytes };
  } catch (cause) {
    await rm(path, { force: true });
    throw cause;
  }
}
