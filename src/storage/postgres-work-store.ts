// Jobs and PlayNotes in PostgreSQL, for several instances at once. Every change is one transaction: of the state, its
// message to the caller, and the key that makes a repetition harmless. Claims skip rows that another instance is at; what
// counts rows of an owner before it adds one waits for its owner's lock.

import { sql } from 'kysely';
import { fromCursor, toPage } from './page-cursor.ts';
import {
  BY_ID_DOWN,
  type Changes,
  isBefore,
  isStorable,
  lockOwner,
  type PostgresDatabase,
  SCHEMA,
} from './postgres/database.ts';
import { insertDelivery, insertWork, saveWork, toWork, type WorkRow } from './postgres/rows.ts';
import type { Claim, WorkKind } from './works/work.ts';
import {
  asked,
  begun,
  cancelled,
  ended,
  interrupted,
  isUnfinished,
  mostUnfinishedOf,
  putBack,
} from './works/work-steps.ts';
import type { WorkStore } from './works/work-store.ts';

const UNFINISHED = sql<boolean>`status IN ('waiting', 'running')`;
const claimable = (nowMs: number) =>
  sql<boolean>`${UNFINISHED} AND (status = 'waiting' OR lease_ends <= ${nowMs})`;

const listDisposable = (changes: Changes, ids: readonly string[]) =>
  changes
    .insertInto('disposable_files')
    .values(ids.map((work_id) => ({ work_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();

export type PostgresWorkStore = WorkStore & {
  /** Whether somebody else than this instance is to write the files of a work: it has a row and is not being done here. */
  isElsewhere(id: string): Promise<boolean>;
};

export type PostgresWorkStoreOptions = {
  /** What no other instance is called. */
  readonly instance: string;
  /**
   * How long the files of a work without a row are left alone after it was listed: another instance may be taking an
   * upload for it. 0 in tests.
   */
  readonly disposeAfterMs: number;
};

export function createPostgresWorkStore(
  { read, write }: PostgresDatabase,
  { instance, disposeAfterMs }: PostgresWorkStoreOptions,
): PostgresWorkStore {
  const owned = (sql: Pick<typeof read, 'selectFrom'>, owner: string, kind: WorkKind) =>
    sql.selectFrom('works').selectAll().where('owner', '=', owner).where('kind', '=', kind);
  const findRequest = (sql: Pick<typeof read, 'selectFrom'>, owner: string, kind: WorkKind, key: string) =>
    owned(sql, owner, kind).where('request_key', '=', key).executeTakeFirst();
  const tell = async (changes: Changes, delivery: Parameters<typeof insertDelivery>[1] | undefined) => {
    if (delivery !== undefined) await insertDelivery(changes, delivery);
  };
  /** The row of a claim that still holds, kept from other transactions. */
  const held = (changes: Changes, { work, fence }: Claim) =>
    changes
      .selectFrom('works')
      .selectAll()
      .where('id', '=', work.id)
      .where('status', '=', 'running')
      .where('fence', '=', fence)
      .forUpdate()
      .executeTakeFirst();

  return {
    create: (work) =>
      write(async (changes) => {
        const { owner, kind, idempotency, delivery } = work;
        await lockOwner(changes, 'works', owner);
        if (idempotency !== undefined) {
          const before = await findRequest(changes, owner, kind, idempotency.key);
          if (before !== undefined)
            return before.request_digest === idempotency.digest
              ? { kind: 'repeated', work: toWork(before) }
              : { kind: 'conflict' };
        }
        const { unfinished } = await changes
          .selectFrom('works')
          .select(({ fn }) => fn.countAll<number>().as('unfinished'))
          .where('owner', '=', owner)
          .where('kind', '=', kind)
          .where(UNFINISHED)
          .executeTakeFirstOrThrow();
        if (unfinished >= mostUnfinishedOf(work)) return { kind: 'full' };
        const row = await insertWork(changes, asked(work), idempotency);
        await changes.deleteFrom('disposable_files').where('work_id', '=', work.id).execute();
        await tell(changes, delivery);
        return { kind: 'created', work: toWork(row) };
      }),

    async findRequest(owner, kind, key) {
      const row = await findRequest(read, owner, kind, key);
      return row === undefined ? undefined : { work: toWork(row), digest: row.request_digest ?? '' };
    },

    async find(owner, kind, id) {
      if (!isStorable(id)) return undefined;
      const row = await owned(read, owner, kind).where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toWork(row);
    },

    async list(owner, kind, { limit, cursor }) {
      const { atMs, id } = fromCursor(cursor);
      const found = await owned(read, owner, kind)
        .where(isBefore('requested_at', atMs, id))
        .orderBy('requested_at', 'desc')
        .orderBy(BY_ID_DOWN)
        .limit(limit + 1)
        .execute();
      const { rows, next } = toPage(found.map(toWork), limit, (work) => ({
        atMs: work.requestedAtMs,
        id: work.id,
      }));
      return { works: rows, next };
    },

    claim: ({ nowMs, leaseMs, mostAttempts, toDelivery }) =>
      write(async (changes) => {
        const spent = await changes
          .selectFrom('works')
          .selectAll()
          .where(claimable(nowMs))
          .where('attempts', '>=', mostAttempts)
          .forUpdate()
          .skipLocked()
          .execute();
        for (const row of spent) {
          const failed = interrupted(toWork(row), nowMs);
          await saveWork(changes, failed);
          await tell(changes, toDelivery(failed));
        }
        const works = sql.table(`${SCHEMA}.works`);
        // Of those that were just failed the snapshot of this statement knows: each statement has its own (READ COMMITTED).
        const { rows } = await sql<WorkRow>`
          WITH busy AS (
            SELECT owner, count(*) AS running FROM ${works}
            WHERE ${UNFINISHED} AND status = 'running' AND lease_ends > ${nowMs} GROUP BY owner
          )
          SELECT works.* FROM ${works} AS works LEFT JOIN busy USING (owner)
          WHERE ${claimable(nowMs)}
          ORDER BY coalesce(running, 0), urgency DESC, requested_at, seq LIMIT 1
          FOR UPDATE OF works SKIP LOCKED`.execute(changes);
        const next = rows[0];
        if (next === undefined) return undefined;
        const work = begun(toWork(next));
        const fence = next.fence + 1;
        await saveWork(changes, work, { fence, lease_ends: nowMs + leaseMs, holder: instance });
        return { work, fence };
      }),

    async renew({ work, fence }, leaseEndsMs) {
      const { numUpdatedRows } = await read
        .updateTable('works')
        .set({ lease_ends: leaseEndsMs })
        .where('id', '=', work.id)
        .where('status', '=', 'running')
        .where('fence', '=', fence)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    note: ({ work, fence }, { phase, progress }, delivery) =>
      write(async (changes) => {
        const { numUpdatedRows } = await changes
          .updateTable('works')
          .set({
            phase,
            attempts: sql<number>`CASE WHEN ${progress} > progress THEN 1 ELSE attempts END`,
            progress: sql<number>`greatest(progress, ${progress})`,
          })
          .where('id', '=', work.id)
          .where('status', '=', 'running')
          .where('fence', '=', fence)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await tell(changes, delivery);
        return true;
      }),

    finish: (claim, end, nowMs, delivery) =>
      write(async (changes) => {
        const row = await held(changes, claim);
        if (row === undefined) return false;
        await saveWork(changes, ended(toWork(row), end, nowMs));
        await tell(changes, delivery);
        return true;
      }),

    release: (claim) =>
      write(async (changes) => {
        const row = await held(changes, claim);
        if (row !== undefined) await saveWork(changes, putBack(toWork(row), row.attempts - 1));
      }),

    async cancel(owner, kind, id, nowMs, toDelivery) {
      if (!isStorable(id)) return undefined;
      return await write(async (changes) => {
        const row = await owned(changes, owner, kind).where('id', '=', id).forUpdate().executeTakeFirst();
        if (row === undefined) return undefined;
        const found = toWork(row);
        if (!isUnfinished(found)) return found;
        const work = cancelled(found, nowMs);
        await saveWork(changes, work);
        await tell(changes, toDelivery(work));
        return work;
      });
    },

    async remove(owner, kind, id) {
      if (!isStorable(id)) return undefined;
      return await write(async (changes) => {
        const row = await changes
          .deleteFrom('works')
          .where('owner', '=', owner)
          .where('kind', '=', kind)
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return undefined;
        await listDisposable(changes, [id]);
        return toWork(row);
      });
    },

    forget: (finishedBeforeMs, limit) =>
      write(async (changes) => {
        const old = await changes
          .selectFrom('works')
          .select('id')
          .where('completed_at', '<', finishedBeforeMs)
          .orderBy('completed_at')
          .orderBy('seq')
          .limit(limit)
          .forUpdate()
          .skipLocked()
          .execute();
        const ids = old.map(({ id }) => id);
        if (ids.length === 0) return ids;
        await changes.deleteFrom('works').where('id', 'in', ids).execute();
        await listDisposable(changes, ids);
        return ids;
      }),

    async exists(id) {
      if (!isStorable(id)) return false;
      return (
        (await read.selectFrom('works').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
      );
    },

    async expect(id) {
      await write((changes) => listDisposable(changes, [id]));
    },

    async disposable() {
      const rows = await read
        .selectFrom('disposable_files')
        .select('work_id')
        .where(sql<boolean>`listed_at <= now() - ${disposeAfterMs} * interval '1 millisecond'`)
        .where((the) =>
          the.not(
            the.exists(
              the.selectFrom('works').select('id').whereRef('works.id', '=', 'disposable_files.work_id'),
            ),
          ),
        )
        .execute();
      return rows.map(({ work_id }) => work_id);
    },

    async disposed(ids) {
      if (ids.length > 0)
        await read
          .deleteFrom('disposable_files')
          .where('work_id', 'in', [...ids])
          .execute();
    },

    async backlog() {
      const row = await read
        .selectFrom('works')
        .select(({ fn }) => [fn.countAll<number>().as('waiting'), fn.min('requested_at').as('oldest')])
        .where(UNFINISHED)
        .where('status', '=', 'waiting')
        .executeTakeFirstOrThrow();
      return { waiting: row.waiting, oldestAtMs: row.oldest ?? undefined };
    },

    async usage(owner) {
      const row = await read
        .selectFrom('works')
        .select(() => [
          sql<number>`coalesce(sum(file_bytes), 0)::bigint`.as('bytes'),
          sql<number>`count(*) FILTER (WHERE ${UNFINISHED})`.as('unfinished'),
        ])
        .where('owner', '=', owner)
        .where(sql<boolean>`(file_bytes > 0 OR ${UNFINISHED})`)
        .executeTakeFirstOrThrow();
      return { bytes: row.bytes, unfinished: row.unfinished };
    },

    async isElsewhere(id) {
      const row = await read
        .selectFrom('works')
        .select(['status', 'holder'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row !== undefined && !(row.status === 'running' && row.holder === instance);
    },
  };
}
