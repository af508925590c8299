// The data folder at start: made if it is missing, and a failure told in one line that names the setting, the folder, what is
// wrong and what to do. The system's own words (`ENOENT … mkdir`) say none of these.

import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { causesOf } from '../base/storage-fault.ts';

type FolderSetting = 'VOXGATE_DATA_DIR' | 'VOXGATE_FILES_URL';
type Fault = { readonly what: string; readonly remedy: string };

const REMOUNT = 'make its file system writable, or name a folder on another one';
const READ_ONLY: Fault = { what: 'is on a read-only file system', remedy: REMOUNT };
const FULL: Fault = {
  what: 'is on a file system that is full, or over its quota',
  remedy: 'free some space, or name a folder on another one',
};
const NO_FOLDER: Fault = {
  what: 'is not a folder, or lies below something that is none',
  remedy: 'move that file away, or name another folder',
};
const NO_PERMISSION: Fault = {
  what: 'may not be written by the user that Voxgate runs as',
  remedy: 'give that user the folder (chown), or name another one',
};
const BY_CODE: Readonly<Record<string, Fault>> = {
  EROFS: READ_ONLY,
  ENOSPC: FULL,
  EDQUOT: FULL,
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
};

/** Makes the folder. Throws an `Error` that says what is wrong with it. */
export function openDataFolder(dataDir: string, setting: FolderSetting = 'VOXGATE_DATA_DIR'): void {
  const folder = resolve(dataDir);
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw dataFolderFault(dataDir, cause, setting);
  }
}

/**
 * Step by step: where the system answers ENOENT for a parent that is there, Node's own `recursive` tries again for ever.
 */
function makeFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  if (found !== undefined) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/** `cause` in those words where it, or what caused it, is a failure of the folder; anything else as it is. */
export function dataFolderFault(
  dataDir: string,
  cause: unknown,
  setting: FolderSetting = 'VOXGATE_DATA_DIR',
): unknown {
  const folder = resolve(dataDir);
  const code = codeIn(cause);
  const fault = code === 'ENOENT' ? missingParent(folder) : code === undefined ? undefined : BY_CODE[code];
  if (fault === undefined) return cause;
  const { what, remedy } = fault;
  return new Error(`${setting} is ${folder}, which ${what} (${code}): ${remedy}.`, { cause });
}

function codeIn(cause: unknown): string | undefined {
  for (const { code } of causesOf(cause))
    if (typeof code === 'string' && (code === 'ENOENT' || Object.hasOwn(BY_CODE, code))) return code;
  return undefined;
}

/** Why a folder could not be made where its parents seem to be missing: the first parent that is there says it. */
function missingParent(folder: string): Fault {
  const parent = dirname(folder);
  if (parent === folder) return NO_FOLDER;
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
    return {
      what: `cannot be made in ${parent}`,
      remedy: 'make it by hand, or name another folder',
    };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return missingParent(parent);
    return (
      BY_CODE[code] ?? { what: `cannot be made, for ${parent} cannot be used`, remedy: 'name another folder' }
    );
  }
}
