// Jobs and PlayNotes in SQLite. Every change is one transaction: of the state, its message to the caller, and the key
// that makes a repetition harmless. Times are whole milliseconds since 1970.

import { fromCursor, toPage } from './page-cursor.ts';
import type { SqliteDatabase } from './sqlite/database.ts';
import { insertDelivery } from './sqlite/delivery-rows.ts';
import type { Sql, SqlRow } from './sqlite/driver.ts';
import { UNFINISHED } from './sqlite/migrations.ts';
import type { Stored, Work, WorkFailure, WorkKind, WorkStatus } from './works/work.ts';
import {
  asked,
  begun,
  cancelled,
  ended,
  fileBytesOf,
  interrupted,
  isUnfinished,
  mostUnfinishedOf,
  putBack,
} from './works/work-steps.ts';
import type { NewWork, WorkStore } from './works/work-store.ts';

// A work as a row: read whole, begun whole, and of a change only what a step may change.
const parsed = (json: SqlRow[string] | undefined) =>
  json === null ? undefined : (JSON.parse(json as string) as Stored);

const toWork = (row: SqlRow): Work => ({
  id: row.id as string,
  kind: row.kind as WorkKind,
  owner: row.owner as string,
  status: row.status as WorkStatus,
  urgency: row.urgency as number,
  input: JSON.parse(row.input as string) as Stored,
  phase: row.phase as string,
  progress: row.progress as number,
  output: parsed(row.output),
  failure: parsed(row.failure) as WorkFailure | undefined,
  requestedAtMs: row.requested_at as number,
  completedAtMs: (row.completed_at as number | null) ?? undefined,
  attempts: row.attempts as number,
});

/** Writes what a step has changed. */
function saveWork(sql: Sql, work: Work): void {
  const { id, status, phase, progress, output, failure, completedAtMs, attempts } = work;
  sql.run(
    `UPDATE works SET status = ?, phase = ?, progress = ?, output = ?, failure = ?, completed_at = ?, attempts = ?,
       file_bytes = ? WHERE id = ?`,
    status,
    phase,
    progress,
    output === undefined ? null : JSON.stringify(output),
    failure === undefined ? null : JSON.stringify(failure),
    completedAtMs ?? null,
    attempts,
    fileBytesOf(output),
    id,
  );
}

function insertWork(sql: Sql, work: Work, request: NewWork['idempotency']): void {
  const { id, kind, owner, status, urgency, input, phase, progress, requestedAtMs, attempts } = work;
  sql.run(
    `INSERT INTO works (id, kind, owner, status, urgency, input, phase, progress, requested_at, attempts, fence,
       lease_ends, file_bytes, request_key, request_digest)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?)`,
    id,
    kind,
    owner,
    status,
    urgency,
    JSON.stringify(input),
    phase,
    progress,
    requestedAtMs,
    attempts,
    request?.key ?? null,
    request?.digest ?? null,
  );
}

type SqliteWorkStore = WorkStore & {
  /** Ends all leases, attempts kept; for the start: the processes that had them have ended. Answers how many. */
  releaseAll(): Promise<number>;
};

const CLAIMED = "id = ? AND status = 'running' AND fence = ?";
const CLAIMABLE = `${UNFINISHED} AND (status = 'waiting' OR lease_ends <= ?1)`;

const DISPOSABLE = 'INSERT OR IGNORE INTO disposable_files (work_id) VALUES (?)';

const NEXT = `
  WITH busy AS (
    SELECT owner, count(*) AS running FROM works
    WHERE ${UNFINISHED} AND status = 'running' AND lease_ends > ?1 GROUP BY owner
  )
  SELECT seq FROM works LEFT JOIN busy USING (owner)
  WHERE ${CLAIMABLE}
  ORDER BY coalesce(running, 0), urgency DESC, requested_at, seq LIMIT 1`;

export function createSqliteWorkStore({ read, write }: SqliteDatabase): SqliteWorkStore {
  const find = (sql: Pick<Sql, 'one'>, owner: string, kind: WorkKind, id: string) => {
    const row = sql.one('SELECT * FROM works WHERE id = ? AND owner = ? AND kind = ?', id, owner, kind);
    return row === undefined ? undefined : toWork(row);
  };
  const findRequest = (sql: Pick<Sql, 'one'>, owner: string, kind: WorkKind, key: string) =>
    sql.one('SELECT * FROM works WHERE owner = ? AND kind = ? AND request_key = ?', owner, kind, key);

  return {
    create: (work) =>
      write((sql) => {
        const { owner, kind, idempotency, delivery } = work;
        if (idempotency !== undefined) {
          const before = findRequest(sql, owner, kind, idempotency.key);
          if (before !== undefined)
            return before.request_digest === idempotency.digest
              ? { kind: 'repeated', work: toWork(before) }
              : { kind: 'conflict' };
        }
        const unfinished = sql.one(
          `SELECT count(*) AS n FROM works WHERE owner = ? AND kind = ? AND ${UNFINISHED}`,
          owner,
          kind,
        );
        if (Number(unfinished?.n) >= mostUnfinishedOf(work)) return { kind: 'full' };
        insertWork(sql, asked(work), idempotency);
        sql.run('DELETE FROM disposable_files WHERE work_id = ?', work.id);
        if (delivery !== undefined) insertDelivery(sql, delivery);
        // As it will be read: what JSON does not know is gone.
        return { kind: 'created', work: find(sql, owner, kind, work.id)! };
      }),

    async findRequest(owner, kind, key) {
      const row = findRequest(read, owner, kind, key);
      return row === undefined ? undefined : { work: toWork(row), digest: row.request_digest as string };
    },

    find: async (owner, kind, id) => find(read, owner, kind, id),

    async list(owner, kind, { limit, cursor }) {
      const { atMs, id } = fromCursor(cursor);
      const found = read.all(
        `SELECT * FROM works WHERE owner = ? AND kind = ? AND (requested_at, id) < (?, ?)
         ORDER BY requested_at DESC, id DESC LIMIT ?`,
        owner,
        kind,
        atMs,
        id,
        limit + 1,
      );
      const { rows, next } = toPage(found.map(toWork), limit, (work) => ({
        atMs: work.requestedAtMs,
        id: work.id,
      }));
      return { works: rows, next };
    },

    claim: ({ nowMs, leaseMs, mostAttempts, toDelivery }) =>
      write((sql) => {
        const spent = sql.all(
          `SELECT * FROM works WHERE ${CLAIMABLE} AND attempts >= ?2`,
          nowMs,
          mostAttempts,
        );
        for (const row of spent) {
          const failed = interrupted(toWork(row), nowMs);
          saveWork(sql, failed);
          const delivery = toDelivery(failed);
          if (delivery !== undefined) insertDelivery(sql, delivery);
        }
        const next = sql.one(NEXT, nowMs);
        if (next === undefined) return undefined;
        const row = sql.one('SELECT * FROM works WHERE seq = ?', next.seq!)!;
        const work = begun(toWork(row));
        const fence = (row.fence as number) + 1;
        saveWork(sql, work);
        sql.run(
          'UPDATE works SET fence = ?, lease_ends = ? WHERE seq = ?',
          fence,
          nowMs + leaseMs,
          next.seq!,
        );
        return { work, fence };
      }),

    renew: ({ work, fence }, leaseEndsMs) =>
      write(
        (sql) => sql.run(`UPDATE works SET lease_ends = ? WHERE ${CLAIMED}`, leaseEndsMs, work.id, fence) > 0,
      ),

    note: ({ work, fence }, { phase, progress }, delivery) =>
      write((sql) => {
        const changed = sql.run(
          `UPDATE works SET phase = ?, attempts = CASE WHEN ? > progress THEN 1 ELSE attempts END,
             progress = max(progress, ?) WHERE ${CLAIMED}`,
          phase,
          progress,
          progress,
          work.id,
          fence,
        );
        if (changed > 0 && delivery !== undefined) insertDelivery(sql, delivery);
        return changed > 0;
      }),

    finish: ({ work, fence }, end, nowMs, delivery) =>
      write((sql) => {
        const row = sql.one(`SELECT * FROM works WHERE ${CLAIMED}`, work.id, fence);
        if (row === undefined) return false;
        saveWork(sql, ended(toWork(row), end, nowMs));
        if (delivery !== undefined) insertDelivery(sql, delivery);
        return true;
      }),

    release: ({ work, fence }) =>
      write((sql) => {
        const row = sql.one(`SELECT * FROM works WHERE ${CLAIMED}`, work.id, fence);
        if (row !== undefined) saveWork(sql, putBack(toWork(row), (row.attempts as number) - 1));
      }),

    cancel: (owner, kind, id, nowMs, toDelivery) =>
      write((sql) => {
        const found = find(sql, owner, kind, id);
        if (found === undefined || !isUnfinished(found)) return found;
        const work = cancelled(found, nowMs);
        saveWork(sql, work);
        const delivery = toDelivery(work);
        if (delivery !== undefined) insertDelivery(sql, delivery);
        return work;
      }),

    remove: (owner, kind, id) =>
      write((sql) => {
        const found = find(sql, owner, kind, id);
        if (found === undefined) return undefined;
        sql.run('DELETE FROM works WHERE id = ?', id);
        sql.run(DISPOSABLE, id);
        return found;
      }),

    forget: (finishedBeforeMs, limit) =>
      write((sql) => {
        const rows = sql.all(
          'SELECT id FROM works WHERE completed_at < ? ORDER BY completed_at, seq LIMIT ?',
          finishedBeforeMs,
          limit,
        );
        for (const { id } of rows) {
          sql.run('DELETE FROM works WHERE id = ?', id!);
          sql.run(DISPOSABLE, id!);
        }
        return rows.map(({ id }) => id as string);
      }),

    exists: async (id) => read.one('SELECT 1 FROM works WHERE id = ?', id) !== undefined,

    expect: (id) => write((sql) => void sql.run(DISPOSABLE, id)),

    async disposable() {
      const rows = read.all(
        `SELECT work_id FROM disposable_files
         WHERE NOT EXISTS (SELECT 1 FROM works WHERE works.id = disposable_files.work_id)`,
      );
      return rows.map((row) => row.work_id as string);
    },

    async disposed(ids) {
      const listed = ids.filter(
        (id) => read.one('SELECT 1 FROM disposable_files WHERE work_id = ?', id) !== undefined,
      );
      // Nothing to write is no flush that somebody waits for.
      if (listed.length === 0) return;
      await write((sql) => {
        for (const id of listed) sql.run('DELETE FROM disposable_files WHERE work_id = ?', id);
      });
    },

    async backlog() {
      const row = read.one(
        `SELECT count(*) AS n, min(requested_at) AS oldest FROM works WHERE status = 'waiting' AND ${UNFINISHED}`,
      );
      return { waiting: Number(row?.n), oldestAtMs: (row?.oldest as number | null) ?? undefined };
    },

    async usage(owner) {
      const stored = read.one(
        'SELECT coalesce(sum(file_bytes), 0) AS bytes FROM works WHERE owner = ? AND file_bytes > 0',
        owner,
      );
      const open = read.one(`SELECT count(*) AS n FROM works WHERE owner = ? AND ${UNFINISHED}`, owner);
      return { bytes: Number(stored?.bytes), unfinished: Number(open?.n) };
    },

    releaseAll: () =>
      write((sql) => {
        const rows = sql.all(`SELECT * FROM works WHERE ${UNFINISHED} AND status = 'running'`);
        for (const row of rows) saveWork(sql, putBack(toWork(row), row.attempts as number));
        return rows.length;
      }),
  };
}
