// The quota store of a process that plays: the primary counts. An answer that does not come in time is no grant, and a
// grant that comes too late is given back, so that the service never sees a request that was not counted.

import type { Clock } from '../base/clock.ts';
import type { QuotaState, QuotaStore } from '../upstream/quota/quota-store.ts';
import type { PrimaryAsks, PrimaryNews, ToldQuota } from './messages.ts';
import type { Peer } from './peer.ts';

export type IpcQuotaStore = QuotaStore & {
  /** The primary says that something may have become free. */
  readonly changed: (states: readonly QuotaState[]) => void;
};

export type IpcQuotaStoreOptions = {
  readonly primary: Peer<PrimaryAsks, PrimaryNews>;
  readonly clock: Clock;
  readonly states: readonly QuotaState[];
};

/** As the port promises. */
const ANSWER_MS = 100;
/** The primary is busy: it is asked again after this. */
const UNANSWERED_WAIT_MS = 100;
/** Reading states that are older than this fetches new ones for the next time. */
const FRESH_MS = 1000;

export function createIpcQuotaStore({ primary, clock, states }: IpcQuotaStoreOptions): IpcQuotaStore {
  let known = states;
  let knownAtMs = clock.now();
  let fetching: 'idle' | 'fetching' = 'idle';
  let listener: () => void = () => {};

  const learn = (told: readonly QuotaState[]) => {
    known = told;
    knownAtMs = clock.now();
  };
  const fetchSoon = () => {
    if (fetching === 'fetching' || clock.now() - knownAtMs < FRESH_MS) return;
    fetching = 'fetching';
    primary
      .ask('quotaStates', null, { deadlineMs: FRESH_MS })
      .then(learn, () => {})
      .finally(() => {
        fetching = 'idle';
      });
  };

  return {
    async ask(ask) {
      const giveBack = ({ answer }: ToldQuota) => {
        if (!answer.granted) return;
        const { quota } = answer;
        primary.tell('quotaReport', { quota, reservation: ask.reservation, report: { kind: 'unsent' } });
      };
      try {
        const told = await primary.ask('askQuota', ask, { deadlineMs: ANSWER_MS, onLate: giveBack });
        learn(told.states);
        return told.answer;
      } catch {
        return { granted: false, waitsMs: [UNANSWERED_WAIT_MS] };
      }
    },
    report: (quota, reservation, report) => primary.tell('quotaReport', { quota, reservation, report }),
    released: (quota, reservation) => primary.tell('quotaReleased', { quota, reservation }),
    state() {
      fetchSoon();
      const agedMs = clock.now() - knownAtMs;
      return known.map((state) => ({ ...state, heldMs: Math.max(0, state.heldMs - agedMs) }));
    },
    onChange(next) {
      listener = next;
    },
    changed(told) {
      learn(told);
      listener();
    },
    close() {
      listener = () => {};
      return Promise.resolve();
    },
  };
}
