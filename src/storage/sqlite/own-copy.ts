// Files of its own for a process that takes a folder over from one that fell silent. That one may wake up with the files
// still open and write once more before it notices; then it writes to files that have no name any more, and nobody reads
// them. Everything it had answered for is in the copy: it looks at the holder's file before each answer.

import { constants } from 'node:fs';
import { copyFile, rename, rm, stat } from 'node:fs/promises';
import { flushFile, flushFolder } from '../flush-file.ts';
import type { SqliteDriver } from './driver.ts';
import { wasmLockOf } from './wasm-driver.ts';

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * The database at `path` is another file of the same content when it resolves, its log included. A crash on the way leaves
 * the old files, or the new database with the old log, which changes nothing in it.
 */
export async function replaceByCopy(
  path: string,
  folder: string,
  open: (path: string) => Promise<SqliteDriver>,
): Promise<void> {
  if (!(await exists(path))) return;
  const copy = `${path}.taken`;
  const logs = ['-wal', '-shm'] as const;
  const dropCopy = async () => {
    for (const name of [copy, ...logs.map((log) => copy + log)]) await rm(name, { force: true });
    await rm(wasmLockOf(copy), { recursive: true, force: true });
  };
  await dropCopy();
  try {
    // In this order: what a checkpoint of the other moves meanwhile is in the log still.
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    if (await exists(`${path}-wal`)) await copyFile(`${path}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE);
    const driver = await open(copy);
    try {
      driver.exec('PRAGMA locking_mode = EXCLUSIVE');
      driver.all('PRAGMA journal_mode = WAL');
      driver.exec('PRAGMA synchronous = FULL');
      driver.all('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      driver.close();
    }
    await flushFile(copy);
    await rename(copy, path);
  } catch (error) {
    await dropCopy();
    throw error;
  }
  for (const log of logs) await rm(path + log, { force: true });
  await rm(wasmLockOf(path), { recursive: true, force: true });
  await flushFolder(folder);
}
