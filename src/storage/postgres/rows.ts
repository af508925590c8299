// Works and deliveries as rows: what is written of them inside the transaction of a caller, the change and the message
// about it as one; and all rows as they are copied elsewhere.

import { CompiledQuery, type Selectable, sql } from 'kysely';
import {
  crowdedOut,
  type DeliveryAttempt,
  MAX_ATTEMPTS,
  MAX_PENDING,
  type NewDelivery,
} from '../delivery-store.ts';
import type { CopiedRow, RecordSql } from '../record-copies.ts';
import type { Stored, Work, WorkFailure } from '../works/work.ts';
import { fileBytesOf } from '../works/work-steps.ts';
import type { NewWork } from '../works/work-store.ts';
import {
  CHANNEL,
  type Changes,
  type PostgresDatabase,
  SCHEMA,
  type Tables,
  UNIQUE_VIOLATION,
} from './database.ts';

export type WorkRow = Selectable<Tables['works']>;

export const toWork = (row: WorkRow): Work => ({
  id: row.id,
  kind: row.kind,
  owner: row.owner,
  status: row.status,
  urgency: row.urgency,
  input: JSON.parse(row.input) as Stored,
  phase: row.phase,
  progress: row.progress,
  output: row.output === null ? undefined : (JSON.parse(row.output) as Stored),
  failure: row.failure === null ? undefined : (JSON.parse(row.failure) as WorkFailure),
  requestedAtMs: row.requested_at,
  completedAtMs: row.completed_at ?? undefined,
  attempts: row.attempts,
});

/** What a step may change. */
const changedBy = ({ status, phase, progress, output, failure, completedAtMs, attempts }: Work) => ({
  ...{ status, phase, progress, attempts },
  output: output === undefined ? null : JSON.stringify(output),
  failure: failure === undefined ? null : JSON.stringify(failure),
  completed_at: completedAtMs ?? null,
  file_bytes: fileBytesOf(output),
});

export const saveWork = (
  changes: Changes,
  work: Work,
  more: { fence?: number; lease_ends?: number; holder?: string } = {},
) =>
  changes
    .updateTable('works')
    .set({ ...changedBy(work), ...more })
    .where('id', '=', work.id)
    .execute();

export const insertWork = (changes: Changes, work: Work, request: NewWork['idempotency']) => {
  const { id, kind, owner, urgency, input, requestedAtMs } = work;
  return changes
    .insertInto('works')
    .values({
      ...{ id, kind, owner, urgency, input: JSON.stringify(input), requested_at: requestedAtMs },
      ...changedBy(work),
      ...{ fence: 0, lease_ends: 0, holder: null },
      request_key: request?.key ?? null,
      request_digest: request?.digest ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
};

/** Due at once, or given up from the start when its receiver wants nothing more. */
export async function insertDelivery(changes: Changes, delivery: NewDelivery): Promise<void> {
  const { id, owner, url, type, body, createdAtMs } = delivery;
  const silenced = await changes
    .selectFrom('silenced')
    .select('url')
    .where('owner', '=', owner)
    .where('url', '=', url)
    .executeTakeFirst();
  await changes
    .insertInto('deliveries')
    .values({
      ...{ id, owner, url, type, body },
      created_at: createdAtMs,
      state: silenced === undefined ? 'pending' : 'given-up',
      attempts: '[]',
      tries: 0,
      next_at: silenced === undefined ? createdAtMs : null,
      held_until: 0,
    })
    .execute();
  if (silenced === undefined) await giveUpOldest(changes, delivery, createdAtMs);
}

/**
 * Makes room for `newest`, which is pending: of its owner's others, the oldest go that are too many. Those that another
 * transaction is at are left to it, so that the bound may be passed for a moment.
 */
export async function giveUpOldest(
  changes: Changes,
  { owner, id }: { readonly owner: string; readonly id: string },
  nowMs: number,
): Promise<void> {
  const { pending } = await changes
    .selectFrom('deliveries')
    .select(({ fn }) => fn.countAll<number>().as('pending'))
    .where('owner', '=', owner)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  if (pending <= MAX_PENDING) return;
  const oldest = await changes
    .selectFrom('deliveries')
    .select(['seq', 'attempts'])
    .where('owner', '=', owner)
    .where('state', '=', 'pending')
    .where('id', '<>', id)
    .orderBy('created_at')
    .orderBy('seq')
    .limit(pending - MAX_PENDING)
    .forUpdate()
    .skipLocked()
    .execute();
  for (const { seq, attempts } of oldest) {
    const log = [...(JSON.parse(attempts) as DeliveryAttempt[]), crowdedOut(nowMs)].slice(-MAX_ATTEMPTS);
    await changes
      .updateTable('deliveries')
      .set({ state: 'given-up', next_at: null, held_until: 0, attempts: JSON.stringify(log) })
      .where('seq', '=', seq)
      .execute();
  }
}

/** The records as they are copied elsewhere, and from there. */
export function postgresRecordSql({ read, write }: PostgresDatabase): RecordSql {
  return {
    nameOf: (table) => `${SCHEMA}.${table}`,
    place: (at) => `$${at}`,
    ask: async (text, values) =>
      (await read.executeQuery<CopiedRow>(CompiledQuery.raw(text, [...values]))).rows,
    write: (statements) =>
      write(async (changes) => {
        for (const { sql: text, values, taken } of statements)
          await changes.executeQuery(CompiledQuery.raw(text, [...values])).catch((error: unknown) => {
            throw (error as Error).message.includes(UNIQUE_VIOLATION) ? taken : error;
          });
      }),

    async checkUnused() {
      // The connection of an instance for news; a pooler between may hide it, so works in hand are asked about, too.
      const { rows } = await sql<{ instances: number; works: number }>`
        SELECT (SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND query = ${`LISTEN ${CHANNEL}`}) AS instances,
               (SELECT count(*) FROM ${sql.table(`${SCHEMA}.works`)} WHERE status = 'running'
                AND lease_ends > extract(epoch FROM clock_timestamp()) * 1000) AS works`.execute(read);
      const { instances = 0, works = 0 } = rows[0] ?? {};
      if (instances > 0)
        throw new Error(
          `the records in PostgreSQL are in use by ${instances} ${instances === 1 ? 'instance' : 'instances'}: stop ${instances === 1 ? 'it' : 'them'} first (nothing was changed)`,
        );
      if (works > 0)
        throw new Error(
          `${works} works in PostgreSQL are being done, or were within the last 30 s: stop the instances, or wait until the time of one that died is over`,
        );
    },
  };
}
