// How long a request with `ahead` others in front of it will wait, and for what: for the quotas, by what the store predicted, or
// for a slot, by how long slots are held. What is the same for all waiters is computed once, and only if it is needed.

import { reserveOf } from '../../limits/quota-window.ts';
import type { QuotaOutlook } from '../quota/quota-outlook.ts';
import { leaveOf, leavesLessAtMs } from '../quota/quota-reserve.ts';
import type { QuotaState, QuotaStore } from '../quota/quota-store.ts';
import { hasRoom, perMsOf } from '../quota/quota-use.ts';
import type { QueuedNotice } from '../speech-upstream.ts';
import type { SpeechWork } from '../speech-work.ts';
import type { PoolMembers } from './pool-members.ts';
import type { SendGrants } from './send-grants.ts';

export type ForetoldWait = Pick<QueuedNotice, 'reason' | 'etaMs'> & {
  /** The certain part, without what is only likely: a slot may come free at any moment. */
  readonly leastMs: number;
};

/** The forecast of one moment, for any number of requests until something changes. */
export type WaitForecast = (nowMs: number) => (work: SpeechWork, ahead: number) => ForetoldWait;

export type WaitForecastOptions = {
  readonly members: PoolMembers;
  readonly store: QuotaStore;
  readonly outlook: QuotaOutlook;
  readonly grants: SendGrants;
};

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export function createWaitForecast({ members, store, outlook, grants }: WaitForecastOptions): WaitForecast {
  return (nowMs) => {
    const states = once((): readonly QuotaState[] => store.state());
    const perMs = once(() => perMsOf(states()));
    /** Until the first quota takes requests again after a 429. */
    const heldMs = once(() => Math.min(...states().map((state) => state.heldMs)));
    const slotWaitMs = once(() => members.slotWaits(nowMs, members.all));
    const resting = once(() => members.all.every((member) => member.coolDownMs(nowMs) > 0));
    /** A key that was not asked, being busy or cooling down, may be the first to have both slot and quota. */
    const elsewhereMs = once(() => {
      const closed = members.closed(nowMs);
      const others = closed.length === 0 ? [] : closed.filter(({ quota }) => hasRoom(states(), quota));
      return others.length === 0 ? undefined : members.slotWaits(nowMs, others);
    });

    const waitMs = (work: SpeechWork, atMs: number, ahead: number) =>
      outlook.waitMs(leaveOf(work, atMs), ahead, perMs, nowMs);
    /**
     * Whether some quota has room now for a request that must leave the part `leave` of the limit to others, by the last known
     * counts. The reserve is rounded up: even of a limit of 2 one send is kept.
     */
    const showsRoom = (leave: number) =>
      states().some(
        ({ rule, used, heldMs: held }) =>
          held === 0 && (rule.kind === 'unlimited' || used < rule.limit - reserveOf(rule.limit, leave)),
      );
    /** Until the quotas allow a send, also because it leaves less later; undefined: as far as known, one may go now. */
    const quotaWaitMs = (work: SpeechWork, ahead: number): number | undefined => {
      const nowWaitMs = waitMs(work, nowMs, ahead);
      const lessMs = leavesLessAtMs(work, nowMs);
      if (nowWaitMs === undefined || nowMs + nowWaitMs <= lessMs) return nowWaitMs;
      const lessWaitMs = waitMs(work, lessMs, ahead) ?? (showsRoom(leaveOf(work, lessMs)) ? 0 : nowWaitMs);
      return Math.min(nowWaitMs, Math.max(lessMs - nowMs, lessWaitMs));
    };

    return (work, ahead) => {
      const quotaMs = quotaWaitMs(work, ahead);
      if (quotaMs !== undefined) {
        const elsewhere = elsewhereMs();
        if (elsewhere === undefined) return { reason: 'quota', etaMs: quotaMs, leastMs: quotaMs };
        return { reason: 'quota', etaMs: Math.min(quotaMs, elsewhere(ahead)), leastMs: 0 };
      }
      const slotMs = slotWaitMs()(ahead);
      const freeMs = grants.hasSessionRoom(work.session) ? slotMs : Math.max(slotMs, members.holdMs());
      return {
        reason: resting() || heldMs() > 0 ? 'quota' : 'busy',
        etaMs: Math.max(freeMs, heldMs()),
        leastMs: heldMs(),
      };
    };
  };
}
