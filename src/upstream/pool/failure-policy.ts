// What a failed attempt means: for the request (try again, where and when) and for the pool member (how long it
// rests). Pure, so that the whole table can be read and tested. A request is tried again before the first byte of
// audio only; afterwards a retry would be heard. A 429 is no failure of a member and no attempt: whoever counts the quota
// holds the key back, and the request goes to the next key or waits.

import type { ErrorCode } from '../../base/app-error.ts';
import type { Random } from '../../base/random.ts';

const MAX_RETRIES = 2;
/** Retries of an outage spread over 50–200 ms, so that they do not arrive as one wave. */
const JITTER_MS = { least: 50, most: 200 } as const;

type Rule = {
  readonly on: 'any-key' | 'another-key';
  readonly pause: 'none' | 'jitter';
  /** What speaks against the service as a whole draws on the retry budget; what speaks against a key ends by itself. */
  readonly budget: 'charged' | 'free';
  /** `uncounted`: the store's holds, or the number of keys, bound how often it is met. */
  readonly attempt: 'counted' | 'uncounted';
};

/** Codes that are absent are final: trying again gives the same answer. */
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
  /** Members that do not rest and have not been tried for this request, busy or not. */
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
  // With no time left the request goes to another key, and not once more to the one that has just refused it.
  const on = rule.attempt === 'uncounted' && situation.timeLeftMs <= 0 ? 'another-key' : rule.on;
  if (on === 'another-key' && situation.otherKeys === 0) return GIVE_UP;
  const { least, most } = JITTER_MS;
  const delayMs = rule.pause === 'none' ? 0 : least + random.below(most - least + 1);
  // A refusal is followed by a retry even with no time left: a free key takes the request at once, and where none is free the
  // line refuses it. All other retries must fit into the time that is left.
  if (rule.attempt === 'counted' && delayMs > situation.timeLeftMs) return GIVE_UP;
  return { step: 'retry', delayMs, on, budget: rule.budget };
}

/** Whether a failure is one of the attempts that a request has. */
export const isCounted = (code: ErrorCode): boolean => RULES[code]?.attempt !== 'uncounted';

/** The service as such failed: no connection, 5xx, no audio in time or in the answer, or audio that broke off. */
export const isServiceFault = (code: ErrorCode): boolean =>
  RULES[code]?.budget === 'charged' || code === 'upstream_broken';

export type MemberHistory = {
  /** 403s in a row, this one included. */
  readonly forbidden: number;
  /** Service faults in a row, this one included. */
  readonly faults: number;
  /** How often in a row faults have already made it rest. */
  readonly rests: number;
  /** What it was to show by this attempt, if anything. */
  readonly onTrialFor: RestKind | 'limited' | undefined;
  /** All others rest. */
  readonly lastMember: boolean;
};

/** `refused`: the service does not want the key. `broken`: the service fails on it. */
export type RestKind = 'refused' | 'broken';
export type Rest = { readonly kind: RestKind; readonly ms: number };

const REFUSED_MS = 600_000;
const FORBIDDEN_IN_A_ROW = 3;
/** The figures of Envoy's outlier detection. */
const FAULTS_IN_A_ROW = 5;
const BROKEN_MS = { step: 30_000, most: 300_000 } as const;

/**
 * How long a member rests after a failure; undefined when it does not rest. After the rest, one request is sent as a trial.
 * - 401, 402, and a 429 that says that the account has no money or the key no access: 10 minutes.
 * - 403: the same, but only at the third in a row, because the service also answers 403 when a user may not make this one
 *   request now.
 * - Service faults, and bodies that break off: 30 s, then 60 s, … 300 s. It begins at the fifth fault in a row, or at once
 *   when the trial after such a rest meets another one.
 * - The last member never rests: its requests may fail, but they succeed again as soon as the service does.
 */
export function restAfter(
  failure: { readonly status: number | undefined; readonly code: ErrorCode },
  history: MemberHistory,
): Rest | undefined {
  if (history.lastMember) return undefined;
  const { status, code } = failure;
  const isRefused =
    status === 403 ? history.forbidden >= FORBIDDEN_IN_A_ROW : code === 'upstream_unauthorized';
  if (isRefused) return { kind: 'refused', ms: REFUSED_MS };
  if (!isServiceFault(code)) return undefined;
  if (history.faults < FAULTS_IN_A_ROW && history.onTrialFor !== 'broken') return undefined;
  return { kind: 'broken', ms: Math.min(BROKEN_MS.most, BROKEN_MS.step * (history.rests + 1)) };
}
