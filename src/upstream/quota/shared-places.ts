// Requests at once that instances count together, beside a quota store that counts requests in time: a grant of the store is a
// send when it also has a place. As with windows, no caller waits for the server for long (circuit-breaker.ts), and each instance
// has a share of its own when the server does not answer.
//
// The share. Cut off, an instance knows what was taken a moment ago. While its places are kept for it (LEASE_MS) it uses those it
// had, and its part of the limit where the others had left it; after that its part, since by then those who had more have given it
// up. Redis keeps nothing longer for an instance that is silent: if one is cut off for longer while the others are not, the limit
// may be exceeded by its part.

import type { Clock } from '../../base/clock.ts';
import { createServerCircuit } from './circuit-breaker.ts';
import type { QuotaAnswer, QuotaAsk, QuotaId, QuotaStore } from './quota-store.ts';

export type PlaceAsk = {
  readonly quota: QuotaId;
  readonly reservation: string;
  /** Of this instance, the pool that asks. */
  readonly asker: string;
  readonly limit: number;
};

export type PlaceAnswer =
  | { readonly kind: 'taken'; readonly used: number }
  | { readonly kind: 'full'; readonly used: number; readonly waitMs: number }
  /** The server does not know all places that are taken. */
  | { readonly kind: 'rebuilding' };

/** What an instance tells of itself; in the order in which the server was given the quotas. */
export type PlacesTold = {
  readonly isLeaving: boolean;
  /** Instances that must have told their places before any is given out anew. */
  readonly expected: number;
  readonly quotas: readonly {
    readonly quota: QuotaId;
    readonly taken: readonly string[];
    readonly freed: readonly string[];
    /** 0: none is known. */
    readonly limit: number;
  }[];
};

export type PlacesSeen = {
  readonly isRebuilding: boolean;
  readonly instances: number;
  /** Places in use of each quota. */
  readonly used: readonly number[];
};

/** A failure on the way rejects, within a deadline of the server's own. */
export type PlaceServer = {
  isReady(): boolean;
  take(ask: PlaceAsk): Promise<PlaceAnswer>;
  free(place: Omit<PlaceAsk, 'asker'>): Promise<void>;
  renew(told: PlacesTold): Promise<PlacesSeen>;
  /** A connection is ready, or a pool of this instance may have a place of a quota. Replace the last listeners. */
  onReady(listener: () => void): void;
  onTurn(listener: (quota: QuotaId, asker: string) => void): void;
  close(): void;
};

export type SharedPlacesOptions = {
  readonly server: PlaceServer;
  /** In the order in which the server has them; `atOnce`: as configured. */
  readonly quotas: readonly { readonly quota: QuotaId; readonly atOnce: number | undefined }[];
  readonly store: QuotaStore;
  /** The instances as long as their number is unknown. */
  readonly maxInstances: number;
  readonly clock: Clock;
};

/** How long a place of an instance that is not heard of is kept. */
export const LEASE_MS = 5_000;
export const RENEW_MS = 500;
/** A share of 0 is not asked again sooner. */
const NO_SHARE_WAIT_MS = 1_000;
const SHARE_WAIT_MS = 250;

type Account = {
  readonly quota: QuotaId;
  readonly atOnce: number | undefined;
  /** Own requests under way, with or without a limit. */
  readonly taken: Set<string>;
  /** Given back, or perhaps counted without having been granted, with when: the server must forget them. */
  readonly freed: Map<string, number>;
  /** As the server last told: places in use, and those of them that were not this instance's. */
  others: number;
  /** Own places when it was cut off. */
  hadMost: number;
  /** When one was last taken without an answer of the server. */
  aloneAtMs: number;
  /** Pools that were refused a place, until they should ask again. */
  readonly closed: Map<string, number>;
};

/** `store` with places. */
export function createSharedPlaces(options: SharedPlacesOptions): QuotaStore {
  const { server, store, clock, maxInstances } = options;
  const circuit = createServerCircuit(clock, () => cutOff());
  const heard: typeof circuit.heard = (...told) => circuit.heard(...told);
  const accounts = options.quotas.map(
    ({ quota, atOnce }): Account => ({
      quota,
      atOnce,
      taken: new Set(),
      freed: new Map(),
      others: Number.POSITIVE_INFINITY,
      hadMost: 0,
      aloneAtMs: Number.NEGATIVE_INFINITY,
      closed: new Map(),
    }),
  );
  const byQuota = new Map(accounts.map((account) => [account.quota, account]));
  const find = (quota: QuotaId): Account => {
    const account = byQuota.get(quota);
    if (account === undefined) throw new RangeError('not a quota of this store');
    return account;
  };
  let instances = maxInstances;
  /** When the server was last heard before it fell silent; undefined while it answers. */
  let cutOffAtMs: number | undefined = clock.now();
  let phase: 'open' | 'closed' = 'open';
  let stopRenewing = () => {};
  let notify = () => {};

  const limitOf = ({ quota, atOnce }: Account): number | undefined => {
    const told = store.state().find((state) => state.quota === quota)?.concurrent;
    return told === undefined ? atOnce : Math.min(told, atOnce ?? told);
  };
  const cutOff = () => {
    if (cutOffAtMs !== undefined) return;
    cutOffAtMs = clock.now();
    for (const account of accounts) account.hadMost = account.taken.size;
  };
  const renewOnce = async (isLeaving: boolean) => {
    const nowMs = clock.now();
    const told = accounts.map((account) => {
      // What is older the server has forgotten by itself.
      for (const [reservation, atMs] of account.freed)
        if (nowMs - atMs > LEASE_MS) account.freed.delete(reservation);
      const limit = limitOf(account) ?? 0;
      // Those from before a limit was known are told as soon as it is.
      const taken = limit === 0 ? [] : [...account.taken];
      return { quota: account.quota, taken, freed: [...account.freed.keys()], limit };
    });
    const seen = await heard(server.renew({ isLeaving, expected: instances, quotas: told }));
    for (const [index, account] of accounts.entries()) {
      for (const reservation of told[index]!.freed) account.freed.delete(reservation);
      // Not all of them are known again: what was known before counts.
      if (seen.isRebuilding) continue;
      account.others = Math.max(0, (seen.used[index] ?? 0) - told[index]!.taken.length);
    }
    if (seen.isRebuilding) return cutOff();
    instances = Math.max(1, seen.instances);
    if (cutOffAtMs === undefined) return;
    cutOffAtMs = undefined;
    for (const account of accounts) account.closed.clear();
    notify();
  };
  let renewing: Promise<void> | undefined;
  const renew = (): Promise<void> => {
    renewing ??= renewOnce(false)
      .catch(() => {})
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };
  const pulse = () => {
    stopRenewing = clock.after(RENEW_MS, pulse);
    if (server.isReady() && circuit.mayTry()) void renew();
    else cutOff();
  };

  /** By the own share; `what it had`: the server will soon know all that are taken. */
  const takeAlone = (account: Account, limit: number, of: 'its part' | 'what it had'): PlaceAnswer => {
    const part = Math.floor(limit / instances);
    const isSettled = cutOffAtMs !== undefined && clock.now() - cutOffAtMs >= LEASE_MS;
    const isLeft = instances === 1 || account.others <= limit - part;
    const isItsOwn = of === 'its part' && (isSettled || isLeft);
    const most = isItsOwn ? part : Math.min(part, account.hadMost);
    const used = account.taken.size;
    if (used < most) {
      account.aloneAtMs = clock.now();
      return { kind: 'taken', used };
    }
    return { kind: 'full', used, waitMs: most === 0 ? NO_SHARE_WAIT_MS : SHARE_WAIT_MS };
  };
  const take = (account: Account, ask: PlaceAsk): Promise<PlaceAnswer> => {
    if (!server.isReady() || circuit.isOpen()) {
      cutOff();
      return Promise.resolve(takeAlone(account, ask.limit, 'its part'));
    }
    return circuit.inTime<PlaceAnswer>(
      async (isOver) => {
        const answer = await heard(server.take(ask));
        if (isOver()) return undefined;
        if (answer.kind === 'rebuilding') {
          cutOff();
          void renew();
          return takeAlone(account, ask.limit, 'what it had');
        }
        account.others = Math.max(0, answer.used - account.taken.size - (answer.kind === 'taken' ? 1 : 0));
        return answer;
      },
      () => {
        cutOff();
        const answer = takeAlone(account, ask.limit, 'its part');
        // It is unknown whether the server counted it.
        if (answer.kind !== 'taken') account.freed.set(ask.reservation, clock.now());
        return answer;
      },
    );
  };
  const free = (quota: QuotaId, reservation: string) => {
    const account = find(quota);
    if (!account.taken.delete(reservation)) return;
    const limit = limitOf(account);
    if (limit === undefined) return;
    const later = () => {
      account.freed.set(reservation, clock.now());
      account.closed.clear();
    };
    if (phase === 'closed' || !server.isReady() || circuit.isOpen()) return later();
    // Whose turn it is then, the server says.
    heard(server.free({ quota, reservation, limit })).catch(later);
  };

  const waitMs = (account: Account, asker: string) =>
    Math.max(0, (account.closed.get(asker) ?? 0) - clock.now());

  server.onReady(() => void renew());
  server.onTurn((quota, asker) => {
    byQuota.get(quota)?.closed.delete(asker);
    notify();
  });
  store.onChange(() => notify());
  pulse();
  if (server.isReady()) void renew();

  return {
    async ask(ask: QuotaAsk): Promise<QuotaAnswer> {
      const asker = ask.asker ?? 'pool';
      const waits = new Map(ask.among.map((quota) => [quota, waitMs(find(quota), asker)]));
      const open = ask.among.filter((quota) => waits.get(quota) === 0);
      const soonestMs = Math.min(...[...waits.values()].filter((ms) => ms > 0));
      if (open.length === 0) return { granted: false, waitsMs: [soonestMs] };
      const answer = await store.ask({ ...ask, among: open });
      if (!answer.granted) {
        const waitsMs = Number.isFinite(soonestMs)
          ? [...answer.waitsMs, soonestMs].sort((a, b) => a - b)
          : answer.waitsMs;
        return { granted: false, waitsMs };
      }
      const { quota } = answer;
      const account = find(quota);
      const limit = limitOf(account);
      if (limit === undefined || account.taken.has(ask.reservation)) {
        account.taken.add(ask.reservation);
        return answer;
      }
      const place = await take(account, { quota, reservation: ask.reservation, asker, limit });
      if (place.kind === 'taken') {
        account.taken.add(ask.reservation);
        account.freed.delete(ask.reservation);
        return answer;
      }
      store.report(quota, ask.reservation, { kind: 'unsent' });
      const fullMs = place.kind === 'full' ? place.waitMs : SHARE_WAIT_MS;
      account.closed.set(asker, clock.now() + fullMs);
      // Another key may have a place: the next question leaves this one out.
      return { granted: false, waitsMs: [open.length > 1 ? 1 : Math.min(fullMs, soonestMs)] };
    },
    report(quota, reservation, report) {
      // Without the server one too many may be under way: a refusal then says little of the limit in time.
      const aloneAtMs = byQuota.get(quota)?.aloneAtMs ?? Number.NEGATIVE_INFINITY;
      const isUncertain = report.kind === 'refused' && clock.now() - aloneAtMs < LEASE_MS;
      store.report(quota, reservation, isUncertain ? { ...report, perhaps: 'concurrency' } : report);
      if (report.kind === 'unsent') free(quota, reservation);
    },
    released(quota, reservation) {
      store.released?.(quota, reservation);
      free(quota, reservation);
    },
    keepsLine: (quota) => cutOffAtMs === undefined && limitOf(find(quota)) !== undefined,
    state: () => store.state(),
    onChange(listener) {
      notify = listener;
    },
    async close() {
      if (phase === 'closed') return;
      phase = 'closed';
      stopRenewing();
      notify = () => {};
      await renewing;
      if (server.isReady() && !circuit.isOpen()) await renewOnce(true).catch(() => {});
      server.close();
      await store.close();
    },
  };
}
