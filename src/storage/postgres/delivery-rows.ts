// Writes a delivery inside the transaction of its caller: the change and the message about it are one.

import {
  crowdedOut,
  type DeliveryAttempt,
  MAX_ATTEMPTS,
  MAX_PENDING,
  type NewDelivery,
} from '../delivery-store.ts';
import type { Changes } from './database.ts';

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
