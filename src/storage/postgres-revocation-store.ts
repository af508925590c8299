// Tokens that were taken back, in PostgreSQL, for all instances.

import type { PostgresDatabase } from './postgres/database.ts';
import type { RevocationStore } from './revocation-store.ts';

export const createPostgresRevocationStore = ({ read, write }: PostgresDatabase): RevocationStore => ({
  add: ({ id, untilMs }, nowMs) =>
    write(async (changes) => {
      await changes.deleteFrom('revoked_tokens').where('until_at', '<=', nowMs).execute();
      await changes
        .insertInto('revoked_tokens')
        .values({ id, until_at: untilMs })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ until_at: untilMs }))
        .execute();
    }),
  async list(nowMs) {
    const rows = await read
      .selectFrom('revoked_tokens')
      .selectAll()
      .where('until_at', '>', nowMs)
      .orderBy('until_at')
      .orderBy('id')
      .execute();
    return rows.map(({ id, until_at }) => ({ id, untilMs: until_at }));
  },
});
