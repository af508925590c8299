// A new or renamed file is there after a power cut only when its folder was flushed, too.

import { open } from 'node:fs/promises';

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
