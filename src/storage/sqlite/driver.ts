// The port for SQLite itself, as narrow as the stores need it and synchronous as SQLite is. Two drivers implement it:
// Node's own, and one in WebAssembly for a Node that has none; neither needs a compiler or a download.

export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** What a query may use. Parameters are bound by position; texts of statements are constants, kept prepared. */
export type Sql = {
  /** Rows that were changed. */
  run(sql: string, ...values: readonly SqlValue[]): number;
  all(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[];
  one(sql: string, ...values: readonly SqlValue[]): SqlRow | undefined;
};

export type SqliteDriver = Sql & {
  readonly name: string;
  /** Several statements, nothing kept. */
  exec(sql: string): void;
  /** All of `work` or, when it throws, nothing. Not inside another one. */
  transaction<T>(work: (sql: Sql) => T): T;
  close(): void;
};

/** `transaction` for a driver that has the rest. */
export function transactionOver(sql: Sql & Pick<SqliteDriver, 'exec'>): SqliteDriver['transaction'] {
  const begin = () => {
    try {
      sql.run('BEGIN IMMEDIATE');
    } catch (error) {
      // An earlier one could not even be rolled back (a disk that failed): without this no other would ever begin.
      if (!String((error as Error).message).includes('within a transaction')) throw error;
      sql.run('ROLLBACK');
      sql.run('BEGIN IMMEDIATE');
    }
  };
  return (work) => {
    begin();
    try {
      const result = work(sql);
      sql.run('COMMIT');
      return result;
    } catch (error) {
      try {
        sql.run('ROLLBACK');
      } catch {
        // SQLite has already rolled back by itself (a full disk); the first error says more.
      }
      throw error;
    }
  };
}
