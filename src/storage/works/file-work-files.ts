// The files of works in a local folder: `<dataDir>/works/<id>/files/<name>` is what is served, `…/scratch/` what is being
// made. A file is served under its name only when it is whole and on disk: flushed, then renamed, then the folder
// flushed. Ids and names are checked against fixed alphabets, so that no path leads anywhere else.

import { createReadStream } from 'node:fs';
import { lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { flushFile, flushFolder } from '../flush-file.ts';
import type { WorkFiles } from './work-files.ts';
import { isWorkId, worksFolderOf } from './works-folder.ts';

/** A word or two and an ending: `audio.mp3`, `words.en.vtt`. Never a dot first, never two in a row. */
const NAME = /^[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*$/;
const MAX_NAME = 100;
/** What is being made while its folder is dropped may put more into it; some 3 s, by then its writer has stopped. */
const DROPPED = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 } as const;

const isMissing = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
};

/**
 * Ids and names that are none of ours: an `Error` where something is made or removed, nothing found where it is read.
 * `checkHeld` throws when another process has the folder: asked before anything is made, moved or removed.
 */
export function createFileWorkFiles(dataDir: string, checkHeld: () => void = () => {}): WorkFiles {
  const root = worksFolderOf(dataDir);
  const folderOf = (workId: string): string => {
    if (!isWorkId(workId)) throw new Error('not the id of a work');
    return join(root, workId);
  };
  const scratchOf = (workId: string) => join(folderOf(workId), 'scratch');
  const isName = (name: string) => name.length <= MAX_NAME && NAME.test(name);

  return {
    async scratch(workId) {
      const folder = scratchOf(workId);
      checkHeld();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },

    async publish(workId, name, path) {
      if (!isName(name)) throw new Error('not a name for a file of a work');
      // A link in the scratch folder may point anywhere; what it points at is not this work's.
      const scratch = (await realpath(scratchOf(workId))) + sep;
      const from = join(await realpath(dirname(path)), basename(path));
      if (!from.startsWith(scratch) || !(await lstat(from)).isFile())
        throw new Error('only a file in the scratch folder of a work is published');
      const bytes = await flushFile(from);
      const folder = join(folderOf(workId), 'files');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      checkHeld();
      await rename(from, join(folder, name));
      for (const changed of [folder, dirname(folder), root]) await flushFolder(changed);
      return { bytes };
    },

    async find(workId, name) {
      if (!isWorkId(workId) || !isName(name)) return undefined;
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

    async owned() {
      try {
        return (await readdir(root)).filter(isWorkId);
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
  };
}
