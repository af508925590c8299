// Parts of speech as files of the scratch folder of a work. The facts are written first and the sound is renamed into its
// place last: a part is there when its sound is. What is being written has a name of its own: a process that slept and wakes
// up must not write into, or move, what another one is writing.

import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { WorkFiles } from '../storage/works/work-files.ts';
import type { OpenShelf, SpokenPart } from './part-shelf.ts';

export const openFilePartShelf =
  (files: Pick<WorkFiles, 'checkpoint' | 'recover'>): OpenShelf =>
  (work, folder) => {
    const nameOf = (index: number) => `part-${String(index).padStart(4, '0')}`;

    return {
      async find(index) {
        const name = nameOf(index);
        for (const each of [`${name}.json`, `${name}.mp3`])
          if (!(await files.recover(work, each))) return undefined;
        try {
          const facts = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'));
          return { path: join(folder, `${name}.mp3`), ...(facts as Omit<SpokenPart, 'path'>) };
        } catch {
          return undefined; // damaged: it is spoken again
        }
      },
      async keep(index, chunks, facts) {
        const name = nameOf(index);
        const path = join(folder, `${name}.mp3`);
        const unfinished = `${path}.${randomUUID()}.new`;
        const unfinishedFacts = `${unfinished}.json`;
        try {
          await pipeline(chunks, createWriteStream(unfinished, { flush: true }));
          const told = facts();
          await writeFile(unfinishedFacts, JSON.stringify(told), { flush: true });
          await files.checkpoint(work, `${name}.json`, unfinishedFacts);
          await files.checkpoint(work, `${name}.mp3`, unfinished);
          await rename(unfinishedFacts, join(folder, `${name}.json`));
          await rename(unfinished, path);
          return { path, ...told };
        } catch (error) {
          for (const left of [unfinished, unfinishedFacts]) await rm(left, { force: true });
          throw error;
        }
      },
    };
  };
