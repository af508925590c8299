// Asks the file system of a folder whether it takes what is written. Quotas are seen by writing alone, so while something
// is wrong a file is written, flushed and removed.

import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { storageError } from '../../base/app-error.ts';
import { isFull, MIN_FREE_BYTES } from './disk-room.ts';
import type { StorageProbe } from './storage-watch.ts';

/** A disk that was full has room when more is free than it takes to be called full: else it would be both by turns. */
const ROOM_BYTES = 2 * MIN_FREE_BYTES;
const PROBE_BYTES = 256 * 1024;

export function createFileStorageProbe(folder: string): StorageProbe {
  const write = async () => {
    const path = join(folder, `probe-${randomUUID()}`);
    try {
      const file = await open(path, 'wx', 0o600);
      try {
        await file.writeFile(Buffer.alloc(PROBE_BYTES)); // all of it, or it says why not
        await file.sync();
      } finally {
        await file.close();
      }
    } finally {
      await rm(path, { force: true });
    }
  };
  return {
    async look(how) {
      if (isFull(await statfs(folder), how === 'quick' ? MIN_FREE_BYTES : ROOM_BYTES))
        throw storageError('full');
      await access(folder, constants.W_OK);
      if (how === 'thorough') await write();
    },
  };
}
