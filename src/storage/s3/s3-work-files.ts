// The files of works in a bucket: `works/<id>/files/<name>` is what is served, `works/<id>/scratch/<name>` what another
// instance needs to go on with a work. What is being made is in a scratch folder of this machine, for programs that work on
// files. An object is there whole or not at all.

import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FilesPlace } from '../postgres/shared-folder.ts';
import type { WorkFiles } from '../works/work-files.ts';
import {
  checkNames,
  DROPPED,
  fileInScratch,
  isFileAt,
  isFileName,
  isFolderId,
  isWorkId,
} from '../works/works-folder.ts';
import type { Bucket } from './bucket.ts';

const ID = 'works/folder-id';
const MAX_ID_BYTES = 100;

const published = (workId: string, name: string) => `works/${workId}/files/${name}`;
const underWay = (workId: string, name: string) => `works/${workId}/scratch/${name}`;

export type S3WorkFilesOptions = {
  readonly bucket: Bucket;
  /** Of this machine, and of this program alone. */
  readonly folder: string;
  /** Rejects when this program has lost the work; asked before anything of it is written. */
  readonly mayWrite: (workId: string) => Promise<void>;
};

/** Ids and names that are none of ours: as `createFileWorkFiles`. */
export function createS3WorkFiles({ bucket, folder, mayWrite }: S3WorkFilesOptions): WorkFiles {
  const scratchOf = (workId: string) => join(folder, workId);
  const namesBelow = async (workId: string, nameOf: typeof published): Promise<readonly string[]> => {
    const names: string[] = [];
    if (!isWorkId(workId)) return names;
    const start = nameOf(workId, '');
    for await (const { name } of bucket.list(start)) names.push(name.slice(start.length));
    return names.filter(isFileName).sort();
  };

  return {
    async scratch(workId) {
      checkNames(workId);
      await mkdir(scratchOf(workId), { recursive: true, mode: 0o700 });
      return scratchOf(workId);
    },

    async checkpoint(workId, name, path) {
      checkNames(workId, name);
      await bucket.upload(underWay(workId, name), path, () => mayWrite(workId));
    },

    async recover(workId, name) {
      checkNames(workId, name);
      const path = join(scratchOf(workId), name);
      if (await isFileAt(path)) return true;
      const found = await bucket.sizeOf(underWay(workId, name));
      if (found === undefined) return false;
      const { bytes, version } = found;
      const unfinished = `${path}.recovered`;
      try {
        const chunks = bucket.read(underWay(workId, name), { start: 0, end: bytes - 1, version });
        await pipeline(chunks, createWriteStream(unfinished));
        await rename(unfinished, path);
        return true;
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },

    async publish(workId, name, path) {
      checkNames(workId, name);
      const from = await fileInScratch(scratchOf(workId), path);
      const { bytes } = await bucket.upload(published(workId, name), from, () => mayWrite(workId));
      await rm(from);
      // The next attempt may be made elsewhere: an empty folder has no reason to stay.
      await rmdir(scratchOf(workId)).catch(() => {});
      return { bytes };
    },

    async find(workId, name) {
      if (!isWorkId(workId) || !isFileName(name)) return undefined;
      const found = await bucket.sizeOf(published(workId, name));
      if (found === undefined) return undefined;
      const { bytes, version } = found;
      return {
        bytes,
        open: ({ start, end } = { start: 0, end: bytes - 1 }) =>
          Readable.from(bucket.read(published(workId, name), { start, end, version }), {
            objectMode: false,
          }),
      };
    },

    names: (workId) => namesBelow(workId, published),
    parts: (workId) => namesBelow(workId, underWay),

    async tidy(workId) {
      checkNames(workId);
      await rm(scratchOf(workId), DROPPED);
      await bucket.deleteAll(`works/${workId}/scratch/`);
    },

    async remove(workId) {
      checkNames(workId);
      await rm(scratchOf(workId), DROPPED);
      await bucket.deleteAll(`works/${workId}/`);
    },

    async owned() {
      const ids: string[] = [];
      for await (const name of bucket.foldersIn('works/')) if (isWorkId(name)) ids.push(name);
      return ids;
    },
  };
}

/** The bucket as a place that belongs to a database. */
export function bucketPlace(bucket: Bucket): FilesPlace {
  return {
    called: bucket.place,
    idAt: `${bucket.place}${ID}`,
    question: 'is it the right bucket and prefix?',
    async readId() {
      const text = (await bucket.get(ID, MAX_ID_BYTES))?.bytes;
      if (text === undefined) return undefined;
      const id = Buffer.from(text).toString().trim();
      if (!isFolderId(id)) throw new Error(`${ID} in ${bucket.place} holds no id: put it back from a backup`);
      return id;
    },
    writeId: (id) => bucket.put(ID, Buffer.from(`${id}\n`)),
    async hasWorks() {
      for await (const name of bucket.foldersIn('works/')) if (isWorkId(name)) return true;
      return false;
    },
  };
}
