// The database of the records of one data folder: who may open it, how it is opened, and that it is closed. One process
// at a time; the process that has it knows that no other works on its content. Which of the two drivers opens it does not
// matter to the file.

import { fstatSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, storageError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { storageFaultOf } from '../base/storage-fault.ts';
import { flushFolder } from './flush-file.ts';
import type { SqliteDatabase } from './sqlite/database.ts';
import type { SqliteDriver } from './sqlite/driver.ts';
import { createDurableWrites, type WrittenFile } from './sqlite/durable-writes.ts';
import { type FolderHold, holdFolder, type Processes } from './sqlite/folder-holder.ts';
import { checkFolder, checkNoWorks, writeIdentity } from './sqlite/folder-record.ts';
import { migrate } from './sqlite/migrations.ts';
import { openNodeDriver } from './sqlite/node-driver.ts';
import { replaceByCopy } from './sqlite/own-copy.ts';
import { openWasmDriver, wasmLockOf } from './sqlite/wasm-driver.ts';
import { hasNoRoom } from './works/disk-room.ts';

export type SqliteDatabaseOptions = {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Unset: Node's own when it has one. */
  readonly driver?: 'node' | 'wasm';
  /** Makes writes outlive a power cut; the tests have better things to wait for. */
  readonly flush?: (file: FileHandle) => Promise<void>;
  /** Size at which the log is brought into the database; unset: as `createDurableWrites` has it. */
  readonly logBytes?: number;
  readonly processes?: Processes;
  /** Another process has taken the folder: nothing of it may be touched any more. */
  readonly onLost?: () => void;
};

const FILE = 'voxgate.db';

/**
 * An `Error` that names the folder when another process has it, when it does not belong to the files of works beside it,
 * when a newer Voxgate wrote it, or when it cannot be read.
 */
export async function openSqliteDatabase(options: SqliteDatabaseOptions): Promise<SqliteDatabase> {
  const { dataDir, clock, processes, onLost } = options;
  const folder = join(dataDir, 'records');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const hold = await holdFolder(folder, { clock, processes, onLost });
  try {
    return await openHeld(folder, options, hold);
  } catch (cause) {
    hold.release();
    const { message } = cause as Error;
    throw message.includes(folder)
      ? cause
      : new Error(`the records in ${folder} cannot be opened: ${message}`, { cause });
  }
}

async function openHeld(
  folder: string,
  { dataDir, clock, log, driver: wanted, flush = (file) => file.sync(), logBytes }: SqliteDatabaseOptions,
  hold: FolderHold,
): Promise<SqliteDatabase> {
  const path = join(folder, FILE);
  const openDriver = async (name: string) =>
    (wanted === 'wasm' ? undefined : openNodeDriver(name)) ?? (await openWasmDriver(name));
  // Not made before it is known that there should be a new one: its log could be taken for that of a backup.
  if (sizeOf(path) === 0 && sizeOf(`${path}-wal`) === 0) checkNoWorks(dataDir, path);
  const isLeftOpen = sizeOf(`${path}-wal`) > 0;
  if (hold.before === 'silent' || (hold.before === 'none' && isLeftOpen)) {
    if (isLeftOpen) log.warn('records_taken_over', { folder });
    await replaceByCopy(path, folder, openDriver);
  }
  // Whoever made it is dead, or has other files now: the folder is ours.
  rmSync(wasmLockOf(path), { recursive: true, force: true });
  const driver = await openDriver(path);
  const files: FileHandle[] = [];
  const written = async (name: string): Promise<WrittenFile> => {
    const file = await open(name, 'r+');
    files.push(file);
    return { size: () => fstatSync(file.fd).size, flush: () => flush(file) };
  };
  const closeFiles = () => Promise.all(files.map((file) => file.close()));
  const checkHeld = () => {
    const state = hold.state();
    if (state === 'lost') throw new AppError('shutting_down', LOST, { retryAfterMs: LOST_RETRY_MS });
    if (state === 'unknown') throw storageError('unavailable', new Error(UNKNOWN));
  };

  try {
    await prepare(driver, { dataDir, folder, path });
    const writes = createDurableWrites({
      driver,
      log: await written(`${path}-wal`),
      database: await written(path),
      ...(logBytes === undefined ? {} : { logBytes }),
      soon: (task) => clock.soon(task),
      checkHeld,
      toFault: (error) => toStorageFault(error, folder),
      onBroken: (error) =>
        log.error('records_not_written', { reason: (error as NodeJS.ErrnoException).code }),
      onUncopied: (error) => log.error('records_log_not_emptied', { cause: String(error) }),
    });
    await flushFolder(folder);
    return {
      driverName: driver.name,
      read: driver,
      write: writes.write,
      checkHeld,
      async close() {
        await writes.close();
        // Closing it would write its log into the files of the process that has the folder now, and remove that one's log.
        if (hold.state() !== 'held') {
          await closeFiles();
          return hold.release();
        }
        try {
          // Closing brings the log into the database; SQLite itself flushes in the right order here.
          driver.exec('PRAGMA synchronous = FULL');
          driver.close();
        } finally {
          // Not before: to close a file drops the locks that this process has on it (POSIX).
          await closeFiles();
          hold.release();
        }
      },
    };
  } catch (error) {
    driver.close();
    await closeFiles();
    throw error;
  }
}

const LOST = 'This instance has lost its data folder to another one and is stopping; try again there.';
const LOST_RETRY_MS = 1000;
const UNKNOWN = 'the file that says who holds the data folder cannot be read';

const sizeOf = (path: string): number => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 0 : Math.max(found.isFile() ? 0 : 1, found.size);
};

/** One of the drivers calls a full disk an error of input or output; the file system knows better. */
function toStorageFault(error: unknown, folder: string): unknown {
  const fault = storageFaultOf(error);
  if (fault === undefined) return error;
  return storageError(fault === 'unavailable' && hasNoRoom(folder) ? 'full' : fault, error);
}

type Place = { readonly dataDir: string; readonly folder: string; readonly path: string };

/** The order matters: without shared memory (as in WebAssembly) a log needs exclusive locking first. */
async function prepare(driver: SqliteDriver, { dataDir, folder, path }: Place): Promise<void> {
  driver.exec('PRAGMA locking_mode = EXCLUSIVE');
  const mode = driver.one('PRAGMA journal_mode = WAL')?.journal_mode;
  if (mode !== 'wal') throw new Error(`the records in ${folder} cannot be opened with a write-ahead log`);
  driver.exec('PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 0');
  const id = checkFolder(driver, dataDir, path);
  migrate(driver, folder);
  await writeIdentity(driver, dataDir, id);
  driver.all('PRAGMA wal_checkpoint(TRUNCATE)');
  // From here on `createDurableWrites` says when to flush.
  driver.exec('PRAGMA synchronous = OFF');
}
