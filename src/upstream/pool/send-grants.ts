// From a request to a send: which quotas the store is asked for, what a grant becomes, and what is given back when it is over.
// Outside this file a grant and a slot are one thing, so that none is ever held without the other.

import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { QuotaOutlook } from '../quota/quota-outlook.ts';
import type { QuotaAnswer, QuotaId, QuotaReport, QuotaStore } from '../quota/quota-store.ts';
import type { SpeechWork } from '../speech-work.ts';
import type { PoolMember, Slot } from './pool-member.ts';
import type { PoolMembers } from './pool-members.ts';

/** A granted send and its slot. Ends by `report` and `release`. */
export type Send = Omit<Slot, 'release'> & {
  /** Its result; the first report counts. */
  report(report: QuotaReport): void;
  /** The slot is free again: at once, or when the service has noticed that the request was aborted. */
  release(end: 'over' | 'aborted'): void;
};

export type Wish = {
  readonly session: SpeechWork['session'];
  /** Fingerprint of the member that suits best. */
  readonly prefer: string | undefined;
  /** Members that the request has already tried. */
  readonly tried: ReadonlySet<PoolMember>;
  /** `untried`: it waits for another member, even if tried ones are free. */
  readonly accepts: 'any' | 'untried';
};

export type SendGrants = {
  /** The listener's session has fewer requests under way than allowed. */
  hasSessionRoom(session: SpeechWork['session']): boolean;
  /** The best quotas of those with a free slot now; undefined when all are equal. */
  choiceOf(wish: Wish, nowMs: number): readonly QuotaId[] | undefined;
  /** `leave`: the part of a quota that must be left to others, 0…1; `characters`: of the text that is to be sent. */
  ask(among: readonly QuotaId[], leave: number, characters: number): Question;
  /** A grant for one text is one for the other as well. */
  isAlike(characters: number, others: number): boolean;
  /** Makes a send of a grant; gives it back and returns undefined when there is no wish or no free slot. */
  accept(quota: QuotaId, question: Question, wish: Wish | undefined): Send | undefined;
};

export type Question = {
  readonly reservation: string;
  readonly answer: QuotaAnswer | Promise<QuotaAnswer>;
};

export type SendGrantsOptions = {
  readonly members: PoolMembers;
  readonly store: QuotaStore;
  readonly outlook: QuotaOutlook;
  readonly clock: Clock;
  readonly random: Random;
  /** A slot may have become free. */
  readonly onFreed: () => void;
  /** The service refused a request because of its quota: all waits may become longer. */
  readonly onRefused: () => void;
};

/** Requests of one session under way: one that plays and one that is made ahead of it. */
const MAX_PER_SESSION = 2;
/** A service that counts requests at once still counts an aborted one for about this long. */
const ABORTED_HOLD_MS = 100;
/** Free moments to ask for: beyond this many waiters the prediction uses their pace. */
const FORECAST = 64;

export function createSendGrants(options: SendGrantsOptions): SendGrants {
  const { members, store, outlook, clock, random, onFreed, onRefused } = options;
  const inSession = new Map<string, number>();
  const poolId = random.id(9);
  /** Only where a key is limited in characters does a grant belong to a text. */
  const countsCharacters = store.state().some(({ characters }) => characters !== undefined);
  let asked = 0;

  const countSession = (session: SpeechWork['session'], change: 1 | -1) => {
    if (session === undefined) return;
    const count = (inSession.get(session) ?? 0) + change;
    if (count === 0) inSession.delete(session);
    else inSession.set(session, count);
  };

  const toSend = (slot: Slot, reservation: string, session: SpeechWork['session']): Send => {
    const { member } = slot;
    const takenAtMs = clock.now();
    let told: QuotaReport['kind'] | undefined;
    countSession(session, 1);
    return {
      ...slot,
      report(report) {
        if (told !== undefined) return;
        told = report.kind;
        // Both change when sends come free; a store need not notify the pool that reported it.
        if (told === 'unsent' || told === 'refused') outlook.forget();
        if (told === 'refused') onRefused();
        store.report(member.quota, reservation, report);
      },
      // The end of a trial frees the member, like the end of a stream.
      answered(advice) {
        slot.answered(advice);
        onFreed();
      },
      release(end) {
        if (told !== 'unsent') members.learnHold(clock.now() - takenAtMs);
        countSession(session, -1);
        const free = () => {
          slot.release();
          if (told !== 'unsent') store.released?.(member.quota, reservation);
          onFreed();
        };
        if (end === 'over' || told === 'unsent' || !member.countsAtOnce()) free();
        else clock.after(ABORTED_HOLD_MS, free);
      },
    };
  };

  return {
    hasSessionRoom: (session) => session === undefined || (inSession.get(session) ?? 0) < MAX_PER_SESSION,
    choiceOf({ prefer, tried, accepts }, nowMs) {
      if (accepts === 'untried') return members.untried(nowMs, tried);
      if (prefer === undefined && tried.size === 0) return undefined;
      const preferred = members.all.find(({ fingerprint }) => fingerprint === prefer);
      if (preferred !== undefined && !tried.has(preferred) && preferred.freeSlots(nowMs) > 0)
        return [preferred.quota];
      const others = members.untried(nowMs, tried);
      return others.length > 0 ? others : undefined;
    },
    ask(among, leave, characters) {
      const reservation = `${poolId}.${asked++}`;
      return {
        reservation,
        answer: store.ask({ reservation, among, leave, characters, forecast: FORECAST, asker: poolId }),
      };
    },
    isAlike: (characters, others) => !countsCharacters || characters === others,
    accept(quota, { reservation }, wish) {
      const slot = wish && members.take(quota, wish, clock.now());
      if (slot !== undefined) return toSend(slot, reservation, wish?.session);
      store.report(quota, reservation, { kind: 'unsent' });
      return undefined;
    },
  };
}
