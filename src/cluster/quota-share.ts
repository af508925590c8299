// One quota store for the pools of several processes. Each uses it as if it were its own; a pool that gives something
// back wakes the others. Slots of a key, which a pool counts for itself, are counted here for all of them.

import type { QuotaAnswer, QuotaAsk, QuotaId, QuotaStore } from '../upstream/quota/quota-store.ts';

export type QuotaShare = {
  /** For one pool. Its `close` releases what it has under way, which is taken to have counted. */
  open(): QuotaStore;
};

export type QuotaShareOptions = {
  readonly store: QuotaStore;
  /** Requests of all processes together that may be under way on a quota. */
  readonly placesOf: (quota: QuotaId) => number;
};

/** A slot can become free at any moment, which is then reported; this is for a report that was lost. */
const PLACE_WAIT_MS = 250;

export function createQuotaShare({ store, placesOf }: QuotaShareOptions): QuotaShare {
  const listeners = new Map<object, () => void>();
  const underWay = new Map<QuotaId, number>();

  const wake = (but?: object) => {
    for (const [pool, listener] of listeners) if (pool !== but) listener();
  };
  store.onChange(() => wake());

  const placesLeft = (quota: QuotaId): number => {
    const told = store.state().find((state) => state.quota === quota)?.concurrent;
    return Math.min(placesOf(quota), told ?? Number.POSITIVE_INFINITY) - (underWay.get(quota) ?? 0);
  };
  const noPlace: QuotaAnswer = { granted: false, waitsMs: [PLACE_WAIT_MS] };

  return {
    open() {
      const pool = {};
      /** What this pool has under way, and whether its fate is known. */
      const held = new Map<string, { readonly quota: QuotaId; fate: 'open' | 'told' }>();

      const letGo = (reservation: string) => {
        const send = held.get(reservation);
        if (send === undefined) return;
        held.delete(reservation);
        const wasFull = placesLeft(send.quota) <= 0;
        underWay.set(send.quota, (underWay.get(send.quota) ?? 1) - 1);
        if (wasFull) wake(pool);
      };
      const take = (answer: QuotaAnswer, reservation: string): QuotaAnswer => {
        if (!answer.granted || held.has(reservation)) return answer;
        const { quota } = answer;
        // Others may have been granted what was free when this was asked.
        if (placesLeft(quota) <= 0) {
          store.report(quota, reservation, { kind: 'unsent' });
          return noPlace;
        }
        held.set(reservation, { quota, fate: 'open' });
        underWay.set(quota, (underWay.get(quota) ?? 0) + 1);
        return answer;
      };

      return {
        ask(ask: QuotaAsk) {
          const among = ask.among.filter((quota) => placesLeft(quota) > 0);
          if (among.length === 0) return noPlace;
          const answer = store.ask({ ...ask, among });
          return 'then' in answer
            ? answer.then((given) => take(given, ask.reservation))
            : take(answer, ask.reservation);
        },
        report(quota, reservation, report) {
          const send = held.get(reservation);
          if (send !== undefined) send.fate = 'told';
          store.report(quota, reservation, report);
          if (report.kind === 'unsent') letGo(reservation);
          // The pool that reports it knows; the others must be told.
          if (report.kind === 'unsent' || report.kind === 'refused') wake(pool);
        },
        released: (_quota, reservation) => letGo(reservation),
        state: () => store.state(),
        onChange: (listener) => void listeners.set(pool, listener),
        close() {
          listeners.delete(pool);
          for (const [reservation, { quota, fate }] of [...held]) {
            if (fate === 'open') store.report(quota, reservation, { kind: 'failed' });
            letGo(reservation);
          }
          return Promise.resolve();
        },
      };
    },
  };
}
