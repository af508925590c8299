// What the stores see of an open database: questions at once, changes as transactions that last.

import type { RecordSql } from '../record-copies.ts';
import type { Sql } from './driver.ts';

export type SqliteDatabase = {
  readonly driverName: string;
  /** For questions; sees what was written, on disk already or not. */
  readonly read: Pick<Sql, 'all' | 'one'>;
  /** One transaction, all of `work` or nothing; resolves when it is on disk. `work` is synchronous. */
  readonly write: <T>(work: (sql: Sql) => T) => Promise<T>;
  /** Throws when the folder is not this process's any more, or nobody can tell: `shutting_down`, `storage_unavailable`. */
  readonly checkHeld: () => void;
  close(): Promise<void>;
};

/** The records as they are copied elsewhere, and from there. */
export const sqliteRecordSql = ({ read, write, checkHeld }: SqliteDatabase): RecordSql => ({
  nameOf: (table) => table,
  place: (at) => `?${at}`,
  ask: async (sql, values) => read.all(sql, ...values),
  write: (statements) =>
    write((sql) => {
      for (const { sql: text, values, taken } of statements)
        try {
          sql.run(text, ...values);
        } catch (error) {
          throw (error as Error).message.includes('UNIQUE constraint') ? taken : error;
        }
    }),
  checkUnused: async () => checkHeld(),
});
