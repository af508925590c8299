// What was written to a file is there after a power cut only when it was flushed, whoever wrote it.

import { open } from 'node:fs/promises';

/** Resolves with its size in bytes when the content of the file at `path` is on disk. */
export async function flushFile(path: string): Promise<number> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}
