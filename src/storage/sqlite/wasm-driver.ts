// SQLite in WebAssembly, for Node 20. Its files are real ones and those of the native driver. What differs is the lock:
// a folder beside the database that outlives a killed process (the holder of the records folder removes it), and no
// shared memory, so a write-ahead log works only in exclusive locking mode.

import { type SqliteDriver, type SqlRow, type SqlValue, transactionOver } from './driver.ts';

/** The folder that the driver makes as its lock. */
export const wasmLockOf = (path: string): string => `${path}.lock`;

export async function openWasmDriver(path: string): Promise<SqliteDriver> {
  // Loaded only where it is needed: compiling it takes some 20 ms.
  const { default: sqlite } = await import('node-sqlite3-wasm');
  type Statement = InstanceType<typeof sqlite.Statement>;
  const database = new sqlite.Database(path);
  const statements = new Map<string, Statement>();

  const using = <T>(
    sql: string,
    values: readonly SqlValue[],
    use: (prepared: Statement, bound: (SqlValue | Uint8Array)[]) => T,
  ): T => {
    const bound = values.map(bindable);
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    try {
      return use(statement, bound);
    } catch (error) {
      // A statement that failed once refuses to be used again.
      statements.delete(sql);
      finalize(statement);
      throw error;
    }
  };
  const all = (sql: string, ...values: readonly SqlValue[]): readonly SqlRow[] =>
    using(sql, values, (statement, bound) => statement.all(bound) as SqlRow[]);
  const base = {
    exec: (sql: string) => database.exec(sql),
    run: (sql: string, ...values: readonly SqlValue[]) =>
      using(sql, values, (statement, bound) => statement.run(bound).changes),
    all,
    // Read to its end: a statement left in the middle would keep its snapshot, and the log could not be emptied.
    one: (sql: string, ...values: readonly SqlValue[]) => all(sql, ...values)[0],
  };
  return {
    ...base,
    name: 'node-sqlite3-wasm',
    transaction: transactionOver(base),
    close() {
      for (const statement of statements.values()) finalize(statement);
      statements.clear();
      database.close();
    },
  };
}

/**
 * Text is bound up to its first U+0000, so one with such a character would find or store another. Bytes are equal to no
 * text, and no column of text takes them (STRICT).
 */
const bindable = (value: SqlValue): SqlValue | Uint8Array =>
  typeof value === 'string' && value.includes('\0') ? Buffer.from(value) : value;

/** Freeing a statement repeats the error of its last use. */
function finalize(statement: { finalize(): void }): void {
  try {
    statement.finalize();
  } catch {
    // Told already, when it happened.
  }
}
