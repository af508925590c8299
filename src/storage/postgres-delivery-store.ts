// The outbox of webhooks in PostgreSQL. What a claim holds is a time in the row: an instance that dies has its messages
// sent by another one when that time is over.

import type { Selectable } from 'kysely';
import type { Delivery, DeliveryAttempt, DeliveryStore } from './delivery-store.ts';
import { MAX_ATTEMPTS } from './delivery-store.ts';
import { fromCursor, toPage } from './page-cursor.ts';
import { BY_ID_DOWN, isBefore, isStorable, type PostgresDatabase, type Tables } from './postgres/database.ts';
import { giveUpOldest, insertDelivery } from './postgres/rows.ts';

type Row = Selectable<Tables['deliveries']>;

const attemptsOf = ({ attempts }: Pick<Row, 'attempts'>) =>
  JSON.parse(attempts) as readonly DeliveryAttempt[];

const toDelivery = (row: Row): Delivery => ({
  id: row.id,
  owner: row.owner,
  url: row.url,
  type: row.type,
  body: row.body,
  createdAtMs: row.created_at,
  state: row.state,
  attempts: attemptsOf(row).map(({ atMs, tookMs, status, problem }) => ({ atMs, tookMs, status, problem })),
  tries: row.tries,
  nextAtMs: row.next_at ?? undefined,
});

export function createPostgresDeliveryStore({ read, write }: PostgresDatabase): DeliveryStore {
  return {
    add: (delivery) => write((changes) => insertDelivery(changes, delivery)),

    due: ({ nowMs, holdMs, limit }) =>
      write(async (changes) => {
        const rows = await changes
          .selectFrom('deliveries')
          .selectAll()
          .where('state', '=', 'pending')
          .where('next_at', '<=', nowMs)
          .where('held_until', '<=', nowMs)
          .orderBy('next_at')
          .orderBy('seq')
          .limit(limit)
          .forUpdate()
          .skipLocked()
          .execute();
        if (rows.length > 0)
          await changes
            .updateTable('deliveries')
            .set({ held_until: nowMs + holdMs })
            .where(
              'seq',
              'in',
              rows.map(({ seq }) => seq),
            )
            .execute();
        return rows.map(toDelivery);
      }),

    async nextDueMs() {
      // The first that nobody holds, and those before it; the thousands that are to be tried later are not looked at.
      const free = await read
        .selectFrom('deliveries')
        .select('next_at')
        .where('state', '=', 'pending')
        .whereRef('held_until', '<=', 'next_at')
        .orderBy('next_at')
        .limit(1)
        .executeTakeFirst();
      const freeAtMs = free?.next_at ?? Number.MAX_SAFE_INTEGER;
      const held = await read
        .selectFrom('deliveries')
        .select(({ fn }) => fn.min('held_until').as('due'))
        .where('state', '=', 'pending')
        .where('next_at', '<', freeAtMs)
        .whereRef('held_until', '>', 'next_at')
        .executeTakeFirst();
      const dueAtMs = Math.min(freeAtMs, held?.due ?? Number.MAX_SAFE_INTEGER);
      return dueAtMs === Number.MAX_SAFE_INTEGER ? undefined : dueAtMs;
    },

    async backlog() {
      const row = await read
        .selectFrom('deliveries')
        .select(({ fn }) => [fn.countAll<number>().as('waiting'), fn.min('next_at').as('due')])
        .where('state', '=', 'pending')
        .executeTakeFirstOrThrow();
      return { waiting: row.waiting, dueAtMs: row.due ?? undefined };
    },

    settle: (id, attempt, { state, nextAtMs }) =>
      write(async (changes) => {
        const row = await changes
          .selectFrom('deliveries')
          .select(['state', 'attempts', 'tries'])
          .where('id', '=', id)
          .forUpdate()
          .executeTakeFirst();
        if (row === undefined) return;
        const mayChange = row.state === 'pending' || state === 'delivered';
        await changes
          .updateTable('deliveries')
          .set({
            attempts: JSON.stringify([...attemptsOf(row), attempt].slice(-MAX_ATTEMPTS)),
            tries: row.tries + 1,
            held_until: 0,
            state: mayChange ? state : row.state,
            next_at: mayChange && state === 'pending' ? (nextAtMs ?? attempt.atMs) : null,
          })
          .where('id', '=', id)
          .execute();
      }),

    async find(owner, id) {
      if (!isStorable(id)) return undefined;
      const row = await read
        .selectFrom('deliveries')
        .selectAll()
        .where('id', '=', id)
        .where('owner', '=', owner)
        .executeTakeFirst();
      return row === undefined ? undefined : toDelivery(row);
    },

    async list(owner, { limit, cursor }) {
      const { atMs, id } = fromCursor(cursor);
      const found = await read
        .selectFrom('deliveries')
        .selectAll()
        .where('owner', '=', owner)
        .where(isBefore('created_at', atMs, id))
        .orderBy('created_at', 'desc')
        .orderBy(BY_ID_DOWN)
        .limit(limit + 1)
        .execute();
      const { rows, next } = toPage(found.map(toDelivery), limit, (delivery) => ({
        atMs: delivery.createdAtMs,
        id: delivery.id,
      }));
      return { deliveries: rows, next };
    },

    async replay(owner, id, nowMs) {
      if (!isStorable(id)) return false;
      return await write(async (changes) => {
        const row = await changes
          .updateTable('deliveries')
          .set({ state: 'pending', tries: 0, next_at: nowMs, held_until: 0 })
          .where('id', '=', id)
          .where('owner', '=', owner)
          .returning('url')
          .executeTakeFirst();
        if (row === undefined) return false;
        await changes.deleteFrom('silenced').where('owner', '=', owner).where('url', '=', row.url).execute();
        await giveUpOldest(changes, { owner, id }, nowMs);
        return true;
      });
    },

    silence: (owner, url, nowMs) =>
      write(async (changes) => {
        await changes
          .insertInto('silenced')
          .values({ owner, url, silenced_at: nowMs })
          .onConflict((conflict) => conflict.columns(['owner', 'url']).doUpdateSet({ silenced_at: nowMs }))
          .execute();
        await changes
          .updateTable('deliveries')
          .set({ state: 'given-up', next_at: null, held_until: 0 })
          .where('owner', '=', owner)
          .where('url', '=', url)
          .where('state', '=', 'pending')
          .execute();
      }),

    async isSilenced(owner, url) {
      const row = await read
        .selectFrom('silenced')
        .select('url')
        .where('owner', '=', owner)
        .where('url', '=', url)
        .executeTakeFirst();
      return row !== undefined;
    },

    forget: (createdBeforeMs, limit) =>
      write(async (changes) => {
        await changes.deleteFrom('silenced').where('silenced_at', '<', createdBeforeMs).execute();
        const old = await changes
          .selectFrom('deliveries')
          .select('seq')
          .where('state', '<>', 'pending')
          .where('created_at', '<', createdBeforeMs)
          .orderBy('created_at')
          .orderBy('seq')
          .limit(limit)
          .forUpdate()
          .skipLocked()
          .execute();
        if (old.length > 0)
          await changes
            .deleteFrom('deliveries')
            .where(
              'seq',
              'in',
              old.map(({ seq }) => seq),
            )
            .execute();
        return old.length;
      }),
  };
}
