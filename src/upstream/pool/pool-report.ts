// The state of the pool as an operator sees it: every member by fingerprint, with its quota.

import type { CharacterState, QuotaState } from '../quota/quota-store.ts';
import type { WorkClass } from '../speech-work.ts';
import type { Doubt, MemberState } from './pool-member.ts';
import type { PoolMembers } from './pool-members.ts';

export type PoolMemberReport = MemberState & {
  /** Its service, where there are several. */
  readonly service?: string;
  /** Sends that count now, of all members with the same API key. */
  readonly used: number;
  readonly limit: number | undefined;
  readonly mode: QuotaState['mode'];
  /** How far the limit is believed and where it comes from; absent when nothing is in doubt. */
  readonly stage?: NonNullable<QuotaState['stage']>;
  readonly source?: NonNullable<QuotaState['source']>;
  /** The configured number a minute, when there is one. */
  readonly configuredPerMinute?: number;
  /** Limits in characters, of all members with the same API key; absent: there are none. */
  readonly characters?: CharacterState;
  /** Until its quota takes requests again after a 429. */
  readonly heldMs: number;
  /** `limited`: held, or on trial, after a 429. */
  readonly state: 'ready' | Doubt;
};

export type PoolReport = {
  readonly keys: readonly PoolMemberReport[];
  readonly waiting: number;
  readonly waitingByClass: Readonly<Partial<Record<WorkClass, number>>>;
  readonly hedge: {
    /** Requests that may be hedged now. */
    readonly budget: number;
    /** How late a first byte must be; absent while that is being found out. */
    readonly afterMs: number | undefined;
  };
};

export function reportMembers(
  members: PoolMembers,
  quotas: readonly QuotaState[],
  nowMs: number,
): readonly PoolMemberReport[] {
  const byId = new Map(quotas.map((quota) => [quota.quota, quota]));
  return members.all.map((member) => {
    const state = member.state(nowMs);
    const quota = byId.get(member.quota);
    const heldMs = quota?.heldMs ?? 0;
    return {
      ...state,
      used: quota?.used ?? 0,
      limit: quota === undefined || quota.rule.kind === 'unlimited' ? undefined : quota.rule.limit,
      mode: quota?.mode ?? 'unlimited',
      ...(quota?.stage === undefined ? {} : { stage: quota.stage }),
      ...(quota?.source === undefined ? {} : { source: quota.source }),
      ...(quota?.configuredPerMinute === undefined ? {} : { configuredPerMinute: quota.configuredPerMinute }),
      ...(quota?.characters === undefined ? {} : { characters: quota.characters }),
      heldMs,
      state: state.doubt?.reason ?? (heldMs > 0 ? 'limited' : 'ready'),
    };
  });
}
