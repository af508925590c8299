// Caches when quotas come free again, from the last refusals of the store, separately for each part that a request must leave to
// others. The cache is cleared as soon as something else than time may have freed a send.

import type { QuotaAsk, QuotaId } from './quota-store.ts';

export type QuotaOutlook = {
  /** The store refused `ask`: sends come free in `waitsMs` from now, ascending. */
  refused(ask: Pick<QuotaAsk, 'among' | 'leave'>, waitsMs: readonly number[], nowMs: number): void;
  /** Drops refusals that did not include all `usable` quotas: another key may have a send. */
  compare(usable: readonly QuotaId[]): void;
  /** Requests that must leave this part or more need not ask; Infinity when all may. */
  closedFrom(nowMs: number): number;
  /** Milliseconds until the first refused request may ask again; Infinity when none is refused. */
  nextMs(nowMs: number): number;
  /**
   * Milliseconds until the quotas allow a send behind `ahead` others; undefined when, as far as known, one may go now. Beyond
   * the known moments sends are assumed at the pace of those; if those all come at once, at the pace of the limits, `perMs()`.
   */
  waitMs(leave: number, ahead: number, perMs: () => number, nowMs: number): number | undefined;
  forget(): void;
};

type Refusal = {
  readonly leave: number;
  readonly among: ReadonlySet<QuotaId>;
  readonly atMs: number;
  readonly waitsMs: readonly number[];
};

/** Prevents endless asking after a refusal that names no time. */
const MIN_WAIT_MS = 1;

/** Sends per millisecond, mean of the known moments. */
function paceOf(waitsMs: readonly number[]): number | undefined {
  const spanMs = (waitsMs.at(-1) ?? 0) - (waitsMs[0] ?? 0);
  return spanMs > 0 ? (waitsMs.length - 1) / spanMs : undefined;
}

export function createQuotaOutlook(): QuotaOutlook {
  /** At most one for each part that classes leave. */
  const refusals = new Map<number, Refusal>();

  const firstMs = ({ atMs, waitsMs }: Refusal, nowMs: number) =>
    atMs + Math.max(MIN_WAIT_MS, waitsMs[0] ?? 0) - nowMs;

  return {
    refused({ leave, among }, waitsMs, nowMs) {
      refusals.set(leave, { leave, among: new Set(among), atMs: nowMs, waitsMs });
    },
    compare(usable) {
      for (const { leave, among } of refusals.values())
        if (usable.some((quota) => !among.has(quota))) refusals.delete(leave);
    },
    closedFrom(nowMs) {
      let least = Number.POSITIVE_INFINITY;
      for (const refusal of refusals.values())
        if (refusal.leave < least && firstMs(refusal, nowMs) > 0) least = refusal.leave;
      return least;
    },
    nextMs(nowMs) {
      let soonestMs = Number.POSITIVE_INFINITY;
      for (const refusal of refusals.values()) {
        const waitMs = firstMs(refusal, nowMs);
        if (waitMs > 0) soonestMs = Math.min(soonestMs, waitMs);
      }
      return soonestMs;
    },
    waitMs(leave, ahead, perMs, nowMs) {
      let longestMs: number | undefined;
      for (const refusal of refusals.values()) {
        if (refusal.leave > leave || firstMs(refusal, nowMs) <= 0) continue;
        const { atMs, waitsMs } = refusal;
        const last = Math.max(0, waitsMs.length - 1);
        const beyond = Math.max(0, ahead - last);
        const knownMs = Math.max(MIN_WAIT_MS, waitsMs[Math.min(ahead, last)] ?? 0);
        const beyondMs = beyond === 0 ? 0 : beyond / (paceOf(waitsMs) ?? perMs());
        longestMs = Math.max(longestMs ?? 0, atMs + knownMs - nowMs + beyondMs);
      }
      return longestMs;
    },
    forget: () => refusals.clear(),
  };
}
