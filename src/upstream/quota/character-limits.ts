// Characters of text that a key may have spoken in a minute and in a month, beside a quota store that counts requests: a grant of
// the store is a send when both limits have room for its text. A month that is used up is no wait: the answer says `spent`.
//
// A minute is any 60 s, with a guard for the jitter of the way; a month is a calendar month in UTC. A text counts when it is sent,
// in the month as what the service says that it cost.

import type { Clock } from '../../base/clock.ts';
import type { QuotaAnswer, QuotaAsk, QuotaId, QuotaReport, QuotaStore } from './quota-store.ts';

/** In characters; undefined: not limited. */
export type CharacterLimits = {
  readonly charactersPerMinute?: number | undefined;
  readonly charactersPerMonth?: number | undefined;
};
export type CharacterQuota = CharacterLimits & { readonly quota: QuotaId };

export type CharacterAsk = {
  readonly quota: QuotaId;
  readonly reservation: string;
  readonly characters: number;
};
export type CharacterAnswer =
  | { readonly kind: 'taken' }
  | { readonly kind: 'full'; readonly waitMs: number }
  /** The month has no room for this text. */
  | { readonly kind: 'spent' };
/** What counts now. */
export type CharacterUse = { readonly inMinute: number; readonly inMonth: number };

/** Where they are counted: in this process, or for all instances together. */
export type CharacterCount = {
  /** Counts a text if both limits have room for it; asked again, the same reservation is counted once. */
  take(ask: CharacterAsk): CharacterAnswer | Promise<CharacterAnswer>;
  /**
   * It was not spoken. `month`: it was sent all the same, and a service may count it in the minute.
   */
  giveBack(ask: CharacterAsk, of: 'both' | 'month'): void;
  /** What the service says that it cost, in place of its characters. */
  cost(ask: CharacterAsk, cost: number): void;
  used(quota: QuotaId): CharacterUse;
  close(): Promise<void>;
};

/** The months as they are kept beyond a process. */
export type CharacterMonths = Readonly<Record<QuotaId, { readonly month: string; readonly used: number }>>;
export type CharacterMemory = {
  load(): CharacterMonths;
  save(months: CharacterMonths): void;
};

/** A minute at the service, and how much later than another one a request may come there. */
export const CHARACTER_SPAN_MS = 61_000;
/** So long a send can be given back. */
export const KEPT_MS = 5 * 60_000;
const SAVE_EVERY_MS = 5_000;

/** `2026-11`. */
export const monthOf = (unixMs: number): string => new Date(unixMs).toISOString().slice(0, 7);

/** Of a text that is longer than all of a minute, a minute counts: it is sent in an empty one. */
export const inMinuteOf = (characters: number, { charactersPerMinute }: CharacterLimits): number =>
  Math.min(characters, charactersPerMinute ?? characters);

type Sent = { readonly atMs: number; readonly month: string; inMinute: number; inMonth: number };
type Counted = CharacterLimits & { readonly sent: Map<string, Sent>; month: string; inMonth: number };

export type MemoryCharacterCountOptions = {
  readonly quotas: readonly CharacterQuota[];
  readonly clock: Clock;
  /** The wall clock. */
  readonly unixMs: () => number;
  /** Default: a month begins anew with the process. */
  readonly memory?: CharacterMemory | undefined;
};

/** It answers synchronously. */
export type MemoryCharacterCount = Omit<CharacterCount, 'take'> & {
  take(ask: CharacterAsk): CharacterAnswer;
};

export function createMemoryCharacterCount(options: MemoryCharacterCountOptions): MemoryCharacterCount {
  const { clock, unixMs, memory } = options;
  const before = memory?.load() ?? {};
  const counted = new Map(
    options.quotas.map(({ quota, ...limits }): [QuotaId, Counted] => {
      const { month = '', used = 0 } = before[quota] ?? {};
      return [quota, { ...limits, sent: new Map(), month, inMonth: used }];
    }),
  );
  let disarmSave: (() => void) | undefined;

  const save = () => {
    disarmSave = undefined;
    memory?.save(
      Object.fromEntries([...counted].map(([id, { month, inMonth }]) => [id, { month, used: inMonth }])),
    );
  };
  const saveSoon = () => {
    if (memory !== undefined) disarmSave ??= clock.after(SAVE_EVERY_MS, save);
  };
  /** With the present month, and without sends that are too old to matter. */
  const find = (quota: QuotaId): Counted | undefined => {
    const found = counted.get(quota);
    if (found === undefined) return undefined;
    const month = monthOf(unixMs());
    if (found.month !== month) {
      found.month = month;
      found.inMonth = 0;
    }
    for (const [reservation, { atMs }] of found.sent) {
      if (clock.now() - atMs < KEPT_MS) break;
      found.sent.delete(reservation);
    }
    return found;
  };
  /** Sends that count in the minute, the oldest first. */
  const recent = ({ sent }: Counted): readonly Sent[] =>
    [...sent.values()].filter(({ atMs }) => clock.now() - atMs < CHARACTER_SPAN_MS);
  const sumOf = (sent: readonly Sent[]) => sent.reduce((sum, { inMinute }) => sum + inMinute, 0);

  return {
    take({ quota, reservation, characters }) {
      const its = find(quota);
      if (its === undefined || its.sent.has(reservation)) return { kind: 'taken' };
      const { charactersPerMinute = Number.POSITIVE_INFINITY, charactersPerMonth } = its;
      if (its.inMonth + characters > (charactersPerMonth ?? Number.POSITIVE_INFINITY))
        return { kind: 'spent' };
      const inMinute = inMinuteOf(characters, its);
      const counting = recent(its);
      let over = sumOf(counting) + inMinute - charactersPerMinute;
      if (over > 0) {
        const last = counting.find((send) => {
          over -= send.inMinute;
          return over <= 0;
        });
        return { kind: 'full', waitMs: (last?.atMs ?? clock.now()) + CHARACTER_SPAN_MS - clock.now() };
      }
      its.sent.set(reservation, { atMs: clock.now(), month: its.month, inMinute, inMonth: characters });
      its.inMonth += characters;
      saveSoon();
      return { kind: 'taken' };
    },
    giveBack({ quota, reservation }, of) {
      const its = find(quota);
      const send = its?.sent.get(reservation);
      if (its === undefined || send === undefined) return;
      if (send.month === its.month) its.inMonth -= send.inMonth;
      send.inMonth = 0;
      if (of === 'both') its.sent.delete(reservation);
      saveSoon();
    },
    cost({ quota, reservation }, cost) {
      const its = find(quota);
      const send = its?.sent.get(reservation);
      if (its === undefined || send === undefined || send.month !== its.month) return;
      its.inMonth += cost - send.inMonth;
      send.inMonth = cost;
      saveSoon();
    },
    used(quota) {
      const its = find(quota);
      return its === undefined
        ? { inMinute: 0, inMonth: 0 }
        : { inMinute: sumOf(recent(its)), inMonth: its.inMonth };
    },
    close() {
      disarmSave?.();
      save();
      return Promise.resolve();
    },
  };
}

/** What a key had no room for: texts of so many characters and more need not ask before. */
type Closed = { readonly characters: number; readonly untilMs: number; readonly why: 'full' | 'spent' };

export type CharacterLimitsOptions = {
  readonly store: QuotaStore;
  /** Those that are limited, and others. */
  readonly quotas: readonly CharacterQuota[];
  readonly count: CharacterCount;
  readonly clock: Pick<Clock, 'now'>;
};

/** Every text is asked about anew after this, so that a new month or another instance that gave back is seen. */
const MAX_CLOSED_MS = 10_000;

/** `store` with limits in characters; itself where no quota has one. */
export function withCharacterLimits({ store, quotas, count, clock }: CharacterLimitsOptions): QuotaStore {
  const limited = new Map(
    quotas
      .filter((its) => its.charactersPerMinute !== undefined || its.charactersPerMonth !== undefined)
      .map((its) => [its.quota, its]),
  );
  if (limited.size === 0) return store;
  const closed = new Map<QuotaId, Closed>();
  /** Sends that can be given back, by reservation. */
  const taken = new Map<string, CharacterAsk>();
  let changed = () => {};

  const closedTo = (quota: QuotaId, characters: number): Closed | undefined => {
    const its = closed.get(quota);
    if (its === undefined || its.characters > characters) return undefined;
    if (its.untilMs > clock.now()) return its;
    closed.delete(quota);
    return undefined;
  };
  const refusal = (ask: QuotaAsk, waitsMs: readonly number[]): QuotaAnswer => {
    const { characters = 0 } = ask;
    const spent = ask.among.filter((quota) => closedTo(quota, characters)?.why === 'spent');
    const answer = { granted: false, waitsMs: [...waitsMs].sort((a, b) => a - b) } as const;
    return spent.length === 0 ? answer : { ...answer, spent };
  };
  /** How long the keys of `ask` are closed to its text. */
  const waitsOf = ({ among, characters = 0 }: QuotaAsk): readonly number[] =>
    among.flatMap((quota) => {
      const its = closedTo(quota, characters);
      return its === undefined ? [] : [Math.max(1, its.untilMs - clock.now())];
    });

  const settle = (ask: QuotaAsk, answer: QuotaAnswer): QuotaAnswer | Promise<QuotaAnswer> => {
    if (!answer.granted) return refusal(ask, [...answer.waitsMs, ...waitsOf(ask)]);
    const { reservation, characters = 0 } = ask;
    const { quota } = answer;
    if (!limited.has(quota) || taken.has(reservation)) return answer;
    const text = { quota, reservation, characters };
    const decide = (given: CharacterAnswer): QuotaAnswer => {
      if (given.kind === 'taken') {
        taken.set(reservation, text);
        return answer;
      }
      store.report(quota, reservation, { kind: 'unsent' });
      const waitMs = given.kind === 'full' ? given.waitMs : MAX_CLOSED_MS;
      const untilMs = clock.now() + Math.max(1, Math.min(MAX_CLOSED_MS, waitMs));
      closed.set(quota, { characters, untilMs, why: given.kind });
      // Another key may have room: the next question leaves this one out.
      const others = ask.among.filter((other) => closedTo(other, characters) === undefined);
      return refusal(ask, others.length > 0 ? [1] : waitsOf(ask));
    };
    const given = count.take(text);
    return 'then' in given ? given.then(decide) : decide(given);
  };
  const giveBack = (reservation: string, of: 'both' | 'month') => {
    const text = taken.get(reservation);
    if (text === undefined) return;
    count.giveBack(text, of);
    closed.delete(text.quota);
  };
  const hear = (reservation: string, report: QuotaReport) => {
    if (report.kind === 'unsent') {
      giveBack(reservation, 'both');
      taken.delete(reservation);
    } else if (report.kind === 'refused') giveBack(reservation, 'month');
    else if (report.kind === 'accepted' && report.advice.characterCost !== undefined) {
      const text = taken.get(reservation);
      if (text !== undefined) count.cost(text, report.advice.characterCost);
    }
  };

  return {
    ask(ask) {
      const { characters = 0 } = ask;
      const open = ask.among.filter((quota) => closedTo(quota, characters) === undefined);
      if (open.length === 0) return refusal(ask, waitsOf(ask));
      const answer = store.ask({ ...ask, among: open });
      return 'then' in answer ? answer.then((given) => settle(ask, given)) : settle(ask, answer);
    },
    report(quota, reservation, report) {
      hear(reservation, report);
      store.report(quota, reservation, report);
      if (report.kind === 'unsent' || report.kind === 'refused') changed();
    },
    released(quota, reservation) {
      taken.delete(reservation);
      store.released?.(quota, reservation);
    },
    keepsLine: (quota) => store.keepsLine?.(quota) ?? false,
    state: () =>
      store.state().map((state) => {
        const limits = limited.get(state.quota);
        return limits === undefined
          ? state
          : { ...state, characters: { ...limits, ...count.used(state.quota) } };
      }),
    onChange(listener) {
      changed = listener;
      store.onChange(listener);
    },
    async close() {
      await Promise.all([store.close(), count.close()]);
    },
  };
}
