// The port to a store for learned quotas that outlasts the process, so that a restart neither forgets a limit nor spends it twice.

import type { QuotaKnowledge } from '../../limits/quota-knowledge.ts';
import type { QuotaId } from './quota-store.ts';

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
