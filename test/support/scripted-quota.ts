// A store of quotas that a test can foresee: a log of sends over 60.5 s for each key, and a 429 that holds the key for
// as long as it says, or 5 s. It answers at once, or when the test lets it.

import type {
  QuotaAnswer,
  QuotaAsk,
  QuotaId,
  QuotaReport,
  QuotaStore,
} from '../../src/upstream/quota/quota-store.ts';
import type { FakeClock } from './fake-clock.ts';

export type ScriptedQuota = QuotaStore & {
  readonly asks: readonly QuotaAsk[];
  readonly reports: readonly { readonly quota: QuotaId; readonly report: QuotaReport }[];
  /** How many sends it has given. */
  readonly grants: number;
  /** Answers the questions that wait, oldest first. */
  answer(): void;
  /** Changes a limit, as another instance might, and tells the listener. */
  limit(quota: QuotaId, perMinute: number | undefined): void;
};

export const SPAN_MS = 60_500;
const HELD_MS = 5_000;

type Quota = {
  readonly id: QuotaId;
  perMinute: number | undefined;
  sends: { reservation: string; atMs: number }[];
  heldUntilMs: number;
};

export function createScriptedQuota(
  clock: FakeClock,
  limits: Readonly<Record<QuotaId, number | undefined>>,
  answers: 'at once' | 'when let' = 'at once',
): ScriptedQuota {
  const quotas = Object.entries(limits).map(
    ([id, perMinute]): Quota => ({ id, perMinute, sends: [], heldUntilMs: 0 }),
  );
  const find = (id: QuotaId) => quotas.find((quota) => quota.id === id)!;
  const asks: QuotaAsk[] = [];
  const reports: { quota: QuotaId; report: QuotaReport }[] = [];
  const waiting: (() => void)[] = [];
  let changed = () => {};
  let grants = 0;

  const allowed = ({ perMinute }: Quota, leave: number) =>
    perMinute === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(perMinute * (1 - leave)));
  const live = (quota: Quota) => {
    quota.sends = quota.sends.filter(({ atMs }) => clock.now() - atMs < SPAN_MS);
    return quota.sends;
  };
  /** When the next send is free after those at `times`, which never fall. */
  const freeAt = (quota: Quota, times: readonly number[], leave: number) => {
    const most = allowed(quota, leave);
    const leaves = times.length < most ? 0 : times[times.length - most]! + SPAN_MS;
    return Math.max(clock.now(), quota.heldUntilMs, leaves);
  };
  const roomOf = (quota: Quota) =>
    quota.perMinute === undefined ? Number.POSITIVE_INFINITY : quota.perMinute - live(quota).length;

  const ask = ({ reservation, among, leave, forecast }: QuotaAsk): QuotaAnswer => {
    const asked = among.map(find);
    const times = new Map(asked.map((quota) => [quota, live(quota).map(({ atMs }) => atMs)]));
    const free = asked.filter((quota) => freeAt(quota, times.get(quota)!, leave) <= clock.now());
    const [best] = [...free].sort((a, b) => (roomOf(a) === roomOf(b) ? 0 : roomOf(b) - roomOf(a)));
    if (best !== undefined) {
      best.sends.push({ reservation, atMs: clock.now() });
      grants += 1;
      return { granted: true, quota: best.id };
    }
    const waitsMs = Array.from({ length: forecast }, () => {
      const [next] = asked
        .map((quota) => ({ quota, atMs: freeAt(quota, times.get(quota)!, leave) }))
        .sort((a, b) => a.atMs - b.atMs);
      times.get(next!.quota)!.push(next!.atMs);
      return next!.atMs - clock.now();
    });
    return { granted: false, waitsMs };
  };

  return {
    asks,
    reports,
    get grants() {
      return grants;
    },
    ask(question) {
      asks.push(question);
      if (answers === 'at once') return ask(question);
      return new Promise((resolve) => waiting.push(() => resolve(ask(question))));
    },
    answer() {
      for (const reply of waiting.splice(0)) reply();
    },
    report(id, reservation, report) {
      reports.push({ quota: id, report });
      const quota = find(id);
      if (report.kind === 'unsent')
        quota.sends = quota.sends.filter((send) => send.reservation !== reservation);
      if (report.kind === 'refused')
        quota.heldUntilMs = Math.max(quota.heldUntilMs, clock.now() + (report.advice.resetMs ?? HELD_MS));
    },
    state: () =>
      quotas.map((quota) => ({
        quota: quota.id,
        rule:
          quota.perMinute === undefined
            ? { kind: 'unlimited' }
            : { kind: 'sliding', limit: quota.perMinute, spanMs: SPAN_MS },
        used: live(quota).length,
        heldMs: Math.max(0, quota.heldUntilMs - clock.now()),
        mode: quota.perMinute === undefined ? 'unlimited' : 'sliding',
      })),
    onChange(listener) {
      changed = listener;
    },
    limit(id, perMinute) {
      find(id).perMinute = perMinute;
      changed();
    },
    close: async () => {},
  };
}
