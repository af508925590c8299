// What a failed attempt means: for the request (try again, where and when) and for the pool member (its cool-down). Pure, so
// that the whole table can be read and tested. A request is tried again before the first byte of audio only; afterwards a
// retry would be heard. A 429 is neither a failure of the member nor a counted attempt: the quota store keeps the key
// back (limits/quota-refusal.ts), and the request goes to the next key or waits.

import type { ErrorCode } from '../../base/app-error.ts';
import type { Random } from '../../base/random.ts';

const MAX_RETRIES = 2;
/** Jitter of retries in an outage, so that they do not arrive as one wave. */
const JITTER_MS = { min: 50, max: 200 } as const;

type Rule = {
  readonly on: 'any-key' | 'another-key';
  readonly pause: 'none' | 'jitter';
  /** Failures of the service as a whole are charged to the retry budget; failures of one key are bounded anyway. */
  readonly budget: 'charged' | 'free';
  /** `uncounted`: the back-off of the store, or the number of keys, bounds how often it happens. */
  readonly attempt: 'counted' | 'uncounted';
};

/** Codes that are missing are final: trying again gives the same answer. */
const RULES: Partial<Record<ErrorCode, Rule>> = {
  upstream_rate_limited: { on: 'any-key', pause: 'none', budget: 'free', attempt: 'uncounted' },
  upstream_unauthorized: { on: 'another-key', pause: 'none', budget: 'free', attempt: 'uncounted' },
  upstream_unreachable: { on: 'any-key', pause: 'jitter', budget: 'charged', attempt: 'counted' },
  upstream_timeout: { on: 'any-key', pause: 'none', budget: 'charged', attempt: 'counted' },
  upstream_bad_audio: { on: 'any-key', pause: 'jitter', budget: 'charged', attempt: 'counted' },
};

export type Situation = {
  /** Attempts made that count, the failed one included. */
  readonly attempts: number;
  /** Until the request must have been sent. */
  readonly timeLeftMs: number;
  /** Members without a cool-down that were not tried for this request, busy or not. */
  readonly otherKeys: number;
};

export type NextStep =
  | ({ readonly step: 'retry'; readonly delayMs: number } & Pick<Rule, 'on' | 'budget'>)
  | { readonly step: 'give-up' };

const GIVE_UP: NextStep = { step: 'give-up' };

export function nextStep(code: ErrorCode, situation: Situation, random: Random): NextStep {
  const rule = RULES[code];
  if (rule === undefined) return GIVE_UP;
  if (rule.attempt === 'counted' && situation.attempts > MAX_RETRIES) return GIVE_UP;
  // With no time left the request goes to another key, not again to the one that has just refused it.
  const on = rule.attempt === 'uncounted' && situation.timeLeftMs <= 0 ? 'another-key' : rule.on;
  if (on === 'another-key' && situation.otherKeys === 0) return GIVE_UP;
  const { min, max } = JITTER_MS;
  const delayMs = rule.pause === 'none' ? 0 : min + random.below(max - min + 1);
  // A 429 is followed by a retry even with no time left: a free key takes the request at once, and where none is free the line
  // refuses it. All other retries must fit into the time that is left.
  if (rule.attempt === 'counted' && delayMs > situation.timeLeftMs) return GIVE_UP;
  return { step: 'retry', delayMs, on, budget: rule.budget };
}

/** Whether a failure is one of the attempts that a request has. */
export const isCounted = (code: ErrorCode): boolean => RULES[code]?.attempt !== 'uncounted';

/** A failure of the service: no connection, 5xx, no audio in time or in the answer, or audio that broke off. */
export const isServiceFault = (code: ErrorCode): boolean =>
  RULES[code]?.budget === 'charged' || code === 'upstream_broken';

export type MemberHistory = {
  /** 403s in a row, this one included. */
  readonly forbidden: number;
  /** Service faults in a row, this one included. */
  readonly faults: number;
  /** Cool-downs after faults in a row so far. */
  readonly coolDowns: number;
  /** Why this attempt was a trial, if it was one. */
  readonly onTrialFor: CoolDownKind | 'limited' | undefined;
  /** All others are cooling down. */
  readonly lastMember: boolean;
};

/** `refused`: the service does not want the key. `broken`: the service fails on it. */
export type CoolDownKind = 'refused' | 'broken';
export type CoolDown = { readonly kind: CoolDownKind; readonly ms: number };

const REFUSED_MS = 600_000;
const FORBIDDEN_IN_A_ROW = 3;
/** The figures of Envoy's outlier detection. */
const FAULTS_IN_A_ROW = 5;
const BROKEN_MS = { step: 30_000, max: 300_000 } as const;

/**
 * The cool-down of a member after a failure; undefined: none. After it, one request is sent as a trial.
 * - 401, 402, and a 429 that says that the account has no money or the key no access: 10 minutes.
 * - 403: the same, but only at the third in a row, because the service also answers 403 when a user may not make this one
 *   request now.
 * - Service faults, and bodies that break off: 30 s, then 60 s, … 300 s. It begins at the fifth fault in a row, or at once
 *   when the trial after such a cool-down meets another one.
 * - The last member never cools down: its requests may fail, but they succeed again as soon as the service does.
 */
export function coolDownAfter(
  failure: { readonly status: number | undefined; readonly code: ErrorCode },
  history: MemberHistory,
): CoolDown | undefined {
  if (history.lastMember) return undefined;
  const { status, code } = failure;
  const isRefused =
    status === 403 ? history.forbidden >= FORBIDDEN_IN_A_ROW : code === 'upstream_unauthorized';
  if (isRefused) return { kind: 'refused', ms: REFUSED_MS };
  if (!isServiceFault(code)) return undefined;
  if (history.faults < FAULTS_IN_A_ROW && history.onTrialFor !== 'broken') return undefined;
  return { kind: 'broken', ms: Math.min(BROKEN_MS.max, BROKEN_MS.step * (history.coolDowns + 1)) };
}
