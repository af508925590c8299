// What the stores see of an open PostgreSQL database: its tables, questions, changes as transactions, and what is thrown
// when it fails. All of it lies in a schema of its own, so that the database may hold other things.

import { type Generated, type Kysely, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { AppError } from '../../base/app-error.ts';
import { faultCode } from '../../base/fault-code.ts';
import type { DeliveryState } from '../delivery-store.ts';
import type { WorkKind, WorkStatus } from '../works/work.ts';

export const SCHEMA = 'voxgate';
/** Of news between instances. */
export const CHANNEL = 'voxgate';
/** The SQLSTATE by which a refusal tells that a unique index has the row already. */
export const UNIQUE_VIOLATION = '23505';

/** Objects are kept as JSON text: `jsonb` refuses U+0000, which texts of callers may hold. Times: ms since 1970. */
export type Tables = {
  works: {
    /** In the order of creation. */
    seq: Generated<number>;
    id: string;
    kind: WorkKind;
    owner: string;
    status: WorkStatus;
    urgency: number;
    input: string;
    phase: string;
    progress: number;
    output: string | null;
    failure: string | null;
    requested_at: number;
    completed_at: number | null;
    attempts: number;
    fence: number;
    lease_ends: number;
    /** The instance that claimed it last. */
    holder: string | null;
    file_bytes: number;
    request_key: string | null;
    request_digest: string | null;
  };
  deliveries: {
    seq: Generated<number>;
    id: string;
    owner: string;
    url: string;
    type: string;
    body: string;
    created_at: number;
    state: DeliveryState;
    attempts: string;
    tries: number;
    next_at: number | null;
    held_until: number;
  };
  silenced: { owner: string; url: string; silenced_at: number };
  agents: {
    id: string;
    owner: string;
    profile: string;
    version: number;
    created_at: number;
    updated_at: number;
    request_key: string | null;
    request_digest: string | null;
    sessions: number;
    turns: number;
    characters: number;
    spoken_ms: number;
    interruptions: number;
    first_audio: string;
  };
  disposable_files: { work_id: string; listed_at: Generated<Date> };
  revoked_tokens: { id: string; until_at: number };
  /** One row: the id that the database shares with its folder of files. */
  installation: { id: string };
};

export type Changes = Transaction<Tables>;

export type PostgresDatabase = {
  /** Questions; each sees what was committed. */
  readonly read: Kysely<Tables>;
  /**
   * One transaction, all of `work` or nothing. Rejects with `storage_unavailable` when PostgreSQL does not answer: the
   * change may have been made all the same when the connection broke while it was being committed.
   */
  readonly write: <T>(work: (changes: Changes) => Promise<T>) => Promise<T>;
};

/** No column of PostgreSQL holds U+0000, so nothing is found by a text that has one. */
export const isStorable = (text: string): boolean => !text.includes('\0');

/** What is counted before it is added to; the number keeps the locks of one from those of the other. */
const COUNTED = { works: 1, agents: 2 } as const;

/** Makes those that add to the rows of `owner` wait for one another until the transaction ends, in every instance. */
export const lockOwner = (changes: Changes, table: keyof typeof COUNTED, owner: string): Promise<unknown> =>
  sql`SELECT pg_advisory_xact_lock(${COUNTED[table]}, hashtext(${owner}))`.execute(changes);

/** Of a list, newest first: what comes after a position; ids compare by their bytes. */
export const isBefore = (column: 'requested_at' | 'created_at', atMs: number, id: string) =>
  sql<boolean>`(${sql.ref(column)}, id COLLATE "C") < (${atMs}, ${id})`;
export const BY_ID_DOWN = sql`id COLLATE "C" DESC`;

/**
 * SQLSTATEs that say nothing of the statement: no connection (08), no access (28), no such database (3D), too little of something
 * (53), stopped by an operator or a deadline (57), a lock (40, 55), a server that only reads (25).
 */
const OUTAGE = /^(08|25006|25P03|28|3D|40|53|55P03|57)/;
const RETRY_AFTER_MS = 5_000;

export const unreachable = (cause: unknown) =>
  new AppError('storage_unavailable', 'The records cannot be reached at present; try again later.', {
    cause: new Error(`PostgreSQL: ${faultCode(cause)}`),
    retryAfterMs: RETRY_AFTER_MS,
  });
export const crowded = () =>
  new AppError('storage_unavailable', 'More is asked of the records than they can answer; try again later.', {
    retryAfterMs: RETRY_AFTER_MS,
  });

/** A refusal by PostgreSQL without its words, which may repeat what a caller has sent. */
export const refused = ({ code, constraint, table }: pg.DatabaseError) =>
  new Error(`PostgreSQL refused a statement (${[code, constraint ?? table].filter(Boolean).join(', ')})`);

export const isOutage = (error: unknown): boolean =>
  !(error instanceof pg.DatabaseError) || OUTAGE.test(error.code ?? '');
