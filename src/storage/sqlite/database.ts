// What the stores see of an open database: questions at once, changes as transactions that last.

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
