// Parts of speech as files of one folder. The facts are written first and the sound is renamed into its place last: a
// part is there when its sound is. What is being written has a name of its own: a process that slept and wakes up must not
// write into, or move, what another one is writing.

import { randomUUID } from 'node:crypto';
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
      const unfinished = `${path}.${randomUUID()}.new`;
      const unfinishedFacts = `${unfinished}.json`;
      try {
        await pipeline(chunks, createWriteStream(unfinished, { flush: true }));
        const told = facts();
        await writeFile(unfinishedFacts, JSON.stringify(told), { flush: true });
        await rename(unfinishedFacts, `${nameOf(index)}.json`);
        await rename(unfinished, path);
        return { path, ...told };
      } catch (error) {
        for (const left of [unfinished, unfinishedFacts]) await rm(left, { force: true });
        throw error;
      }
    },
  };
}
