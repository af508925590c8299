// The outbox of webhooks in SQLite. What a claim holds is a time in the row, so a program that dies sends again later;
// one that starts anew knows that nobody holds anything.

import type { Delivery, DeliveryAttempt, DeliveryState, DeliveryStore } from './delivery-store.ts';
import { MAX_ATTEMPTS } from './delivery-store.ts';
import { fromCursor, toPage } from './page-cursor.ts';
import type { SqliteDatabase } from './sqlite/database.ts';
import { giveUpOldest, insertDelivery } from './sqlite/delivery-rows.ts';
import type { SqlRow } from './sqlite/driver.ts';

export type SqliteDeliveryStore = DeliveryStore & {
  /** Ends what earlier processes held, for the start. */
  releaseAll(): Promise<number>;
};

const attemptsOf = (row: SqlRow) => JSON.parse(row.attempts as string) as readonly DeliveryAttempt[];

const toDelivery = (row: SqlRow): Delivery => ({
  id: row.id as string,
  owner: row.owner as string,
  url: row.url as string,
  type: row.type as string,
  body: row.body as string,
  createdAtMs: row.created_at as number,
  state: row.state as DeliveryState,
  attempts: attemptsOf(row).map(({ atMs, tookMs, status, problem }) => ({ atMs, tookMs, status, problem })),
  tries: row.tries as number,
  nextAtMs: (row.next_at as number | null) ?? undefined,
});

export function createSqliteDeliveryStore({ read, write }: SqliteDatabase): SqliteDeliveryStore {
  return {
    add: (delivery) => write((sql) => insertDelivery(sql, delivery)),

    due: ({ nowMs, holdMs, limit }) =>
      write((sql) => {
        const rows = sql.all(
          `SELECT * FROM deliveries WHERE state = 'pending' AND next_at <= ?1 AND held_until <= ?1
           ORDER BY next_at, seq LIMIT ?2`,
          nowMs,
          limit,
        );
        for (const { seq } of rows)
          sql.run('UPDATE deliveries SET held_until = ? WHERE seq = ?', nowMs + holdMs, seq!);
        return rows.map(toDelivery);
      }),

    async nextDueMs() {
      // The first that nobody holds, and those before it; the thousands that are to be tried later are not looked at.
      const free = read.one(
        `SELECT next_at AS due FROM deliveries WHERE state = 'pending' AND held_until <= next_at
         ORDER BY next_at LIMIT 1`,
      );
      const freeAtMs = free === undefined ? Number.MAX_SAFE_INTEGER : Number(free.due);
      const held = read.one(
        `SELECT min(held_until) AS due FROM deliveries
         WHERE state = 'pending' AND next_at < ? AND held_until > next_at`,
        freeAtMs,
      );
      const dueAtMs = Math.min(freeAtMs, Number(held?.due ?? Number.MAX_SAFE_INTEGER));
      return dueAtMs === Number.MAX_SAFE_INTEGER ? undefined : dueAtMs;
    },

    async backlog() {
      const row = read.one(
        "SELECT count(*) AS n, min(next_at) AS due FROM deliveries WHERE state = 'pending'",
      );
      return { waiting: Number(row?.n), dueAtMs: (row?.due as number | null) ?? undefined };
    },

    settle: (id, attempt, { state, nextAtMs }) =>
      write((sql) => {
        const row = sql.one('SELECT state, attempts, next_at FROM deliveries WHERE id = ?', id);
        if (row === undefined) return;
        const changes = row.state === 'pending' || state === 'delivered';
        sql.run(
          `UPDATE deliveries SET attempts = ?, tries = tries + 1, held_until = 0, state = ?, next_at = ?
           WHERE id = ?`,
          JSON.stringify([...attemptsOf(row), attempt].slice(-MAX_ATTEMPTS)),
          changes ? state : row.state!,
          changes && state === 'pending' ? (nextAtMs ?? attempt.atMs) : null,
          id,
        );
      }),

    async find(owner, id) {
      const row = read.one('SELECT * FROM deliveries WHERE id = ? AND owner = ?', id, owner);
      return row === undefined ? undefined : toDelivery(row);
    },

    async list(owner, { limit, cursor }) {
      const { atMs, id } = fromCursor(cursor);
      const found = read.all(
        `SELECT * FROM deliveries WHERE owner = ? AND (created_at, id) < (?, ?)
         ORDER BY created_at DESC, id DESC LIMIT ?`,
        owner,
        atMs,
        id,
        limit + 1,
      );
      const { rows, next } = toPage(found.map(toDelivery), limit, (delivery) => ({
        atMs: delivery.createdAtMs,
        id: delivery.id,
      }));
      return { deliveries: rows, next };
    },

    replay: (owner, id, nowMs) =>
      write((sql) => {
        const row = sql.one('SELECT url FROM deliveries WHERE id = ? AND owner = ?', id, owner);
        if (row === undefined) return false;
        sql.run('DELETE FROM silenced WHERE owner = ? AND url = ?', owner, row.url!);
        sql.run(
          "UPDATE deliveries SET state = 'pending', tries = 0, next_at = ?, held_until = 0 WHERE id = ?",
          nowMs,
          id,
        );
        giveUpOldest(sql, { owner, id }, nowMs);
        return true;
      }),

    silence: (owner, url, nowMs) =>
      write((sql) => {
        sql.run(
          'INSERT OR REPLACE INTO silenced (owner, url, silenced_at) VALUES (?, ?, ?)',
          owner,
          url,
          nowMs,
        );
        sql.run(
          `UPDATE deliveries SET state = 'given-up', next_at = NULL, held_until = 0
           WHERE owner = ? AND url = ? AND state = 'pending'`,
          owner,
          url,
        );
      }),

    isSilenced: async (owner, url) =>
      read.one('SELECT 1 FROM silenced WHERE owner = ? AND url = ?', owner, url) !== undefined,

    forget: (createdBeforeMs, limit) =>
      write((sql) => {
        sql.run('DELETE FROM silenced WHERE silenced_at < ?', createdBeforeMs);
        return sql.run(
          `DELETE FROM deliveries WHERE seq IN (
             SELECT seq FROM deliveries WHERE state <> 'pending' AND created_at < ?
             ORDER BY created_at, seq LIMIT ?)`,
          createdBeforeMs,
          limit,
        );
      }),

    releaseAll: () =>
      write((sql) =>
        sql.run("UPDATE deliveries SET held_until = 0 WHERE state = 'pending' AND held_until > 0"),
      ),
  };
}
