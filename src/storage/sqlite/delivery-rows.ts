// Writes a delivery inside the transaction of its caller: the change and the message about it are one.

import {
  crowdedOut,
  type DeliveryAttempt,
  MAX_ATTEMPTS,
  MAX_PENDING,
  type NewDelivery,
} from '../delivery-store.ts';
import type { Sql } from './driver.ts';

/** Due at once, or given up from the start when its receiver wants nothing more. */
export function insertDelivery(sql: Sql, delivery: NewDelivery): void {
  const { id, owner, url, type, body, createdAtMs } = delivery;
  const isSilenced = sql.one('SELECT 1 FROM silenced WHERE owner = ? AND url = ?', owner, url) !== undefined;
  sql.run(
    `INSERT INTO deliveries (id, owner, url, type, body, created_at, state, attempts, tries, next_at, held_until)
     VALUES (?, ?, ?, ?, ?, ?, ?, '[]', 0, ?, 0)`,
    id,
    owner,
    url,
    type,
    body,
    createdAtMs,
    isSilenced ? 'given-up' : 'pending',
    isSilenced ? null : createdAtMs,
  );
  if (!isSilenced) giveUpOldest(sql, delivery, createdAtMs);
}

/** Makes room for `newest`, which is pending: of its owner's others, the oldest go that are too many. */
export function giveUpOldest(
  sql: Sql,
  newest: { readonly owner: string; readonly id: string },
  nowMs: number,
): void {
  const { owner, id } = newest;
  const pending = "FROM deliveries WHERE owner = ? AND state = 'pending'";
  const excess = Number(sql.one(`SELECT count(*) AS n ${pending}`, owner)?.n) - MAX_PENDING;
  if (excess <= 0) return;
  const oldest = `SELECT seq, attempts ${pending} AND id <> ? ORDER BY created_at, seq LIMIT ?`;
  for (const { seq, attempts } of sql.all(oldest, owner, id, excess)) {
    const log = [...(JSON.parse(attempts as string) as DeliveryAttempt[]), crowdedOut(nowMs)];
    sql.run(
      "UPDATE deliveries SET state = 'given-up', next_at = NULL, held_until = 0, attempts = ? WHERE seq = ?",
      JSON.stringify(log.slice(-MAX_ATTEMPTS)),
      seq!,
    );
  }
}
