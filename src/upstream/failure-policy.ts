// What a failed attempt means: for the request (try again, where and when) and for the key (how long it rests). Pure,
// so that the whole table can be read and tested. It decides before the first byte of audio only; afterwards a retry
// would be heard.

import type { ErrorCode } from '../base/app-error.ts';
import type { Random } from '../base/random.ts';

const MOST_RETRIES = 2;
/** Retries of an outage spread over 50–200 ms, so that they do not arrive as one wave. */
const JITTER_MS = { least: 50, most: 200 } as const;

type Rule = {
  readonly on: 'any-key' | 'another-key';
  readonly pause: 'none' | 'jitter';
  /** What speaks against the service as a whole draws on the retry budget; what speaks against a key ends by itself. */
  readonly budget: 'charged' | 'free';
};

/** Codes that are absent are final: trying again gives the same answer. */
const RULES: Partial<Record<ErrorCode, Rule>> = {
  upstream_rate_limited: { on: 'any-key', pause: 'none', budget: 'free' },
  upstream_unauthorized: { on: 'another-key', pause: 'none', budget: 'free' },
  upstream_unreachable: { on: 'any-key', pause: 'jitter', budget: 'charged' },
  upstream_timeout: { on: 'any-key', pause: 'none', budget: 'charged' },
  upstream_bad_audio: { on: 'any-key', pause: 'jitter', budget: 'charged' },
};

export type Situation = {
  /** Attempts made, the failed one included. */
  readonly attempts: number;
  /** Until the request must have been sent. */
  readonly timeLeftMs: number;
  /** Until some key can send again; 0 is now. */
  readonly anyKeyInMs: number;
  /** Keys that could send now and have not been tried for this request. */
  readonly otherKeys: number;
};

export type NextStep =
  | { readonly step: 'retry'; readonly delayMs: number; readonly budget: Rule['budget'] }
  | { readonly step: 'give-up' };

const GIVE_UP: NextStep = { step: 'give-up' };

export function nextStep(code: ErrorCode, situation: Situation, random: Random): NextStep {
  const rule = RULES[code];
  if (rule === undefined || situation.attempts > MOST_RETRIES) return GIVE_UP;
  if (rule.on === 'another-key' && situation.otherKeys === 0) return GIVE_UP;
  const { least, most } = JITTER_MS;
  const delayMs = rule.pause === 'none' ? 0 : least + random.below(most - least + 1);
  if (Math.max(delayMs, situation.anyKeyInMs) > situation.timeLeftMs) return GIVE_UP;
  return { step: 'retry', delayMs, budget: rule.budget };
}

export type KeyHistory = {
  /** 429s in a row, this one included. */
  readonly rateLimited: number;
  /** 403s in a row, this one included. */
  readonly forbidden: number;
  /** All other keys are out because they were refused. */
  readonly lastKey: boolean;
};

export type CoolDown = { readonly kind: 'limited' | 'refused'; readonly ms: number };

const REFUSED_MS = 600_000;
const FORBIDDEN_IN_A_ROW = 3;
const LEAST_LIMITED_MS = 1_000;
const FIRST_GUESS_MS = 5_000;
/** The longest that a per-minute quota can take to come back. */
const LONGEST_GUESS_MS = 60_000;

/**
 * How long a key rests after a failure; undefined when it does not.
 * - 429 with Retry-After: that long. Without: 5, 10, 20, 40, 60 s, because the minute may be nearly over, and one
 *   wasted request is cheaper than a minute without the key.
 * - 401: 10 minutes. 403: the same, but only at the third in a row, because the service also says 403 to a request
 *   that its user may not make now. The last key never rests for a refusal: better errors that end by themselves.
 */
export function coolDown(
  status: number | undefined,
  retryAfterMs: number | undefined,
  history: KeyHistory,
): CoolDown | undefined {
  if (status === 429) {
    const guessMs = Math.min(LONGEST_GUESS_MS, FIRST_GUESS_MS * 2 ** (history.rateLimited - 1));
    return { kind: 'limited', ms: Math.max(LEAST_LIMITED_MS, retryAfterMs ?? guessMs) };
  }
  const refused = status === 401 || (status === 403 && history.forbidden >= FORBIDDEN_IN_A_ROW);
  return refused && !history.lastKey ? { kind: 'refused', ms: REFUSED_MS } : undefined;
}
