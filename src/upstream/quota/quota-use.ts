// Figures from the states of quotas: how fast sends come free, whether there is room, how much is in use.

import type { QuotaId, QuotaState } from './quota-store.ts';

/** Sends per millisecond that all quotas together allow in the long run; Infinity when one has no limit. */
export function perMsOf(states: readonly QuotaState[]): number {
  return states.reduce((sum, { rule }) => {
    if (rule.kind === 'unlimited') return Number.POSITIVE_INFINITY;
    return sum + rule.limit / (rule.kind === 'sliding' ? rule.spanMs : rule.periodMs);
  }, 0);
}

/** The quota would take a send now. */
export function hasRoom(states: readonly QuotaState[], quota: QuotaId): boolean {
  const state = states.find((candidate) => candidate.quota === quota);
  if (state === undefined) return true;
  return state.heldMs === 0 && (state.rule.kind === 'unlimited' || state.used < state.rule.limit);
}

/** The part of all limits that is used now, 0…1; undefined when nothing is limited. Limits that are being searched are left out. */
export function useOf(states: readonly QuotaState[]): number | undefined {
  let used = 0;
  let limit = 0;
  for (const state of states) {
    const isSought = state.mode === 'learning' || state.stage === 'learning';
    if (state.rule.kind === 'unlimited' || (isSought && state.heldMs === 0)) continue;
    // A quota in back-off after a 429 is as good as used up.
    used += state.heldMs > 0 ? state.rule.limit : state.used;
    limit += state.rule.limit;
  }
  return limit === 0 ? undefined : used / limit;
}
