// All members of the pool together: on which quotas a request could go now, which member takes it, and how soon a
// place comes free when none is.

import type { QuotaId, QuotaState } from '../quota/quota-store.ts';
import type { Credentials } from '../speech-transport.ts';
import { createPoolMember, type Place, type PoolMember } from './pool-member.ts';

export type MemberWish = {
  readonly prefer: string | undefined;
  readonly tried: ReadonlySet<PoolMember>;
  /** `untried`: rather none than one of `tried`. */
  readonly accepts: 'any' | 'untried';
};

export type PoolMembers = {
  readonly all: readonly PoolMember[];
  /** Quotas, each once, with a member that has a place. */
  usable(nowMs: number): readonly QuotaId[];
  /** The same, of members not among `tried`. */
  untried(nowMs: number, tried: ReadonlySet<PoolMember>): readonly QuotaId[];
  /** Members not among `tried` that do not rest, busy or not. */
  hopes(nowMs: number, tried: ReadonlySet<PoolMember>): number;
  /** Members without a place now: all are taken, or they rest. */
  closed(nowMs: number): readonly PoolMember[];
  /** A place on a member of that quota: the preferred, else one not tried, else any; of equals the least busy. */
  take(quota: QuotaId, wish: MemberWish, nowMs: number): Place | undefined;
  /**
   * Until the request behind `ahead` others gets a place on one of `among`, ms, by how long places are held; 0 when
   * one is free.
   */
  placeWaits(nowMs: number, among: readonly PoolMember[]): (ahead: number) => number;
  /** How long a place is held, in the moving mean. */
  holdMs(): number;
  /** Until the first of those that rest may be tried; Infinity when none rests. */
  restMs(nowMs: number): number;
  /** Takes over what the service has said, here or to another instance. */
  heed(quotas: readonly QuotaState[]): void;
  /** A place was held this long: the prediction learns from it. */
  learnHold(heldMs: number): void;
};

/** How long a stream is taken to hold its place before any has ended. */
const FIRST_HOLD_MS = 2_000;
/** Weight of the newest hold in the moving average. */
const HOLD_WEIGHT = 0.1;

export function createPoolMembers(keys: readonly Credentials[], maxInFlightPerKey: number): PoolMembers {
  if (keys.length === 0) throw new RangeError('a pool needs at least one key');
  const all = keys.map((key) => createPoolMember(key, maxInFlightPerKey));
  let holdMs = FIRST_HOLD_MS;

  const withPlace = (nowMs: number) => all.filter((member) => member.places(nowMs) > 0);
  const quotasOf = (members: readonly PoolMember[]) => [...new Set(members.map(({ quota }) => quota))];
  /** Least to do first: the store takes the first of equals, and a place goes to the least busy member. */
  const byLoad = (a: PoolMember, b: PoolMember) => a.inFlight() - b.inFlight();

  return {
    all,
    usable: (nowMs) => quotasOf(withPlace(nowMs).sort(byLoad)),
    untried: (nowMs, tried) =>
      quotasOf(
        withPlace(nowMs)
          .filter((member) => !tried.has(member))
          .sort(byLoad),
      ),
    closed: (nowMs) => all.filter((member) => member.places(nowMs) === 0),
    hopes: (nowMs, tried) => all.filter((member) => !tried.has(member) && member.restMs(nowMs) === 0).length,
    take(quota, { prefer, tried, accepts }, nowMs) {
      const found = withPlace(nowMs).filter((member) => member.quota === quota);
      found.sort(byLoad);
      const untried = found.filter((member) => !tried.has(member));
      const preferred = untried.find(({ fingerprint }) => fingerprint === prefer);
      return (preferred ?? untried[0] ?? (accepts === 'any' ? found[0] : undefined))?.take(nowMs);
    },
    placeWaits(nowMs, among) {
      const ready = among.filter((member) => member.restMs(nowMs) === 0);
      const counted = ready.length > 0 ? ready : among;
      const free = counted.reduce((sum, member) => sum + member.places(nowMs), 0);
      const places = counted.reduce((sum, member) => sum + member.cap(nowMs), 0);
      const restMs = Math.min(...among.map((member) => member.restMs(nowMs)));
      return (ahead) => Math.max(restMs, (Math.max(0, ahead - free + 1) * holdMs) / places);
    },
    restMs(nowMs) {
      let soonestMs = Number.POSITIVE_INFINITY;
      for (const member of all) {
        const restMs = member.restMs(nowMs);
        if (restMs > 0) soonestMs = Math.min(soonestMs, restMs);
      }
      return soonestMs;
    },
    holdMs: () => holdMs,
    heed(quotas) {
      for (const { quota, concurrent } of quotas) {
        if (concurrent === undefined) continue;
        for (const member of all) if (member.quota === quota) member.told(concurrent);
      }
    },
    learnHold(heldMs) {
      holdMs += (heldMs - holdMs) * HOLD_WEIGHT;
    },
  };
}
