// Writing a delivery inside somebody's transaction: the change that it tells and the message itself are one.

import type { NewDelivery } from '../delivery-store.ts';
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
}
