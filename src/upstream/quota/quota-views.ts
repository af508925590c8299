// Quota stores of several services as one, and one store as the several pools see it: each its own quotas only, each told of
// changes.

import type { QuotaId, QuotaStore } from './quota-store.ts';

/** A store and the quotas that it counts. */
export type QuotaPart = { readonly store: QuotaStore; readonly quotas: readonly QuotaId[] };

/** An ask is answered by the store of its first quota: a pool's keys are all in one. Closing it closes them all. */
export function joinQuotaStores(parts: readonly [QuotaPart, ...QuotaPart[]]): QuotaStore {
  const [{ store: only }] = parts;
  if (parts.length === 1) return only;
  const storeOf = new Map(
    parts.flatMap(({ store, quotas }) => quotas.map((quota) => [quota, store] as const)),
  );
  const find = (quota: QuotaId | undefined): QuotaStore => {
    const store = quota === undefined ? undefined : storeOf.get(quota);
    if (store === undefined) throw new RangeError('a request was made on a quota that is not configured');
    return store;
  };
  const stores = parts.map(({ store }) => store);
  return {
    ask(ask) {
      const store = find(ask.among[0]);
      return store.ask({ ...ask, among: ask.among.filter((quota) => storeOf.get(quota) === store) });
    },
    report: (quota, reservation, report) => find(quota).report(quota, reservation, report),
    released: (quota, reservation) => find(quota).released?.(quota, reservation),
    keepsLine: (quota) => find(quota).keepsLine?.(quota) ?? false,
    state: () => stores.flatMap((store) => store.state()),
    onChange(listener) {
      for (const store of stores) store.onChange(listener);
    },
    async close() {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}

/** For one pool each; closing a view closes nothing. A pool that gives something back wakes those that share its quota. */
export function createQuotaViews(store: QuotaStore): (quotas: readonly QuotaId[]) => QuotaStore {
  /** Of each view its quotas and its listener. */
  const views = new Map<ReadonlySet<QuotaId>, () => void>();
  store.onChange(() => {
    for (const listener of views.values()) listener();
  });
  return (quotas) => {
    const own = new Set(quotas);
    return {
      ask: (ask) => store.ask(ask),
      report(quota, reservation, report) {
        store.report(quota, reservation, report);
        if (report.kind !== 'unsent' && report.kind !== 'refused') return;
        for (const [other, listener] of views) if (other !== own && other.has(quota)) listener();
      },
      released: (quota, reservation) => store.released?.(quota, reservation),
      state: () => store.state().filter(({ quota }) => own.has(quota)),
      onChange: (next) => void views.set(own, next),
      close() {
        views.delete(own);
        return Promise.resolve();
      },
    };
  };
}
