// The outbox of webhooks in this process: for tests, and for a gateway that keeps nothing.

import {
  crowdedOut,
  type Delivery,
  type DeliveryStore,
  MAX_ATTEMPTS,
  MAX_PENDING,
  type NewDelivery,
} from '../../src/storage/delivery-store.ts';
import { fromCursor, isAfter, toPage } from '../../src/storage/page-cursor.ts';

export type MemoryDeliveryStore = DeliveryStore & {
  /** `add`, inside a change of something else. Throws for an id that is there. */
  put(delivery: NewDelivery): void;
};

type Row = { delivery: Delivery; heldUntilMs: number };

const positionOf = ({ createdAtMs, id }: Delivery) => ({ atMs: createdAtMs, id });

export function createMemoryDeliveryStore(): MemoryDeliveryStore {
  /** In the order of their creation. */
  const rows = new Map<string, Row>();
  /** Since when (ms), by owner and URL. */
  const silenced = new Map<string, number>();
  const endpoint = (owner: string, url: string) => JSON.stringify([owner, url]);

  const owned = (owner: string) =>
    [...rows.values()].map(({ delivery }) => delivery).filter((delivery) => delivery.owner === owner);
  const pending = () => [...rows.values()].filter(({ delivery }) => delivery.state === 'pending');

  const giveUpOldest = ({ owner, id }: Pick<Delivery, 'owner' | 'id'>, nowMs: number) => {
    const waiting = pending().filter(({ delivery }) => delivery.owner === owner);
    const oldest = waiting
      .filter(({ delivery }) => delivery.id !== id)
      .sort((a, b) => a.delivery.createdAtMs - b.delivery.createdAtMs);
    for (const row of oldest.slice(0, Math.max(0, waiting.length - MAX_PENDING))) {
      const attempts = [...row.delivery.attempts, crowdedOut(nowMs)].slice(-MAX_ATTEMPTS);
      row.delivery = { ...row.delivery, state: 'given-up', nextAtMs: undefined, attempts };
      row.heldUntilMs = 0;
    }
  };

  const put = ({ id, owner, url, type, body, createdAtMs }: NewDelivery) => {
    if (rows.has(id)) throw new Error('there is a delivery of this id');
    const isSilenced = silenced.has(endpoint(owner, url));
    const delivery: Delivery = {
      id,
      owner,
      url,
      type,
      body,
      createdAtMs,
      state: isSilenced ? 'given-up' : 'pending',
      attempts: [],
      tries: 0,
      nextAtMs: isSilenced ? undefined : createdAtMs,
    };
    rows.set(id, { delivery, heldUntilMs: 0 });
    if (!isSilenced) giveUpOldest(delivery, createdAtMs);
  };

  return {
    put,
    async add(delivery) {
      put(delivery);
    },

    async due({ nowMs, holdMs, limit }) {
      const due = pending()
        .filter(({ delivery, heldUntilMs }) => delivery.nextAtMs! <= nowMs && heldUntilMs <= nowMs)
        .sort((a, b) => a.delivery.nextAtMs! - b.delivery.nextAtMs!)
        .slice(0, limit);
      for (const row of due) row.heldUntilMs = nowMs + holdMs;
      return due.map(({ delivery }) => delivery);
    },

    async nextDueMs() {
      const times = pending().map(({ delivery, heldUntilMs }) => Math.max(delivery.nextAtMs!, heldUntilMs));
      return times.length === 0 ? undefined : times.reduce((least, time) => Math.min(least, time));
    },

    async backlog() {
      const times = pending().map(({ delivery }) => delivery.nextAtMs!);
      return { waiting: times.length, dueAtMs: times.length === 0 ? undefined : Math.min(...times) };
    },

    async settle(id, attempt, { state, nextAtMs }) {
      const row = rows.get(id);
      if (row === undefined) return;
      const before = row.delivery;
      const changes = before.state === 'pending' || state === 'delivered';
      row.heldUntilMs = 0;
      row.delivery = {
        ...before,
        attempts: [...before.attempts, { ...attempt }].slice(-MAX_ATTEMPTS),
        tries: before.tries + 1,
        state: changes ? state : before.state,
        nextAtMs: changes && state === 'pending' ? (nextAtMs ?? attempt.atMs) : undefined,
      };
    },

    find: async (owner, id) => owned(owner).find((delivery) => delivery.id === id),

    async list(owner, { limit, cursor }) {
      const position = fromCursor(cursor);
      const after = owned(owner)
        .filter((delivery) => isAfter(positionOf(delivery), position))
        .sort((a, b) => (isAfter(positionOf(a), positionOf(b)) ? 1 : -1));
      const { rows: deliveries, next } = toPage(after.slice(0, limit + 1), limit, positionOf);
      return { deliveries, next };
    },

    async replay(owner, id, nowMs) {
      const row = rows.get(id);
      if (row?.delivery.owner !== owner) return false;
      silenced.delete(endpoint(owner, row.delivery.url));
      row.delivery = { ...row.delivery, state: 'pending', tries: 0, nextAtMs: nowMs };
      row.heldUntilMs = 0;
      giveUpOldest(row.delivery, nowMs);
      return true;
    },

    async silence(owner, url, nowMs) {
      silenced.set(endpoint(owner, url), nowMs);
      for (const row of pending()) {
        if (row.delivery.owner !== owner || row.delivery.url !== url) continue;
        row.delivery = { ...row.delivery, state: 'given-up', nextAtMs: undefined };
        row.heldUntilMs = 0;
      }
    },

    isSilenced: async (owner, url) => silenced.has(endpoint(owner, url)),

    async forget(createdBeforeMs, limit) {
      for (const [key, sinceMs] of silenced) if (sinceMs < createdBeforeMs) silenced.delete(key);
      const over = [...rows.values()]
        .map(({ delivery }) => delivery)
        .filter(({ state, createdAtMs }) => state !== 'pending' && createdAtMs < createdBeforeMs)
        .sort((a, b) => a.createdAtMs - b.createdAtMs)
        .slice(0, limit);
      for (const { id } of over) rows.delete(id);
      return over.length;
    },
  };
}
