// The folders of works: what is a name of ours in them, what in a scratch folder is a file of its work, and the folder of all
// as the start sees it, with its id and the works that have finished files.

import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { flushFolder } from '../flush-file.ts';

const WORK_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A word or two and an ending: `audio.mp3`, `words.en.vtt`. Never a dot first, never two in a row. */
const FILE_NAME = /^[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*$/;
const MAX_FILE_NAME = 100;
const FOLDER_ID = /^[0-9a-f-]{8,64}$/;

export const isWorkId = (name: string): boolean => WORK_ID.test(name);
export const isFileName = (name: string): boolean => name.length <= MAX_FILE_NAME && FILE_NAME.test(name);
/** Throws what is no id, or no name, of ours: such would lead elsewhere. */
export function checkNames(workId: string, name?: string): void {
  if (!isWorkId(workId)) throw new Error('not the id of a work');
  if (name !== undefined && !isFileName(name)) throw new Error('not a name for a file of a work');
}
export const isFolderId = (text: string): boolean => FOLDER_ID.test(text);
export const worksFolderOf = (dataDir: string): string => join(dataDir, 'works');
export const folderIdFileOf = (dataDir: string): string => join(worksFolderOf(dataDir), 'folder-id');

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** What is being made while its folder is dropped may put more into it; some 3 s, by then its writer has stopped. */
export const DROPPED = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 } as const;

export async function isFileAt(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** The real path of `path`. Throws unless that is a file in the folder `scratch`: a link in it may point anywhere. */
export async function fileInScratch(scratch: string, path: string): Promise<string> {
  const found = join(await realpath(dirname(path)), basename(path));
  if (!found.startsWith((await realpath(scratch)) + sep) || !(await lstat(found)).isFile())
    throw new Error('only a file in the scratch folder of a work is published');
  return found;
}

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
  if (!isFolderId(text)) throw new Error(`${path} holds no id: put it back from the backup of this folder`);
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
