// Tokens that were taken back, in SQLite.

import type { RevocationStore } from './revocation-store.ts';
import type { SqliteDatabase } from './sqlite/database.ts';

export const createSqliteRevocationStore = ({ read, write }: SqliteDatabase): RevocationStore => ({
  add: ({ id, untilMs }, nowMs) =>
    write((sql) => {
      sql.run('DELETE FROM revoked_tokens WHERE until_at <= ?', nowMs);
      sql.run('INSERT OR REPLACE INTO revoked_tokens (id, until_at) VALUES (?, ?)', id, untilMs);
    }),
  list: async (nowMs) =>
    read
      .all('SELECT id, until_at FROM revoked_tokens WHERE until_at > ? ORDER BY until_at, id', nowMs)
      .map((row) => ({ id: row.id as string, untilMs: row.until_at as number })),
});
