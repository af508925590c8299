// The files of works in a local folder: `<dataDir>/works/<id>/files/<name>` is what is served, `…/scratch/` what is being
// made. A file is served under its name only when it is whole and on disk: flushed, then renamed, then the folder
// flushed. Ids and names are checked against fixed alphabets, so that no path leads anywhere else.

import { createReadStream } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flushFile, flushFolder } from '../flush-file.ts';
import type { WorkFiles } from './work-files.ts';
import {
  checkNames,
  DROPPED,
  fileInScratch,
  isFileAt,
  isFileName,
  isWorkId,
  worksFolderOf,
} from './works-folder.ts';

const isMissing = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
};

/** Nothing where there is no such folder. */
async function listed(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Ids and names that are none of ours: an `Error` where something is made or removed, nothing found where it is read.
 * `checkHeld` throws when another process has the folder: asked before anything is made, moved or removed.
 */
export function createFileWorkFiles(dataDir: string, checkHeld: () => void = () => {}): WorkFiles {
  const root = worksFolderOf(dataDir);
  const folderOf = (workId: string): string => {
    checkNames(workId);
    return join(root, workId);
  };
  const scratchOf = (workId: string) => join(folderOf(workId), 'scratch');

  const namesIn = async (workId: string, folder: 'files' | 'scratch') =>
    isWorkId(workId) ? (await listed(join(folderOf(workId), folder))).filter(isFileName).sort() : [];

  return {
    async scratch(workId) {
      const folder = scratchOf(workId);
      checkHeld();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },

    /** Whoever goes on sees this folder. */
    async checkpoint(workId, name) {
      checkNames(workId, name);
    },

    async recover(workId, name) {
      checkNames(workId, name);
      return await isFileAt(join(scratchOf(workId), name));
    },

    async publish(workId, name, path) {
      checkNames(workId, name);
      const from = await fileInScratch(scratchOf(workId), path);
      const bytes = await flushFile(from);
      const folder = join(folderOf(workId), 'files');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      checkHeld();
      await rename(from, join(folder, name));
      for (const changed of [folder, dirname(folder), root]) await flushFolder(changed);
      return { bytes };
    },

    async find(workId, name) {
      if (!isWorkId(workId) || !isFileName(name)) return undefined;
      const path = join(folderOf(workId), 'files', name);
      try {
        const found = await lstat(path);
        if (!found.isFile()) return undefined;
        return { bytes: found.size, open: (range) => createReadStream(path, range) };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },

    names: (workId) => namesIn(workId, 'files'),
    parts: (workId) => namesIn(workId, 'scratch'),

    async tidy(workId) {
      const scratch = scratchOf(workId);
      checkHeld();
      await rm(scratch, DROPPED);
    },

    async remove(workId) {
      const folder = folderOf(workId);
      checkHeld();
      await rm(folder, DROPPED);
    },

    owned: async () => (await listed(root)).filter(isWorkId),
  };
}
