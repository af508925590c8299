// When a write may be called done, without the thread that plays audio ever waiting for a disk. SQLite is told to flush
// nothing (`synchronous = OFF`); this file flushes in the background and keeps the order that a power cut needs:
// - a write is answered when the log holds it on disk; all writes of the meantime share one flush (group commit);
// - pages reach the database only when the log is on disk, and the log is emptied only when they are, too. Writes wait
//   for that, reads and sound do not. An emptied log is flushed before it grows again, since what was left of an old
//   one could pass for a log of its own.

import { AppError, storageError } from '../../base/app-error.ts';
import type { Sql, SqliteDriver } from './driver.ts';

export type WrittenFile = {
  /** Bytes, as the system counts them now. */
  size(): number;
  /** Everything written so far is on disk when it resolves. */
  flush(): Promise<void>;
};

export type DurableWrites = {
  /** `work` is one transaction; resolves with what it gave when that cannot be lost any more. */
  readonly write: <T>(work: (sql: Sql) => T) => Promise<T>;
  /** Resolves when nothing is under way; later writes are refused. */
  readonly close: () => Promise<void>;
};

export type DurableWritesOptions = {
  readonly driver: SqliteDriver;
  readonly log: WrittenFile;
  readonly database: WrittenFile;
  readonly logBytes?: number;
  /** Writes of one turn of the event loop share a flush. */
  readonly soon: (task: () => void) => void;
  /** Told once, when the disk failed: nobody knows what of the last writes is on it, so there are no more of them. */
  readonly onBroken: (error: unknown) => void;
  /** Throws when this process may not write (any more): asked before each access to the files and before an answer. */
  readonly checkHeld: () => void;
  /** What is thrown instead of an error of SQLite or of the disk. */
  readonly toFault: (error: unknown) => unknown;
  /** Told each time that the database could not take in the log, as on a full disk; writes go on. */
  readonly onUncopied: (error: unknown) => void;
};

/** A log of this size is brought into the database: some 125 pages, 1 to 2 ms of copying in one go. */
const LOG_BYTES = 512 * 1024;

export function createDurableWrites(options: DurableWritesOptions): DurableWrites {
  const { driver, log, database, logBytes = LOG_BYTES, soon, onBroken, onUncopied } = options;
  const { checkHeld, toFault } = options;
  type Waiting = { readonly done: () => void; readonly failed: (error: Error) => void };
  let unflushed: Waiting[] = [];
  /** Writes that wait while the log is brought into the database. */
  let held: (() => void)[] | undefined;
  let running: Promise<void> | undefined;
  let refusal: Error | undefined;
  let emptyFromBytes = logBytes;

  const isHeld = (): boolean => {
    try {
      checkHeld();
      return true;
    } catch {
      return false;
    }
  };
  /** Written and flushed by a process that had lost the folder meanwhile, nobody knows whether the new one has seen it. */
  const answer = (batch: readonly Waiting[]) => {
    try {
      checkHeld();
    } catch (error) {
      for (const { failed } of batch) failed(error as Error);
      return;
    }
    for (const { done } of batch) done();
  };

  /** A disk without room (or one that fails) costs nothing but a longer log: that has everything until it is emptied. */
  const copyLog = (): 'all' | 'some' | 'none' => {
    try {
      return driver.one('PRAGMA wal_checkpoint(PASSIVE)')?.busy === 0 ? 'all' : 'some';
    } catch (error) {
      onUncopied(error);
      return 'none';
    }
  };
  const emptyLog = async () => {
    await log.flush();
    if (!isHeld()) return;
    const copied = copyLog();
    emptyFromBytes = copied === 'none' ? log.size() + logBytes : logBytes;
    if (copied === 'none') return;
    await database.flush();
    if (!isHeld()) return;
    if (copied === 'all') driver.all('PRAGMA wal_checkpoint(TRUNCATE)');
    await log.flush();
  };
  const holdWhile = async (work: () => Promise<void>) => {
    held = [];
    try {
      await work();
    } finally {
      const begin = held;
      held = undefined;
      for (const write of begin) write();
    }
  };

  const flushAll = async () => {
    let batch: Waiting[] = [];
    try {
      while (unflushed.length > 0) {
        await new Promise<void>(soon);
        batch = unflushed;
        unflushed = [];
        await log.flush();
        answer(batch);
        if (log.size() >= emptyFromBytes) await holdWhile(emptyLog);
      }
    } catch (error) {
      // A failed flush may have dropped what it was to write, and the next one would not say so.
      refusal = storageError(
        'unavailable',
        new Error('the disk of the records failed; nothing is written any more until a restart', {
          cause: error,
        }),
      );
      for (const { failed } of [...batch, ...unflushed]) failed(refusal);
      unflushed = [];
      onBroken(error);
    } finally {
      running = undefined;
    }
  };
  const flushed = () =>
    new Promise<void>((done, failed) => {
      unflushed.push({ done, failed });
      running ??= flushAll();
    });

  const transaction = <T>(work: (sql: Sql) => T): T => {
    try {
      return driver.transaction(work);
    } catch (error) {
      throw toFault(error);
    }
  };

  return {
    async write(work) {
      while (held !== undefined) {
        const queue = held;
        await new Promise<void>((resolve) => queue.push(resolve));
      }
      if (refusal !== undefined) throw refusal;
      checkHeld();
      const result = transaction(work);
      await flushed();
      return result;
    },
    async close() {
      refusal ??= new AppError('shutting_down', 'The records are closed.', { retryAfterMs: 1000 });
      await running;
    },
  };
}
