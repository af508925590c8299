// How many requests a key may make in 60 seconds, by what it asks for (interface 8): the four limits that it states, and
// ours for the rest. The counting itself is a library's, in memory or in Redis.

import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RATE_WINDOW_MS } from '../limits/rate-window.ts';

/** Requests in 60 s; 0 is no limit. */
export type RateRules = {
  readonly 'agents-create': number;
  readonly 'agents-patch': number;
  readonly 'agents-read': number;
  readonly 'agent-stats': number;
  /** Making something: speech, jobs, PlayNotes. */
  readonly make: number;
  /** Asking and listing. */
  readonly ask: number;
};
export type RateRule = keyof RateRules;

/** Interface 8.4. */
export const STATED_RULES = {
  'agents-create': 20,
  'agents-patch': 20,
  'agents-read': 60,
  'agent-stats': 60,
} as const;

export type RateTaken = {
  readonly allowed: boolean;
  readonly perMinute: number;
  readonly remaining: number;
  /** Until the window is over. */
  readonly resetMs: number;
};

export type KeyLimits = {
  /** Counts one request of the key; undefined when nothing limits it. */
  take(rule: RateRule, keyName: string): Promise<RateTaken | undefined>;
};

/** The library's limiter for one rule. */
export type OpenLimiter = (rule: RateRule, perMinute: number) => RateLimiterAbstract;

const WINDOW_S = RATE_WINDOW_MS / 1000;

export const inMemory: OpenLimiter = (rule, perMinute) =>
  new RateLimiterMemory({ keyPrefix: rule, points: perMinute, duration: WINDOW_S });

export function createKeyLimits(rules: RateRules, open: OpenLimiter = inMemory): KeyLimits {
  const limiters = new Map(
    (Object.keys(rules) as RateRule[])
      .filter((rule) => rules[rule] > 0)
      .map((rule) => [rule, open(rule, rules[rule])]),
  );
  return {
    async take(rule, keyName) {
      const limiter = limiters.get(rule);
      if (limiter === undefined) return undefined;
      const told = (result: RateLimiterRes, allowed: boolean): RateTaken => ({
        allowed,
        perMinute: rules[rule],
        remaining: Math.max(0, result.remainingPoints),
        resetMs: Math.max(1, result.msBeforeNext),
      });
      try {
        return told(await limiter.consume(keyName), true);
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return told(refusal, false);
        throw refusal;
      }
    },
  };
}
