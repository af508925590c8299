// The tables, as numbered steps from an empty database to the present one. A step that was released never changes: what
// comes later is a further step. The number reached is kept in the database itself (`user_version`).

import type { SqliteDriver } from './driver.ts';

/** The works that count against their owner and can be claimed; a query that says it in these words uses the index. */
export const UNFINISHED = "status IN ('waiting', 'running')";

const STEPS: readonly string[] = [
  `
  CREATE TABLE works (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('waiting', 'running', 'completed', 'failed', 'cancelled')),
    urgency REAL NOT NULL,
    input TEXT NOT NULL,
    phase TEXT NOT NULL,
    progress REAL NOT NULL,
    output TEXT,
    failure TEXT,
    requested_at INTEGER NOT NULL,
    completed_at INTEGER,
    attempts INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    lease_ends INTEGER NOT NULL,
    file_bytes INTEGER NOT NULL,
    request_key TEXT,
    request_digest TEXT
  ) STRICT;
  CREATE INDEX works_listed ON works (owner, kind, requested_at, id);
  CREATE UNIQUE INDEX works_requested ON works (owner, kind, request_key) WHERE request_key IS NOT NULL;
  CREATE INDEX works_unfinished ON works (owner, kind, status, urgency, requested_at, lease_ends, attempts)
    WHERE status IN ('waiting', 'running');
  CREATE UNIQUE INDEX works_one_playnote ON works (owner)
    WHERE kind = 'playnote' AND status IN ('waiting', 'running');
  CREATE INDEX works_completed ON works (completed_at) WHERE completed_at IS NOT NULL;
  CREATE INDEX works_stored ON works (owner, file_bytes) WHERE file_bytes > 0;

  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    url TEXT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'given-up')),
    attempts TEXT NOT NULL,
    tries INTEGER NOT NULL,
    next_at INTEGER,
    held_until INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX deliveries_listed ON deliveries (owner, created_at, id);
  CREATE INDEX deliveries_pending ON deliveries (next_at, held_until, seq) WHERE state = 'pending';
  CREATE INDEX deliveries_pending_to ON deliveries (owner, url) WHERE state = 'pending';
  CREATE INDEX deliveries_over ON deliveries (created_at) WHERE state <> 'pending';

  CREATE TABLE silenced (
    owner TEXT NOT NULL,
    url TEXT NOT NULL,
    silenced_at INTEGER NOT NULL,
    PRIMARY KEY (owner, url)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE agents (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    profile TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    request_key TEXT,
    request_digest TEXT,
    sessions INTEGER NOT NULL DEFAULT 0,
    turns INTEGER NOT NULL DEFAULT 0,
    characters INTEGER NOT NULL DEFAULT 0,
    spoken_ms REAL NOT NULL DEFAULT 0,
    interruptions INTEGER NOT NULL DEFAULT 0,
    first_audio TEXT NOT NULL
  ) STRICT;
  CREATE INDEX agents_owned ON agents (owner);
  CREATE UNIQUE INDEX agents_requested ON agents (owner, request_key) WHERE request_key IS NOT NULL;
  `,
  // The id that this database and its folder of files share; and works that have no row, or none yet, whose files may go.
  `
  CREATE TABLE folder (id TEXT NOT NULL) STRICT;
  CREATE TABLE disposable_files (work_id TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
  `,
  // Tokens that were taken back and have not expired.
  `
  CREATE TABLE revoked_tokens (id TEXT NOT NULL PRIMARY KEY, until_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
];

/** What this build writes. */
export const FORMAT = STEPS.length;

/** Brings the database to `FORMAT`, each step whole or not at all. One of a newer build is left alone: an `Error`. */
export function migrate(driver: SqliteDriver, folder: string): void {
  const found = Number(driver.one('PRAGMA user_version')?.user_version);
  if (found > FORMAT)
    throw new Error(
      `the records in ${folder} were written by a newer Voxgate (format ${found}; this one knows ${FORMAT}): start that one, or name another folder`,
    );
  for (const [done, step] of STEPS.entries()) {
    if (done < found) continue;
    driver.transaction(() => {
      driver.exec(step);
      driver.exec(`PRAGMA user_version = ${done + 1}`);
    });
  }
}
