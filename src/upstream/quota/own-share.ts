// The sends of one quota as one instance knows them, and what it may send when the store cannot be asked: by its lease, for which
// the store keeps room (lease-script.ts explains why leases do not conflict). Let n be the number of instances, a + (counted − P) ÷ n
// what the lease allows, P the sends of the last common picture that still count, and G the own sends that are not in it. An own
// send counts n-fold, because G < a + (counted − P) ÷ n is n·G + P < n·a + counted − n + 1, which quota-window.ts can answer.

import type { QuotaRule } from '../../limits/quota-window.ts';
import { freeAtMs, type SendTimes, usedBy } from '../../limits/quota-window.ts';
import { SILENT_MS } from './lease-script.ts';
import type { Lease, SeenQuota, ToldSend } from './quota-server.ts';

/** What an instance may use alone: its share, or all of a limit that nobody has shown to be one. */
export type LimitPart = 'its share' | 'all';

export type OwnShare = {
  has(reservation: string): boolean;
  /** When an own send was made, by the store's time if it is known. */
  timeOf(reservation: string): number | undefined;
  add(reservation: string, atMs: number): void;
  remove(reservation: string): void;
  /** All sends that are known, of all instances. */
  known(): readonly ToldSend[];
  lease(): Lease;
  /** Takes over the common picture, whole or the changes of it, and the lease that came with it. */
  see(seen: Pick<SeenQuota, 'sends' | 'gone'>, extent: 'whole' | 'more', lease: Lease): void;
  used(rule: QuotaRule, nowMs: number): number;
  all(): SendTimes;
  /** When own sends may go, ascending, without end; empty when it has no share at all. */
  free(rule: QuotaRule, nowMs: number, leave: number, part: LimitPart): Generator<number, void>;
  /** What is left of that; not a whole number. */
  room(rule: QuotaRule, nowMs: number, part: LimitPart): number;
  forget(beforeMs: number): void;
  shift(byMs: number): void;
};

/** Sends of a quota without a limit are kept as long as a window lasts. */
export const UNLIMITED_REACH_MS = 60_000;

/** How far back sends can count. */
export const reachOf = (rule: QuotaRule): number => {
  if (rule.kind === 'unlimited') return UNLIMITED_REACH_MS;
  return rule.kind === 'sliding' ? rule.spanMs : rule.periodMs + 2 * rule.guardMs;
};

const ascending = (a: number, b: number) => a - b;
const timesOf = (sorted: readonly number[]): SendTimes => ({
  count: () => sorted.length,
  newest: (k) => sorted[sorted.length - 1 - k]!,
});

type Limited = Exclude<QuotaRule, { readonly kind: 'unlimited' }>;
/** A rule in weights, and from when on it applies; a limit below 1 allows nothing. */
type Allowance = { readonly rule: Limited; readonly fromMs: number };

/** What the lease gives, and what the store keeps free a window after it has found this instance silent. */
function allowancesOf(rule: Limited, { atMs, extra, counted, among }: Lease): readonly Allowance[] {
  if (among === 0) return [];
  const leased = Math.min(rule.limit, among * extra + counted) - among + 1;
  return [
    { rule: { ...rule, limit: leased }, fromMs: atMs },
    { rule: { ...rule, limit: rule.limit - among + 1 }, fromMs: atMs + SILENT_MS + reachOf(rule) },
  ].filter((allowance) => allowance.rule.limit >= 1);
}

/** A limit is divided among `maxInstances` as long as nothing was heard of the others. */
export function createOwnShare(maxInstances: number): OwnShare {
  const own = new Map<string, number>();
  /** Own sends that are not in the picture. */
  const fresh = new Map<string, number>();
  const picture = new Map<string, number>();
  /** The times in the picture, ascending. */
  let pictured: number[] = [];
  let lease: Lease = { atMs: Number.NEGATIVE_INFINITY, extra: 0, counted: 0, among: maxInstances };

  /** Of `all` it has a lease that it shares with nobody. */
  const leaseOf = ({ limit }: Limited, part: LimitPart): Lease =>
    part === 'all' ? { atMs: Number.NEGATIVE_INFINITY, extra: limit, counted: 0, among: 1 } : lease;
  const sortPicture = () => {
    pictured = [...picture.values()].sort(ascending);
  };
  /** All sends; fresh ones count `weight` times. */
  const weighed = (weight: number): number[] => {
    const heavy = [...fresh.values()].flatMap((atMs) => new Array<number>(weight).fill(atMs));
    return [...pictured, ...heavy].sort(ascending);
  };

  return {
    has: (reservation) => own.has(reservation),
    timeOf: (reservation) =>
      own.has(reservation) ? (picture.get(reservation) ?? own.get(reservation)) : undefined,
    add(reservation, atMs) {
      if (own.has(reservation)) return;
      own.set(reservation, atMs);
      if (!picture.has(reservation)) fresh.set(reservation, atMs);
    },
    remove(reservation) {
      own.delete(reservation);
      fresh.delete(reservation);
      if (picture.delete(reservation)) sortPicture();
    },
    known: () => [...picture, ...fresh],
    lease: () => lease,
    see({ sends, gone }, extent, next) {
      if (extent === 'whole') {
        picture.clear();
        for (const [reservation, atMs] of own) fresh.set(reservation, atMs);
      }
      for (const [reservation, atMs] of sends) {
        picture.set(reservation, atMs);
        fresh.delete(reservation);
      }
      for (const reservation of gone) if (!own.has(reservation)) picture.delete(reservation);
      sortPicture();
      lease = next;
    },
    used: (rule, nowMs) =>
      usedBy(rule, timesOf(pictured), nowMs) +
      usedBy(rule, timesOf([...fresh.values()].sort(ascending)), nowMs),
    all: () => timesOf(weighed(1)),
    *free(rule, nowMs, leave, part) {
      if (rule.kind === 'unlimited') for (;;) yield nowMs;
      const held = leaseOf(rule, part);
      const allowances = allowancesOf(rule, held);
      const planned = weighed(held.among);
      for (let atMs = nowMs; allowances.length > 0; ) {
        const times = timesOf(planned);
        const free = allowances.map((it) => freeAtMs(it.rule, times, Math.max(atMs, it.fromMs), leave));
        atMs = Math.min(...free);
        yield atMs;
        for (let n = 0; n < held.among; n++) planned.push(atMs);
      }
    },
    room(rule, nowMs, part) {
      if (rule.kind === 'unlimited') return Number.POSITIVE_INFINITY;
      const held = leaseOf(rule, part);
      const used = usedBy(rule, timesOf(weighed(held.among)), nowMs);
      const limits = allowancesOf(rule, held).map((it) => (it.fromMs <= nowMs ? it.rule.limit : 0));
      return (Math.max(0, ...limits) - used) / Math.max(1, held.among);
    },
    forget(beforeMs) {
      for (const sends of [own, fresh, picture])
        for (const [reservation, atMs] of sends) if (atMs < beforeMs) sends.delete(reservation);
      sortPicture();
    },
    shift(byMs) {
      for (const sends of [own, fresh, picture])
        for (const [reservation, atMs] of sends) sends.set(reservation, atMs + byMs);
      sortPicture();
    },
  };
}
