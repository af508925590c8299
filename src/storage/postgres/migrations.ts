// The tables in PostgreSQL, as numbered steps. Instances of two versions serve side by side while one is rolled out, so a
// step only adds (a table, a column with a default, an index), and the version that still needs what a later step takes
// away has to be gone before that step: `SERVES_FROM` says which version that is. A step that was released never changes.

import { type Kysely, sql, type Transaction } from 'kysely';
import { SCHEMA, type Tables } from './database.ts';

const STEPS: readonly string[] = [
  `
  CREATE TABLE works (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    kind text NOT NULL,
    owner text NOT NULL,
    status text NOT NULL CHECK (status IN ('waiting', 'running', 'completed', 'failed', 'cancelled')),
    urgency double precision NOT NULL,
    input text NOT NULL,
    phase text NOT NULL,
    progress double precision NOT NULL,
    output text,
    failure text,
    requested_at bigint NOT NULL,
    completed_at bigint,
    attempts integer NOT NULL,
    fence bigint NOT NULL DEFAULT 0,
    lease_ends bigint NOT NULL DEFAULT 0,
    holder text,
    file_bytes bigint NOT NULL DEFAULT 0,
    request_key text,
    request_digest text
  );
  CREATE INDEX works_listed ON works (owner, kind, requested_at, id COLLATE "C");
  CREATE UNIQUE INDEX works_requested ON works (owner, kind, request_key) WHERE request_key IS NOT NULL;
  CREATE INDEX works_unfinished ON works (owner, kind) WHERE status IN ('waiting', 'running');
  CREATE UNIQUE INDEX works_one_playnote ON works (owner)
    WHERE kind = 'playnote' AND status IN ('waiting', 'running');
  CREATE INDEX works_completed ON works (completed_at, seq) WHERE completed_at IS NOT NULL;
  CREATE INDEX works_stored ON works (owner, file_bytes) WHERE file_bytes > 0;

  CREATE TABLE deliveries (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    owner text NOT NULL,
    url text NOT NULL,
    type text NOT NULL,
    body text NOT NULL,
    created_at bigint NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'delivered', 'given-up')),
    attempts text NOT NULL DEFAULT '[]',
    tries integer NOT NULL DEFAULT 0,
    next_at bigint,
    held_until bigint NOT NULL DEFAULT 0
  );
  CREATE INDEX deliveries_listed ON deliveries (owner, created_at, id COLLATE "C");
  CREATE INDEX deliveries_pending ON deliveries (next_at, held_until, seq) WHERE state = 'pending';
  CREATE INDEX deliveries_pending_to ON deliveries (owner, url) WHERE state = 'pending';
  CREATE INDEX deliveries_over ON deliveries (created_at, seq) WHERE state <> 'pending';

  CREATE TABLE silenced (
    owner text NOT NULL,
    url text NOT NULL,
    silenced_at bigint NOT NULL,
    PRIMARY KEY (owner, url)
  );

  CREATE TABLE agents (
    id text NOT NULL PRIMARY KEY,
    owner text NOT NULL,
    profile text NOT NULL,
    version integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    request_key text,
    request_digest text,
    sessions bigint NOT NULL DEFAULT 0,
    turns bigint NOT NULL DEFAULT 0,
    characters bigint NOT NULL DEFAULT 0,
    spoken_ms double precision NOT NULL DEFAULT 0,
    interruptions bigint NOT NULL DEFAULT 0,
    first_audio text NOT NULL
  );
  CREATE INDEX agents_listed ON agents (owner, created_at, id COLLATE "C");
  CREATE UNIQUE INDEX agents_requested ON agents (owner, request_key) WHERE request_key IS NOT NULL;

  CREATE TABLE disposable_files (
    work_id text NOT NULL PRIMARY KEY,
    listed_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE revoked_tokens (id text NOT NULL PRIMARY KEY, until_at bigint NOT NULL);
  CREATE INDEX revoked_tokens_until ON revoked_tokens (until_at);
  CREATE TABLE installation (id text NOT NULL);
  `,
];

/** What this build writes. */
export const FORMAT = STEPS.length;
/** The oldest build that can work on tables of `FORMAT`. */
const SERVES_FROM = 1;

/** One at a time in the whole database; the number is any that nothing else uses. */
const MIGRATION_LOCK = 0x766f78;
/** Another instance may be at it, or a long transaction may be in the way. */
const WAIT_MS = 60_000;
const STEP_MS = 10 * 60_000;

/**
 * Brings the tables to `FORMAT`, each step whole or not at all. Tables that a newer build has made are left as they are, and
 * are used where that build says that they can be; else an `Error` that says what to do.
 */
export async function migrate(database: Kysely<Tables>): Promise<void> {
  for (;;) {
    const isDone = await database.transaction().execute(async (changes) => {
      const [wait, step] = [`${WAIT_MS}`, `${STEP_MS}`];
      await sql`SELECT set_config('lock_timeout', ${wait}, true), set_config('statement_timeout', ${step}, true)`.execute(
        changes,
      );
      await sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(changes);
      const found = await readFormat(changes);
      if (found.servesFrom > FORMAT)
        throw new Error(
          `the records in PostgreSQL were written by a newer Voxgate (format ${found.format}, usable from ${found.servesFrom} on; this one knows ${FORMAT}): start that one, or name another database`,
        );
      const next = STEPS[found.format];
      if (next === undefined) return true;
      await sql`SELECT set_config('search_path', ${SCHEMA}, true)`.execute(changes);
      await sql.raw(next).execute(changes);
      await sql`UPDATE ${sql.table(`${SCHEMA}.format`)}
        SET format = ${found.format + 1}, serves_from = ${SERVES_FROM}`.execute(changes);
      return false;
    });
    if (isDone) return;
  }
}

async function readFormat(changes: Transaction<Tables>) {
  const { rows: tables } = await sql<{ name: string | null }>`
    SELECT to_regclass(${`${SCHEMA}.format`})::text AS name`.execute(changes);
  if (tables[0]?.name == null) {
    // Asked first: to say IF NOT EXISTS takes the right to create, too.
    const { rows: schemas } = await sql`SELECT 1 FROM pg_namespace WHERE nspname = ${SCHEMA}`.execute(
      changes,
    );
    if (schemas.length === 0) await sql.raw(`CREATE SCHEMA ${SCHEMA}`).execute(changes);
    await sql
      .raw(`CREATE TABLE ${SCHEMA}.format (format integer NOT NULL, serves_from integer NOT NULL)`)
      .execute(changes);
    await sql.raw(`INSERT INTO ${SCHEMA}.format VALUES (0, 0)`).execute(changes);
  }
  const { rows } = await sql<{ format: number; serves_from: number }>`
    SELECT format, serves_from FROM ${sql.table(`${SCHEMA}.format`)}`.execute(changes);
  return { format: rows[0]?.format ?? 0, servesFrom: rows[0]?.serves_from ?? 0 };
}
