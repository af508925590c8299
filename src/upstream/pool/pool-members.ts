// All members of the pool together: on which quotas a request could go now, which member takes it, and how soon a slot comes
// free when none is.

import type { QuotaId, QuotaState } from '../quota/quota-store.ts';
import type { Credentials } from '../speech-transport.ts';
import { createPoolMember, type PoolMember, type Slot } from './pool-member.ts';

export type MemberWish = {
  readonly prefer: string | undefined;
  readonly tried: ReadonlySet<PoolMember>;
  /** `untried`: never one of `tried`. */
  readonly accepts: 'any' | 'untried';
};

export type PoolMembers = {
  readonly all: readonly PoolMember[];
  /** Quotas, each once, with a member that has a free slot. */
  usable(nowMs: number): readonly QuotaId[];
  /** The same, of members not among `tried`. */
  untried(nowMs: number, tried: ReadonlySet<PoolMember>): readonly QuotaId[];
  /** Members not among `tried` and not cooling down, busy or not. */
  hopes(nowMs: number, tried: ReadonlySet<PoolMember>): number;
  /** Members without a free slot now: busy or cooling down. */
  closed(nowMs: number): readonly PoolMember[];
  /** A slot on a member of that quota: the preferred, else one not tried, else any; of equals the least busy. */
  take(quota: QuotaId, wish: MemberWish, nowMs: number): Slot | undefined;
  /**
   * Until the request behind `ahead` others gets a slot on one of `among`, ms, by how long slots are held; 0 when one is free.
   */
  slotWaits(nowMs: number, among: readonly PoolMember[]): (ahead: number) => number;
  /** How long a slot is held, moving mean. */
  holdMs(): number;
  /** Until the first cool-down ends; Infinity when no member cools down. */
  coolDownMs(nowMs: number): number;
  /** Takes over concurrency limits that the service has told this or another instance. */
  heed(quotas: readonly QuotaState[]): void;
  /** A slot was held this long: the prediction learns from it. */
  learnHold(heldMs: number): void;
};

/** Assumed time that a stream holds its slot, before any has ended. */
const FIRST_HOLD_MS = 2_000;
/** Weight of the newest hold in the moving average. */
const HOLD_WEIGHT = 0.1;

export type PoolKey = Credentials & {
  /** The most of its requests that may be under way, where that is set for it. */
  readonly atOnce?: number | undefined;
  /** By which its requests are counted; default: that of the API key. */
  readonly quota?: QuotaId | undefined;
  /** The service that it is of, where there are several. */
  readonly service?: string | undefined;
};

export function createPoolMembers(keys: readonly PoolKey[], maxInFlightPerKey: number): PoolMembers {
  if (keys.length === 0) throw new RangeError('a pool needs at least one key');
  const all = keys.map((key) => createPoolMember(key, key.atOnce ?? maxInFlightPerKey, key));
  let holdMs = FIRST_HOLD_MS;

  const withSlot = (nowMs: number) => all.filter((member) => member.freeSlots(nowMs) > 0);
  const quotasOf = (members: readonly PoolMember[]) => [...new Set(members.map(({ quota }) => quota))];
  /** Least busy first: the store takes the first of equals, and a slot goes to the least busy member. */
  const byLoad = (a: PoolMember, b: PoolMember) => a.inFlight() - b.inFlight();

  return {
    all,
    usable: (nowMs) => quotasOf(withSlot(nowMs).sort(byLoad)),
    untried: (nowMs, tried) =>
      quotasOf(
        withSlot(nowMs)
          .filter((member) => !tried.has(member))
          .sort(byLoad),
      ),
    closed: (nowMs) => all.filter((member) => member.freeSlots(nowMs) === 0),
    hopes: (nowMs, tried) =>
      all.filter((member) => !tried.has(member) && member.coolDownMs(nowMs) === 0).length,
    take(quota, { prefer, tried, accepts }, nowMs) {
      const found = withSlot(nowMs).filter((member) => member.quota === quota);
      found.sort(byLoad);
      const untried = found.filter((member) => !tried.has(member));
      const preferred = untried.find(({ fingerprint }) => fingerprint === prefer);
      return (preferred ?? untried[0] ?? (accepts === 'any' ? found[0] : undefined))?.take(nowMs);
    },
    slotWaits(nowMs, among) {
      const ready = among.filter((member) => member.coolDownMs(nowMs) === 0);
      const counted = ready.length > 0 ? ready : among;
      const free = counted.reduce((sum, member) => sum + member.freeSlots(nowMs), 0);
      const slots = counted.reduce((sum, member) => sum + member.cap(nowMs), 0);
      const coolDownMs = Math.min(...among.map((member) => member.coolDownMs(nowMs)));
      return (ahead) => Math.max(coolDownMs, (Math.max(0, ahead - free + 1) * holdMs) / slots);
    },
    coolDownMs(nowMs) {
      let soonestMs = Number.POSITIVE_INFINITY;
      for (const member of all) {
        const coolDownMs = member.coolDownMs(nowMs);
        if (coolDownMs > 0) soonestMs = Math.min(soonestMs, coolDownMs);
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
