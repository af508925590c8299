// The quotas of one process: for each key a log of sends and what was learned of it, in memory and synchronous. Which sends count
// and when the next may go is in limits/quota-window.ts, what answers teach in limits/quota-learner.ts; here are the state, the
// choice between keys, and what is saved beyond the process.

import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import {
  boundKnowledge,
  describeKnowledge,
  firstKnowledge,
  isUntried,
  leaveIn,
  limitInForce,
  MAX_SENDS,
  type QuotaKnowledge,
  ruleOf,
  shiftKnowledge,
  waitsWithGrowth,
} from '../../limits/quota-knowledge.ts';
import { type QuotaEvent, stepKnowledge } from '../../limits/quota-learner.ts';
import type { QuotaRule } from '../../limits/quota-window.ts';
import {
  countSince,
  countsAround,
  createForecast,
  type Forecast,
  freeAtMs,
  lapsesInSeconds,
  usedBy,
} from '../../limits/quota-window.ts';
import { createSendLog, type SendLog } from '../../limits/send-log.ts';
import { logQuotaChange } from './log-quota-change.ts';
import type {
  LearnedQuota,
  LearnedQuotas,
  QuotaAnswer,
  QuotaId,
  QuotaState,
  QuotaStore,
} from './quota-store.ts';

export type QuotaSetting = {
  readonly quota: QuotaId;
  /** A cap on what is learned; undefined: find out the limit; `unlimited`: only its 429s stop the key. */
  readonly perMinute?: number | 'unlimited' | undefined;
};

export type MemoryQuotaStoreOptions = {
  readonly quotas: readonly QuotaSetting[];
  readonly clock: Clock;
  readonly log: Log;
  /** Jitter: the difference between the fastest and the slowest way of a request to the service; 250…2,000. */
  readonly spreadMs?: number;
  readonly learned?: LearnedQuotas;
  /** The wall clock, used only for the times in `learned`. */
  readonly unixMs?: () => number;
};

/** It answers synchronously. */
export type MemoryQuotaStore = Omit<QuotaStore, 'ask'> & {
  ask(ask: Parameters<QuotaStore['ask']>[0]): QuotaAnswer;
};

const SAVE_EVERY_MS = 5_000;
/** How long sends are kept beyond two windows: guard, jitter, and a margin for late answers. */
const KEPT_BEYOND_MS = 20_000;

type Quota = {
  readonly id: QuotaId;
  readonly sends: SendLog;
  known: QuotaKnowledge;
  learnedAtUnixMs: number;
};

const roomOf = (rule: QuotaRule, sends: SendLog, nowMs: number): number =>
  rule.kind === 'unlimited' ? Number.POSITIVE_INFINITY : rule.limit - usedBy(rule, sends, nowMs);

export function createMemoryQuotaStore(options: MemoryQuotaStoreOptions): MemoryQuotaStore {
  const { clock, log, learned, unixMs = () => 0 } = options;
  let changed: () => void = () => {};
  let disarmSave: (() => void) | undefined;
  let state: 'open' | 'closed' = 'open';

  const quotas = new Map<QuotaId, Quota>();
  for (const { quota, perMinute } of options.quotas) {
    const known = firstKnowledge(perMinute, options.spreadMs);
    quotas.set(quota, { id: quota, sends: createSendLog(2 * MAX_SENDS), known, learnedAtUnixMs: 0 });
  }
  if (learned !== undefined) restore(quotas, learned.load(), Math.floor(clock.now()), unixMs());

  /** Whole milliseconds: the arithmetic is exact, and the fraction is nothing against the spread. */
  const now = () => Math.floor(clock.now());
  const find = (id: QuotaId): Quota => {
    const quota = quotas.get(id);
    if (quota === undefined) throw new RangeError('a request was made on a quota that is not configured');
    return quota;
  };

  const save = () => {
    const awayMs = Math.round(unixMs()) - now();
    const entries = [...quotas.values()].map(({ id, sends, known, learnedAtUnixMs }): LearnedQuota => {
      const sentAtUnixMs: number[] = [];
      for (let k = countSince(sends, now() - 2 * known.windowMs) - 1; k >= 0; k--)
        sentAtUnixMs.push(sends.newest(k) + awayMs);
      return { quota: id, known: shiftKnowledge(known, awayMs), learnedAtUnixMs, sentAtUnixMs };
    });
    learned?.save(entries);
  };
  /** Sends are saved as well: a process that is killed must not spend a window twice. */
  const saveSoon = () => {
    if (learned === undefined || state === 'closed') return;
    disarmSave ??= clock.after(SAVE_EVERY_MS, () => {
      disarmSave = undefined;
      save();
    });
  };

  const learn = (quota: Quota, event: QuotaEvent) => {
    const before = quota.known;
    quota.known = stepKnowledge(before, event);
    if (quota.known === before) return;
    quota.learnedAtUnixMs = Math.round(unixMs());
    logQuotaChange(log, quota.id, before, quota.known, event.atMs);
    saveSoon();
    const isMore = limitInForce(quota.known) > limitInForce(before);
    if (isMore || quota.known.phase?.confirmed !== before.phase?.confirmed) changed();
  };

  const learnAnswered = (quota: Quota) => {
    if (!isUntried(quota.known)) return;
    const atMs = now();
    const used = usedBy(ruleOf(quota.known, atMs), quota.sends, atMs);
    learn(quota, { kind: 'answered', atMs, answered: used - quota.sends.unanswered() });
  };

  return {
    ask({ reservation, among, leave, forecast }) {
      const nowMs = now();
      let best: Quota | undefined;
      let [soonest, most] = [Number.POSITIVE_INFINITY, 0];
      for (const id of among) {
        const quota = find(id);
        if (quota.sends.timeOf(reservation) !== undefined) return { granted: true, quota: id };
        quota.sends.forget(nowMs - 2 * quota.known.windowMs - KEPT_BEYOND_MS);
        if (nowMs < quota.known.heldUntilMs) continue;
        const rule = ruleOf(quota.known, nowMs);
        const lapses = lapsesInSeconds(rule, nowMs);
        if (lapses > soonest) continue;
        const room = roomOf(rule, quota.sends, nowMs);
        if (room <= (lapses < soonest ? 0 : most)) continue;
        if (freeAtMs(rule, quota.sends, nowMs, leaveIn(quota.known, leave)) > nowMs) continue;
        [best, soonest, most] = [quota, lapses, room];
      }
      if (best !== undefined) {
        best.sends.add(reservation, nowMs);
        saveSoon();
        return { granted: true, quota: best.id };
      }
      const asked = among.map(find);
      if (leave > 0) for (const quota of asked) learn(quota, { kind: 'low-priority-waits', atMs: nowMs });
      const waitsMs = waitsOf(asked, nowMs, leave, forecast);
      const known = asked.map((quota) => quota.known);
      return { granted: false, waitsMs: waitsWithGrowth(waitsMs, known, nowMs) };
    },

    report(id, reservation, report) {
      const quota = find(id);
      const sentAtMs = quota.sends.timeOf(reservation);
      quota.sends.answered(reservation);
      // An answer so late that its send no longer counts teaches nothing.
      if (sentAtMs === undefined) return;
      if (report.kind === 'failed') return learnAnswered(quota);
      if (report.kind === 'unsent') {
        quota.sends.remove(reservation);
        changed();
        return;
      }
      const atMs = now();
      const { spreadMs, heldUntilMs } = quota.known;
      const at = { sentAtMs, nowMs: atMs, spreadMs, heldUntilMs, unanswered: quota.sends.unanswered() };
      const counts = countsAround(ruleOf(quota.known, atMs), quota.sends, at);
      learn(quota, { ...report, atMs, sentAtMs, ...counts });
    },

    state() {
      const nowMs = now();
      return [...quotas.values()].map(({ id, sends, known }): QuotaState => {
        const rule = ruleOf(known, nowMs);
        return {
          quota: id,
          rule,
          used: usedBy(rule, sends, nowMs),
          heldMs: Math.max(0, known.heldUntilMs - nowMs),
          ...describeKnowledge(known, rule),
        };
      });
    },

    onChange(listener) {
      changed = listener;
    },
    close() {
      if (state === 'open') {
        disarmSave?.();
        save();
      }
      state = 'closed';
      return Promise.resolve();
    },
  };
}

/** The coming free moments of all quotas together, in milliseconds from now. */
function waitsOf(quotas: readonly Quota[], nowMs: number, leave: number, count: number): readonly number[] {
  const forecasts = quotas.map(({ known, sends }) => {
    const fromMs = Math.max(nowMs, known.heldUntilMs);
    return createForecast(ruleOf(known, fromMs), sends, fromMs, leaveIn(known, leave));
  });
  const waitsMs: number[] = [];
  for (;;) {
    let first: Forecast | undefined;
    for (const forecast of forecasts)
      if (first === undefined || forecast.nextMs() < first.nextMs()) first = forecast;
    if (first === undefined) throw new RangeError('a request was made on no quota at all');
    waitsMs.push(first.nextMs() - nowMs);
    if (waitsMs.length >= count) return waitsMs;
    first.take();
  }
}

/** The knowledge of a former process, in the times of this one. A configured number that has changed since wins. */
function restore(
  quotas: ReadonlyMap<QuotaId, Quota>,
  learned: readonly LearnedQuota[],
  nowMs: number,
  unixMs: number,
): void {
  const awayMs = nowMs - Math.round(unixMs);
  for (const { quota: id, known, learnedAtUnixMs, sentAtUnixMs } of learned) {
    const quota = quotas.get(id);
    if (quota === undefined) continue;
    for (const [index, sentMs] of sentAtUnixMs.entries()) {
      const name = `restored-${index}`;
      quota.sends.add(name, Math.min(nowMs, sentMs + awayMs));
      quota.sends.answered(name);
    }
    if (
      known.cap !== quota.known.cap ||
      (known.source === 'unlimited') !== (quota.known.source === 'unlimited')
    )
      continue;
    quota.known = boundKnowledge(shiftKnowledge(known, awayMs), nowMs);
    quota.learnedAtUnixMs = Math.min(learnedAtUnixMs, Math.round(unixMs));
  }
}
