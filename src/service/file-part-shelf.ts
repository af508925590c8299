// Parts of speech as files of one folder. The facts are written first and the sound is renamed into its place last: a
// part is there when its sound is.

import { createWriteStream } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { PartShelf, SpokenPart } from './part-shelf.ts';

export function openFilePartShelf(folder: string): PartShelf {
  const nameOf = (index: number) => join(folder, `part-${String(index).padStart(4, '0')}`);

  return {
    async find(index) {
      const path = `${nameOf(index)}.mp3`;
      try {
        await stat(path);
        return {
          path,
          ...(JSON.parse(await readFile(`${nameOf(index)}.json`, 'utf8')) as Omit<SpokenPart, 'path'>),
        };
      } catch {
        return undefined; // missing or damaged: it is spoken again
      }
    },
    async keep(index, chunks, facts) {
      const path = `${nameOf(index)}.mp3`;
      const unfinished = `${path}.new`;
      try {
        await pipeline(chunks, createWriteStream(unfinished, { flush: true }));
        const told = facts();
        await writeFile(`${nameOf(index)}.json`, JSON.stringify(told), { flush: true });
        await rename(unfinished, path);
        return { path, ...told };
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },
  };
}
