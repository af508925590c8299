// One member of the pool: the pair of API key and user id that every request names, with what may be under way on it
// and how far it is trusted. How many requests its key may still send is not its business: quota-store.ts counts.
// After a rest, and after a 429, one request goes first, as a trial.

import type { RateAdvice } from '../../limits/rate-advice.ts';
import { fingerprintOf, quotaIdOf } from '../key-digest.ts';
import type { QuotaId } from '../quota/quota-store.ts';
import type { AttemptFailure, Credentials } from '../speech-transport.ts';
import { createConcurrencyCap } from './concurrency-cap.ts';
import { isServiceFault, type Rest, type RestKind, restAfter } from './failure-policy.ts';

/** `limited`: until a request has worked after a 429, one goes at a time. */
export type Doubt = RestKind | 'limited';

export type MemberState = {
  /** Tells members apart without telling the key: `k_` and 8 hexadecimal digits of a SHA-256. */
  readonly fingerprint: string;
  readonly inFlight: number;
  /** The most that may be in flight now. */
  readonly cap: number;
  /** Why it is doubted, and what is left of its rest: 0 when a trial is due or under way. */
  readonly doubt: { readonly reason: Doubt; readonly restMs: number } | undefined;
};

/** A place for one attempt. Ends by `release`, once. */
export type Place = {
  readonly member: PoolMember;
  readonly credentials: Credentials;
  /** The first byte came: the member works. */
  answered(advice: RateAdvice): void;
  /** Answers with the rest that this begins, if any. */
  failed(failure: AttemptFailure, nowMs: number, others: readonly PoolMember[]): Rest | undefined;
  /** The body came to its end. */
  finished(): void;
  /** The body broke or stalled after its first byte. Answers as `failed`. */
  broke(nowMs: number, others: readonly PoolMember[]): Rest | undefined;
  release(): void;
};

export type PoolMember = {
  readonly fingerprint: string;
  readonly quota: QuotaId;
  inFlight(): number;
  cap(nowMs: number): number;
  /** Free in-flight places: none during a rest, at most one during a trial. */
  places(nowMs: number): number;
  /** What is left of a rest; 0 when there is none. */
  restMs(nowMs: number): number;
  /** What the service says may be under way at once. */
  told(concurrent: number): void;
  /** Refused for what is under way, not for what was counted: the cap sinks to what else was under way. */
  crowded(nowMs: number): void;
  /** Only when `places` is not 0. */
  take(nowMs: number): Place;
  state(nowMs: number): MemberState;
};

type Doubted = {
  readonly reason: Doubt;
  readonly fromMs: number;
  readonly untilMs: number;
  trial: 'due' | 'running';
};

export function createPoolMember({ userId, apiKey }: Credentials, maxInFlight: number): PoolMember {
  const credentials: Credentials = { userId, apiKey };
  const cap = createConcurrencyCap(maxInFlight);
  let inFlight = 0;
  let doubted: Doubted | undefined;
  let forbidden = 0;
  let faults = 0;
  /** Bodies that broke, since one came to its end: an answer that breaks is no sign of health. */
  let breaks = 0;
  let rests = 0;

  const restMs = (nowMs: number) => (doubted === undefined ? 0 : Math.max(0, doubted.untilMs - nowMs));
  const doubt = (reason: Doubt, nowMs: number, ms: number) => {
    doubted = { reason, fromMs: nowMs, untilMs: nowMs + ms, trial: 'due' };
  };

  const isLast = (others: readonly PoolMember[], nowMs: number) =>
    others.every((other) => other.restMs(nowMs) > 0);
  const begin = (rest: Rest | undefined, nowMs: number): Rest | undefined => {
    if (rest === undefined) return undefined;
    if (rest.kind === 'broken') rests += 1;
    doubt(rest.kind, nowMs, rest.ms);
    return rest;
  };

  const member: PoolMember = {
    fingerprint: fingerprintOf(credentials),
    quota: quotaIdOf(apiKey),
    inFlight: () => inFlight,
    cap: (nowMs) => cap.at(nowMs),
    places(nowMs) {
      const free = Math.max(0, cap.at(nowMs) - inFlight);
      if (doubted === undefined) return free;
      return restMs(nowMs) === 0 && doubted.trial === 'due' ? Math.min(1, free) : 0;
    },
    restMs,
    told: (concurrent) => cap.told(concurrent),
    crowded: (nowMs) => cap.refused(inFlight - 1, nowMs),
    state: (nowMs) => ({
      fingerprint: member.fingerprint,
      inFlight,
      cap: cap.at(nowMs),
      doubt: doubted && { reason: doubted.reason, restMs: restMs(nowMs) },
    }),

    take(takenAtMs) {
      inFlight += 1;
      const trial = doubted;
      if (trial !== undefined) trial.trial = 'running';
      /** The attempt began before the present doubt, which answers for whatever it meets. */
      const isStale = () => doubted !== undefined && doubted !== trial && takenAtMs <= doubted.fromMs;
      return {
        member,
        credentials,
        answered({ concurrent }) {
          if (concurrent !== undefined) cap.told(concurrent);
          if (isStale()) return;
          forbidden = 0;
          faults = 0;
          if (doubted !== trial) return;
          rests = 0;
          doubted = undefined;
        },
        failed({ status, error, advice }, nowMs, others) {
          if (advice.concurrent !== undefined) cap.told(advice.concurrent);
          if (isStale()) return undefined;
          if (status === 403) forbidden += 1;
          else if (status !== undefined) forbidden = 0;
          if (isServiceFault(error.code)) faults += 1;
          else if (status !== undefined) faults = 0;
          const rest = restAfter(
            { status, code: error.code },
            {
              forbidden,
              faults,
              rests,
              onTrialFor: trial !== undefined && trial === doubted ? trial.reason : undefined,
              lastMember: isLast(others, nowMs),
            },
          );
          if (rest === undefined && error.code === 'upstream_rate_limited' && doubted === undefined)
            doubt('limited', nowMs, 0);
          return begin(rest, nowMs);
        },
        finished() {
          breaks = 0;
        },
        broke(nowMs, others) {
          if (isStale()) return undefined;
          breaks += 1;
          const history = { forbidden, faults: breaks, rests, onTrialFor: undefined };
          const rest = restAfter(
            { status: undefined, code: 'upstream_broken' },
            { ...history, lastMember: isLast(others, nowMs) },
          );
          return begin(rest, nowMs);
        },
        release() {
          inFlight -= 1;
          if (trial !== undefined && trial === doubted && trial.trial === 'running') trial.trial = 'due';
        },
      };
    },
  };
  return member;
}
