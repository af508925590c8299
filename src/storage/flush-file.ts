// What was written to a file survives a power cut only when it was flushed, by any process.

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

// A new or renamed file is there after a power cut only when its folder was flushed, too.

/** Resolves when the entries of `folder` are on disk, as far as the system knows how (Windows opens no folders). */
export async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EISDIR' && code !== 'EPERM' && code !== 'EINVAL') throw error;
  }
}
