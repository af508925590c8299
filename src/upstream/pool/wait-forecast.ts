// How long a request will wait that has so many before it, and for what: the quotas, by what the store foretold, or
// a place, by how long places are held. What is the same for all who wait is looked up once, and only if it matters.

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
  /** What was told, without what is only likely: a place may come free at any moment. */
  readonly leastMs: number;
};

/** What is foreseen at one moment, for as many requests as are asked about before anything changes. */
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
    /** Until the first quota takes requests again after a 429; those without a place are not asked about it. */
    const heldMs = once(() => Math.min(...states().map((state) => state.heldMs)));
    const placeWaitMs = once(() => members.placeWaits(nowMs, members.all));
    const resting = once(() => members.all.every((member) => member.restMs(nowMs) > 0));
    /** A key that was not asked, because its places are taken or it rests, may be the first to have both. */
    const elsewhereMs = once(() => {
      const closed = members.closed(nowMs);
      const others = closed.length === 0 ? [] : closed.filter(({ quota }) => hasRoom(states(), quota));
      return others.length === 0 ? undefined : members.placeWaits(nowMs, others);
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
    /** Until the quotas allow a send, also by leaving less later on; undefined when nothing is known against one now. */
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
      const placeMs = placeWaitMs()(ahead);
      const freeMs = grants.hasSessionRoom(work.session) ? placeMs : Math.max(placeMs, members.holdMs());
      return {
        reason: resting() || heldMs() > 0 ? 'quota' : 'busy',
        etaMs: Math.max(freeMs, heldMs()),
        leastMs: heldMs(),
      };
    };
  };
}
