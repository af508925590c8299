// One quota store for the pools of several processes and services. Each uses it as if it were its own; a pool that gives something
// back wakes the others. Places of a quota (its requests at once) are counted here for all of them, and pools that wait for one
// take turns: whoever has waited longest gets the next.

import type { Clock } from '../base/clock.ts';
import type { QuotaAnswer, QuotaAsk, QuotaId, QuotaStore } from '../upstream/quota/quota-store.ts';

export type QuotaShare = {
  /** For one process. Its `close` releases what it has under way, which is taken to have counted. */
  open(): QuotaStore;
};

export type QuotaShareOptions = {
  readonly store: QuotaStore;
  /** Requests of all processes together that may be under way on a quota. */
  readonly placesOf: (quota: QuotaId) => number;
  readonly clock: Pick<Clock, 'now'>;
};

/** A place can become free at any moment, which is then reported; this is for a report that was lost. */
const PLACE_WAIT_MS = 250;
/** A pool that waits asks again in this time; its turn is over when it does not. */
const TURN_MS = 2 * PLACE_WAIT_MS;
/** The same once it has been woken. */
const WOKEN_TURN_MS = 100;

type Waiting = { readonly process: object; untilMs: number };

export function createQuotaShare({ store, placesOf, clock }: QuotaShareOptions): QuotaShare {
  const listeners = new Map<object, () => void>();
  const underWay = new Map<QuotaId, number>();
  /** Pools that were refused a place, by their names, the longest wait first. */
  const waiting = new Map<QuotaId, Map<string, Waiting>>();

  let opened = 0;

  const wakeAll = (but?: object) => {
    for (const [process, listener] of listeners) if (process !== but) listener();
  };
  store.onChange(() => wakeAll());

  const placesLeft = (quota: QuotaId): number => {
    const told = store.state().find((state) => state.quota === quota)?.concurrent;
    return Math.min(placesOf(quota), told ?? Number.POSITIVE_INFINITY) - (underWay.get(quota) ?? 0);
  };
  /** Those that wait before `asker`, or all of them; none where the store says whose turn it is: two lines would wait for each other. */
  const before = (quota: QuotaId, asker: string): readonly Waiting[] => {
    if (store.keepsLine?.(quota) === true) return [];
    const nowMs = clock.now();
    const found: Waiting[] = [];
    for (const [name, turn] of waiting.get(quota) ?? []) {
      if (name === asker) break;
      if (turn.untilMs > nowMs) found.push(turn);
      else waiting.get(quota)?.delete(name);
    }
    return found;
  };
  const hasPlace = (quota: QuotaId, asker: string): boolean =>
    placesLeft(quota) > before(quota, asker).length;
  const noPlace = (among: readonly QuotaId[], asker: string, process: object): QuotaAnswer => {
    const nowMs = clock.now();
    let waitMs = PLACE_WAIT_MS;
    for (const quota of among) {
      const turns = waiting.get(quota) ?? new Map<string, Waiting>();
      waiting.set(quota, turns);
      const own = turns.get(asker);
      if (own === undefined) turns.set(asker, { process, untilMs: nowMs + TURN_MS });
      else own.untilMs = nowMs + TURN_MS;
      // One that does not take its turn must not keep the place.
      if (placesLeft(quota) > 0)
        for (const { untilMs } of before(quota, asker)) waitMs = Math.min(waitMs, untilMs - nowMs);
    }
    return { granted: false, waitsMs: [waitMs] };
  };
  /** In the order of their turns. */
  const wakeWaiting = (quota: QuotaId) => {
    const turns = waiting.get(quota);
    if (turns === undefined || turns.size === 0) return;
    const woken = new Set<object>();
    for (const turn of turns.values()) {
      turn.untilMs = Math.min(turn.untilMs, clock.now() + WOKEN_TURN_MS);
      woken.add(turn.process);
    }
    for (const process of woken) listeners.get(process)?.();
  };

  return {
    open() {
      const process = {};
      const name = `process ${++opened}`;
      let state: 'open' | 'closed' = 'open';
      /** What this process has under way, and whether its fate is known. */
      const held = new Map<string, { readonly quota: QuotaId; fate: 'open' | 'told' }>();

      const letGo = (reservation: string) => {
        const send = held.get(reservation);
        if (send === undefined) return;
        held.delete(reservation);
        underWay.set(send.quota, (underWay.get(send.quota) ?? 1) - 1);
        wakeWaiting(send.quota);
      };
      const take = (answer: QuotaAnswer, { reservation }: QuotaAsk, asker: string): QuotaAnswer => {
        if (!answer.granted || held.has(reservation)) return answer;
        const { quota } = answer;
        // Others may have been granted what was free when this was asked, or the process has died meanwhile.
        if (state === 'closed' || !hasPlace(quota, asker)) {
          store.report(quota, reservation, { kind: 'unsent' });
          return state === 'closed'
            ? { granted: false, waitsMs: [PLACE_WAIT_MS] }
            : noPlace([quota], asker, process);
        }
        for (const turns of waiting.values()) turns.delete(asker);
        held.set(reservation, { quota, fate: 'open' });
        underWay.set(quota, (underWay.get(quota) ?? 0) + 1);
        return answer;
      };
      return {
        ask(ask: QuotaAsk) {
          const asker = ask.asker ?? name;
          const among = ask.among.filter((quota) => held.has(ask.reservation) || hasPlace(quota, asker));
          if (among.length === 0) return noPlace(ask.among, asker, process);
          const answer = store.ask({ ...ask, among });
          return 'then' in answer
            ? answer.then((given) => take(given, ask, asker))
            : take(answer, ask, asker);
        },
        report(quota, reservation, report) {
          const send = held.get(reservation);
          if (send !== undefined) send.fate = 'told';
          store.report(quota, reservation, report);
          if (report.kind === 'unsent') letGo(reservation);
          // The process that reports it knows; the others must be told.
          if (report.kind === 'unsent' || report.kind === 'refused') wakeAll(process);
        },
        released(quota, reservation) {
          store.released?.(quota, reservation);
          letGo(reservation);
        },
        state: () => store.state(),
        onChange: (listener) => void listeners.set(process, listener),
        close() {
          state = 'closed';
          listeners.delete(process);
          for (const turns of waiting.values())
            for (const [asker, turn] of turns) if (turn.process === process) turns.delete(asker);
          for (const [reservation, { quota, fate }] of [...held]) {
            if (fate === 'open') store.report(quota, reservation, { kind: 'failed' });
            store.released?.(quota, reservation);
            letGo(reservation);
          }
          return Promise.resolve();
        },
      };
    },
  };
}
