// The database of the records of one data folder: who may open it, how it is opened, and that it is closed. One process
// at a time; whoever has it knows that nobody else works on what is in it. Which of the two drivers opens it does not
// matter to the file.

import { fstatSync, mkdirSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { flushFolder } from './flush-folder.ts';
import type { SqliteDatabase } from './sqlite/database.ts';
import type { SqliteDriver } from './sqlite/driver.ts';
import { createDurableWrites, type WrittenFile } from './sqlite/durable-writes.ts';
import { holdFolder, type Processes } from './sqlite/folder-holder.ts';
import { migrate } from './sqlite/migrations.ts';
import { openNodeDriver } from './sqlite/node-driver.ts';
import { openWasmDriver, wasmLockOf } from './sqlite/wasm-driver.ts';

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
};

const FILE = 'voxgate.db';

/** An `Error` that names the folder when another process has it, when a newer Voxgate wrote it, or when it cannot be read. */
export async function openSqliteDatabase(options: SqliteDatabaseOptions): Promise<SqliteDatabase> {
  const { dataDir, clock, processes } = options;
  const folder = join(dataDir, 'records');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const hold = await holdFolder(folder, processes === undefined ? { clock } : { clock, processes });
  try {
    return await openHeld(folder, options, () => hold.release());
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
  { clock, log, driver: wanted, flush = (file) => file.sync(), logBytes }: SqliteDatabaseOptions,
  release: () => void,
): Promise<SqliteDatabase> {
  const path = join(folder, FILE);
  // Whoever made it is dead: the folder is ours.
  rmSync(wasmLockOf(path), { recursive: true, force: true });
  const driver = (wanted === 'wasm' ? undefined : openNodeDriver(path)) ?? (await openWasmDriver(path));
  const files: FileHandle[] = [];
  const written = async (name: string): Promise<WrittenFile> => {
    const file = await open(name, 'r+');
    files.push(file);
    return { size: () => fstatSync(file.fd).size, flush: () => flush(file) };
  };
  const closeFiles = () => Promise.all(files.map((file) => file.close()));

  try {
    prepare(driver, folder);
    const writes = createDurableWrites({
      driver,
      log: await written(`${path}-wal`),
      database: await written(path),
      ...(logBytes === undefined ? {} : { logBytes }),
      soon: (task) => clock.soon(task),
      onBroken: (error) =>
        log.error('records_not_written', { reason: (error as NodeJS.ErrnoException).code }),
      onUncopied: (error) => log.error('records_log_not_emptied', { cause: String(error) }),
    });
    await flushFolder(folder);
    return {
      driverName: driver.name,
      read: driver,
      write: writes.write,
      async close() {
        await writes.close();
        try {
          // Closing brings the log into the database; SQLite itself flushes in the right order here.
          driver.exec('PRAGMA synchronous = FULL');
          driver.close();
        } finally {
          // Not before: to close a file drops the locks that this process has on it (POSIX).
          await closeFiles();
          release();
        }
      },
    };
  } catch (error) {
    driver.close();
    await closeFiles();
    throw error;
  }
}

/** The order matters: without shared memory (as in WebAssembly) a log needs exclusive locking first. */
function prepare(driver: SqliteDriver, folder: string): void {
  driver.exec('PRAGMA locking_mode = EXCLUSIVE');
  const mode = driver.one('PRAGMA journal_mode = WAL')?.journal_mode;
  if (mode !== 'wal') throw new Error(`the records in ${folder} cannot be opened with a write-ahead log`);
  driver.exec('PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 0');
  migrate(driver, folder);
  driver.all('PRAGMA wal_checkpoint(TRUNCATE)');
  // From here on `createDurableWrites` says when to flush.
  driver.exec('PRAGMA synchronous = OFF');
}
