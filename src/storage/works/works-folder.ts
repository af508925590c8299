// The folder of the files of works as the start sees it: its id, and which works have finished files in it.

import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flushFolder } from '../flush-file.ts';

const WORK_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FOLDER_ID = /^[0-9a-f-]{8,64}$/;

export const isWorkId = (name: string): boolean => WORK_ID.test(name);
export const worksFolderOf = (dataDir: string): string => join(dataDir, 'works');
export const folderIdFileOf = (dataDir: string): string => join(worksFolderOf(dataDir), 'folder-id');

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Undefined when there is none; an `Error` when it cannot be read or is none of ours. */
export function readFolderId(dataDir: string): string | undefined {
  const path = folderIdFileOf(dataDir);
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  if (!FOLDER_ID.test(text))
    throw new Error(`${path} holds no id: put it back from the backup of this folder`);
  return text;
}

/** Ids of works that have finished files. */
export function worksWithFiles(dataDir: string): readonly string[] {
  const works = worksFolderOf(dataDir);
  let names: readonly string[];
  try {
    names = readdirSync(works);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
  return names.filter(
    (name) => isWorkId(name) && statSync(join(works, name, 'files'), { throwIfNoEntry: false }) !== undefined,
  );
}

/** Whole or not at all. */
export async function writeFolderId(dataDir: string, id: string): Promise<void> {
  const works = worksFolderOf(dataDir);
  mkdirSync(works, { recursive: true, mode: 0o700 });
  const path = folderIdFileOf(dataDir);
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${id}\n`, { mode: 0o600, flush: true });
  renameSync(draft, path);
  await flushFolder(works);
}
