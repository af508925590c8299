// The port to the quota store: how many requests each key may still send, for this process alone or for all instances together.
// A grant is exact: the service never sees more than its limit in any window, whichever instance asked.

import type { QuotaKnowledge } from '../../limits/quota-knowledge.ts';
import type { QuotaRule } from '../../limits/quota-window.ts';
import type { RateAdvice } from '../../limits/rate-headers.ts';

/** One API key's quota, named by a digest of the key; pool members that share the key share the quota. */
export type QuotaId = string;

export type QuotaAsk = {
  /** Unique. Asked again, it gets the same grant and is counted once, so that resending is harmless. */
  readonly reservation: string;
  /** Quotas to choose from: first the one whose remaining sends lapse first, then the one with the most room, then the first. */
  readonly among: readonly QuotaId[];
  /** The part of the limit, 0…1, that must be left to others after this grant. */
  readonly leave: number;
  /** How many coming free moments to return when there is none now, 1…64. */
  readonly forecast: number;
  /** Of its text; default: none. */
  readonly characters?: number;
  /** The pool that asks: those that wait for a place of the same quota take turns. */
  readonly asker?: string;
};

export type QuotaAnswer =
  | { readonly granted: true; readonly quota: QuotaId }
  /** Milliseconds from now until sends become free, ascending, never empty; later ones are at least the last. */
  | {
      readonly granted: false;
      readonly waitsMs: readonly number[];
      /** Those of them whose month has no characters left for the text; absent: none. */
      readonly spent?: readonly QuotaId[];
    };

/** What became of a granted send. */
export type QuotaReport =
  | { readonly kind: 'accepted'; readonly advice: RateAdvice }
  /** 429. `perhaps`: the concurrency may have been too high; a short back-off, and no conclusion about the limit. */
  | { readonly kind: 'refused'; readonly advice: RateAdvice; readonly perhaps?: 'concurrency' }
  /** It failed otherwise, and is assumed to have counted. */
  | { readonly kind: 'failed' }
  /** No byte left the process: the grant is given back. */
  | { readonly kind: 'unsent' };

export type QuotaState = {
  readonly quota: QuotaId;
  readonly rule: QuotaRule;
  /** Sends that count now. */
  readonly used: number;
  /** Until the service takes requests again after a 429; 0 when it does. */
  readonly heldMs: number;
  /** `sliding`, `phase`: known; `learning`: the limit is being found out; `local`: this instance's share only. */
  readonly mode: 'unlimited' | 'learning' | 'sliding' | 'phase' | 'local';
  /** Requests that may run at once, by the service's own word. */
  readonly concurrent?: number;
  /** How far the limit is believed: being searched, being confirmed, or probed for more; absent when nothing is in doubt. */
  readonly stage?: 'learning' | 'confirming' | 'probing';
  /** Where the limit comes from. */
  readonly source?: 'configured' | 'headers' | 'learned';
  /** The configured number a minute, when there is one. */
  readonly configuredPerMinute?: number;
  /** Limits in characters, and what of them is used; absent: there are none. */
  readonly characters?: CharacterState;
};

export type CharacterState = {
  readonly charactersPerMinute?: number | undefined;
  readonly charactersPerMonth?: number | undefined;
  readonly inMinute: number;
  readonly inMonth: number;
};

export type QuotaStore = {
  /**
   * Never rejects, and settles within 100 ms (plus what a busy process adds to a timer): an absent or slow store is not waited
   * for, this instance's own share decides. Throws a RangeError for a quota that the store was not given.
   */
  ask(ask: QuotaAsk): QuotaAnswer | Promise<QuotaAnswer>;
  /** Once per grant, when its result is known. Never throws. */
  report(quota: QuotaId, reservation: string, report: QuotaReport): void;
  /**
   * Once per grant that was not `unsent`: it is no longer under way, also by the service's count. Absent where the store does not
   * count that.
   */
  released?(quota: QuotaId, reservation: string): void;
  /**
   * Whether those who wait for a place of a quota stand in a line at the store itself, whichever instance they are of. Absent: there
   * is none.
   */
  keepsLine?(quota: QuotaId): boolean;
  state(): readonly QuotaState[];
  /** Called when a send may have become free other than by time; replaces the last listener. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
};

// The port to what outlasts the process, so that a restart neither forgets a limit nor spends it twice.

export type LearnedQuota = {
  readonly quota: QuotaId;
  /** Every time in it is Unix milliseconds. */
  readonly known: QuotaKnowledge;
  readonly learnedAtUnixMs: number;
  /** Sends that may still count, in Unix milliseconds, never falling. */
  readonly sentAtUnixMs: readonly number[];
};

export type LearnedQuotas = {
  /** Empty when there are none, or none that can be believed. */
  load(): readonly LearnedQuota[];
  /** Replaces what was saved before. Never throws: what cannot be saved is lost, and logged. */
  save(learned: readonly LearnedQuota[]): void;
};
