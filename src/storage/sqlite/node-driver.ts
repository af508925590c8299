// SQLite as Node brings it (22.13 and later): native and the faster of the two. Node 22 warns that it is experimental,
// on the first use; that is no news for the terminal of the operator.

import { type SqliteDriver, type SqlRow, type SqlValue, transactionOver } from './driver.ts';

/** What we use of `node:sqlite`; the types of Node 20 do not know it. */
type Statement = {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
  all(...values: readonly SqlValue[]): SqlRow[];
  get(...values: readonly SqlValue[]): SqlRow | undefined;
};
type Database = { exec(sql: string): void; prepare(sql: string): Statement; close(): void };
type SqliteModule = { readonly DatabaseSync: new (path: string) => Database };

function loadQuietly(): SqliteModule | undefined {
  const warning = Object.getOwnPropertyDescriptor(process, 'emitWarning')!;
  Object.defineProperty(process, 'emitWarning', { ...warning, value: () => {} });
  try {
    return process.getBuiltinModule?.('node:sqlite') as SqliteModule | undefined;
  } finally {
    Object.defineProperty(process, 'emitWarning', warning);
  }
}

/** Undefined when this Node has no SQLite. */
export function openNodeDriver(path: string): SqliteDriver | undefined {
  const sqlite = loadQuietly();
  if (sqlite === undefined) return undefined;
  const database = new sqlite.DatabaseSync(path);
  const statements = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const base = {
    exec: (sql: string) => database.exec(sql),
    run: (sql: string, ...values: readonly SqlValue[]) => Number(prepared(sql).run(...values).changes),
    all: (sql: string, ...values: readonly SqlValue[]) => prepared(sql).all(...values),
    one: (sql: string, ...values: readonly SqlValue[]) => prepared(sql).get(...values),
  };
  return { ...base, name: 'node:sqlite', transaction: transactionOver(base), close: () => database.close() };
}
