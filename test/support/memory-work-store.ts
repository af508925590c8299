// Jobs and PlayNotes in this process: for tests, and for a gateway that keeps nothing. The same rules as in SQLite,
// under the same conformance suite.

import type { NewDelivery } from '../../src/storage/delivery-store.ts';
import { fromCursor, isAfter, toPage } from '../../src/storage/page-cursor.ts';
import type { Claim, Work, WorkKind } from '../../src/storage/works/work.ts';
import {
  asked,
  begun,
  cancelled,
  ended,
  fileBytesOf,
  interrupted,
  isUnfinished,
  mostUnfinishedOf,
  noted,
  putBack,
} from '../../src/storage/works/work-steps.ts';
import type { NewWork, WorkStore } from '../../src/storage/works/work-store.ts';
import type { MemoryDeliveryStore } from './memory-delivery-store.ts';

type Row = {
  work: Work;
  fence: number;
  leaseEndsMs: number;
  readonly request: NewWork['idempotency'];
};

/** Nobody else's object, and nothing in it that JSON would not bring back. */
const kept = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const positionOf = (work: Work) => ({ atMs: work.requestedAtMs, id: work.id });

export function createMemoryWorkStore(deliveries: Pick<MemoryDeliveryStore, 'put'>): WorkStore {
  /** In the order of their creation. */
  const rows = new Map<string, Row>();
  /** Ids of works that have no row, or none yet, whose files may go. */
  const disposable = new Set<string>();

  const owned = (owner: string, kind: WorkKind): Row[] =>
    [...rows.values()].filter(({ work }) => work.owner === owner && work.kind === kind);
  const find = (owner: string, kind: WorkKind, id: string): Row | undefined => {
    const row = rows.get(id);
    return row?.work.owner === owner && row.work.kind === kind ? row : undefined;
  };
  const held = ({ work, fence }: Claim): Row | undefined => {
    const row = rows.get(work.id);
    return row?.work.status === 'running' && row.fence === fence ? row : undefined;
  };
  /** Before the change that it tells: when it cannot be written, neither is the change. */
  const tell = (delivery: NewDelivery | undefined) => {
    if (delivery !== undefined) deliveries.put(delivery);
  };

  return {
    async create(work) {
      const mine = owned(work.owner, work.kind);
      const { idempotency } = work;
      const before =
        idempotency && mine.find(({ request }) => request !== undefined && request.key === idempotency.key);
      if (before !== undefined)
        return before.request?.digest === idempotency?.digest
          ? { kind: 'repeated', work: before.work }
          : { kind: 'conflict' };
      if (mine.filter((row) => isUnfinished(row.work)).length >= mostUnfinishedOf(work))
        return { kind: 'full' };
      if (rows.has(work.id)) throw new Error('there is a work of this id');
      const row: Row = {
        work: asked({ ...work, input: kept(work.input) }),
        fence: 0,
        leaseEndsMs: 0,
        request: idempotency,
      };
      tell(work.delivery);
      rows.set(work.id, row);
      disposable.delete(work.id);
      return { kind: 'created', work: row.work };
    },

    async findRequest(owner, kind, key) {
      const row = owned(owner, kind).find(({ request }) => request?.key === key);
      return row?.request === undefined ? undefined : { work: row.work, digest: row.request.digest };
    },

    find: async (owner, kind, id) => find(owner, kind, id)?.work,

    async list(owner, kind, { limit, cursor }) {
      const position = fromCursor(cursor);
      const after = owned(owner, kind)
        .map(({ work }) => work)
        .filter((work) => isAfter(positionOf(work), position))
        .sort((a, b) => (isAfter(positionOf(a), positionOf(b)) ? 1 : -1));
      const { rows: works, next } = toPage(after.slice(0, limit + 1), limit, positionOf);
      return { works, next };
    },

    async claim({ nowMs, leaseMs, mostAttempts, toDelivery }) {
      const running = new Map<string, number>();
      let free: Row[] = [];
      for (const row of rows.values()) {
        const { status, owner } = row.work;
        if (status === 'running' && row.leaseEndsMs > nowMs)
          running.set(owner, (running.get(owner) ?? 0) + 1);
        else if (isUnfinished(row.work)) free.push(row);
      }
      for (const row of free) {
        if (row.work.attempts < mostAttempts) continue;
        const failed = interrupted(row.work, nowMs);
        tell(toDelivery(failed));
        row.work = failed;
      }
      free = free.filter((row) => isUnfinished(row.work));
      // Sorting is stable: of equals, the one created first.
      const [next] = free.sort(
        ({ work: a }, { work: b }) =>
          (running.get(a.owner) ?? 0) - (running.get(b.owner) ?? 0) ||
          b.urgency - a.urgency ||
          a.requestedAtMs - b.requestedAtMs,
      );
      if (next === undefined) return undefined;
      next.work = begun(next.work);
      next.fence += 1;
      next.leaseEndsMs = nowMs + leaseMs;
      return { work: next.work, fence: next.fence };
    },

    async renew(claim, leaseEndsMs) {
      const row = held(claim);
      if (row === undefined) return false;
      row.leaseEndsMs = leaseEndsMs;
      return true;
    },

    async note(claim, progress, delivery) {
      const row = held(claim);
      if (row === undefined) return false;
      tell(delivery);
      row.work = noted(row.work, progress);
      return true;
    },

    async finish(claim, end, nowMs, delivery) {
      const row = held(claim);
      if (row === undefined) return false;
      tell(delivery);
      row.work = ended(row.work, kept(end), nowMs);
      return true;
    },

    async release(claim) {
      const row = held(claim);
      if (row !== undefined) row.work = putBack(row.work, row.work.attempts - 1);
    },

    async cancel(owner, kind, id, nowMs, toDelivery) {
      const row = find(owner, kind, id);
      if (row === undefined || !isUnfinished(row.work)) return row?.work;
      const work = cancelled(row.work, nowMs);
      tell(toDelivery(work));
      row.work = work;
      return work;
    },

    async remove(owner, kind, id) {
      const row = find(owner, kind, id);
      if (row === undefined) return undefined;
      disposable.add(id);
      rows.delete(id);
      return row.work;
    },

    async forget(finishedBeforeMs, limit) {
      const ids = [...rows.values()]
        .map(({ work }) => work)
        .filter(({ completedAtMs }) => completedAtMs !== undefined && completedAtMs < finishedBeforeMs)
        .sort((a, b) => a.completedAtMs! - b.completedAtMs!)
        .slice(0, limit)
        .map(({ id }) => id);
      for (const id of ids) {
        rows.delete(id);
        disposable.add(id);
      }
      return ids;
    },

    exists: async (id) => rows.has(id),

    async expect(id) {
      disposable.add(id);
    },

    disposable: async () => [...disposable].filter((id) => !rows.has(id)),

    async disposed(ids) {
      for (const id of ids) disposable.delete(id);
    },

    async backlog() {
      const waiting = [...rows.values()].map(({ work }) => work).filter(({ status }) => status === 'waiting');
      const times = waiting.map(({ requestedAtMs }) => requestedAtMs);
      return { waiting: waiting.length, oldestAtMs: times.length === 0 ? undefined : Math.min(...times) };
    },

    async usage(owner) {
      const works = [...rows.values()].map(({ work }) => work).filter((work) => work.owner === owner);
      return {
        bytes: works.reduce((sum, { output }) => sum + fileBytesOf(output), 0),
        unfinished: works.filter(isUnfinished).length,
      };
    },
  };
}
