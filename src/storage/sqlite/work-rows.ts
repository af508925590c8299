// A work as a row: read whole, begun whole, and of a change only what a step may change.

import type { Stored, Work, WorkFailure, WorkKind, WorkStatus } from '../works/work.ts';
import { fileBytesOf } from '../works/work-steps.ts';
import type { NewWork } from '../works/work-store.ts';
import type { Sql, SqlRow } from './driver.ts';

const parsed = (json: SqlRow[string] | undefined) =>
  json === null ? undefined : (JSON.parse(json as string) as Stored);

export const toWork = (row: SqlRow): Work => ({
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
export function saveWork(sql: Sql, work: Work): void {
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

export function insertWork(sql: Sql, work: Work, request: NewWork['idempotency']): void {
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
