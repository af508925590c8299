// One member of the pool: the pair of API key and user id that every request names, with its requests under way and how far it
// is trusted. How many requests its key may still send is counted elsewhere (quota-store.ts). After a cool-down, and after a
// 429, one request goes first, as a trial.

import type { RateAdvice } from '../../limits/rate-headers.ts';
import { fingerprintOf, quotaIdOf } from '../key-digest.ts';
import type { QuotaId } from '../quota/quota-store.ts';
import type { AttemptFailure, Credentials } from '../speech-transport.ts';
import { type CoolDown, type CoolDownKind, coolDownAfter, isServiceFault } from './failure-policy.ts';

/** `limited`: until a request has worked after a 429, one goes at a time. */
export type Doubt = CoolDownKind | 'limited';

export type MemberState = {
  /** Identifies the member without revealing the key: `k_` and 8 hexadecimal digits of a SHA-256. */
  readonly fingerprint: string;
  readonly inFlight: number;
  /** The most that may be in flight now. */
  readonly cap: number;
  /** Why it is doubted, and its remaining cool-down: 0 when a trial is due or under way. */
  readonly doubt: { readonly reason: Doubt; readonly restMs: number } | undefined;
};

/** A slot for one attempt. Ends by `release`, once. */
export type Slot = {
  readonly member: PoolMember;
  readonly credentials: Credentials;
  /** The first byte came: the member works. */
  answered(advice: RateAdvice): void;
  /** Returns the cool-down that this begins, if any. */
  failed(failure: AttemptFailure, nowMs: number, others: readonly PoolMember[]): CoolDown | undefined;
  /** The body came to its end. */
  finished(): void;
  /** The body broke or stalled after its first byte. Returns as `failed`. */
  broke(nowMs: number, others: readonly PoolMember[]): CoolDown | undefined;
  release(): void;
};

export type PoolMember = {
  readonly fingerprint: string;
  readonly quota: QuotaId;
  inFlight(): number;
  cap(nowMs: number): number;
  /** The service is known to limit requests at once: by settings, its word, or its refusals. */
  countsAtOnce(): boolean;
  /** Free slots: none during a cool-down, at most one during a trial. */
  freeSlots(nowMs: number): number;
  /** The remaining cool-down; 0 when there is none. */
  coolDownMs(nowMs: number): number;
  /** The concurrency limit by the service. */
  told(concurrent: number): void;
  /** Refused because of the requests under way, not of the count: the cap sinks to what else was under way. */
  crowded(nowMs: number): void;
  /** Only when `freeSlots` is not 0. */
  take(nowMs: number): Slot;
  state(nowMs: number): MemberState;
};

type Doubted = {
  readonly reason: Doubt;
  readonly fromMs: number;
  readonly untilMs: number;
  trial: 'due' | 'running';
};

/**
 * How many requests a member may have under way: a setting, lowered by what the service says and by 429s that come while the
 * count of requests is far from used up, because another limit must have been reached. Arithmetic only.
 */
export type ConcurrencyCap = {
  /** 1 or more. */
  at(nowMs: number): number;
  /** The service has said or shown one. */
  isKnown(): boolean;
  /** The service's own figure; the last one counts. */
  told(concurrent: number): void;
  /** Refused while `others` were under way: evidently the most that the service takes. */
  refused(others: number, nowMs: number): void;
};

/** A learned cap rises by one in this time, so that one bad minute is forgotten. */
const RISE_MS = 30_000;

export function createConcurrencyCap(max: number): ConcurrencyCap {
  let said = Number.POSITIVE_INFINITY;
  let learned = Number.POSITIVE_INFINITY;
  let learnedAtMs = 0;
  const at = (nowMs: number) => {
    const risen = learned + Math.floor(Math.max(0, nowMs - learnedAtMs) / RISE_MS);
    return Math.max(1, Math.min(max, said, risen));
  };
  return {
    at,
    isKnown: () => Math.min(said, learned) < Number.POSITIVE_INFINITY,
    told(concurrent) {
      said = concurrent;
    },
    refused(others, nowMs) {
      learned = Math.max(1, Math.min(others, at(nowMs)));
      learnedAtMs = nowMs;
    },
  };
}

/** `of`: as in `PoolKey`. */
export function createPoolMember(
  { userId, apiKey }: Credentials,
  maxInFlight: number,
  of: {
    readonly quota?: QuotaId | undefined;
    readonly service?: string | undefined;
    readonly atOnce?: number | undefined;
  } = {},
): PoolMember {
  const credentials: Credentials = { userId, apiKey };
  const cap = createConcurrencyCap(maxInFlight);
  let inFlight = 0;
  let doubted: Doubted | undefined;
  let forbidden = 0;
  let faults = 0;
  /** Bodies that broke since one was complete: an answer that breaks is no sign of health. */
  let breaks = 0;
  let coolDowns = 0;

  const coolDownMs = (nowMs: number) => (doubted === undefined ? 0 : Math.max(0, doubted.untilMs - nowMs));
  const doubt = (reason: Doubt, nowMs: number, ms: number) => {
    doubted = { reason, fromMs: nowMs, untilMs: nowMs + ms, trial: 'due' };
  };

  const isLast = (others: readonly PoolMember[], nowMs: number) =>
    others.every((other) => other.coolDownMs(nowMs) > 0);
  const begin = (coolDown: CoolDown | undefined, nowMs: number): CoolDown | undefined => {
    if (coolDown === undefined) return undefined;
    if (coolDown.kind === 'broken') coolDowns += 1;
    doubt(coolDown.kind, nowMs, coolDown.ms);
    return coolDown;
  };

  const member: PoolMember = {
    fingerprint: fingerprintOf(credentials, of.service),
    quota: of.quota ?? quotaIdOf(apiKey),
    inFlight: () => inFlight,
    cap: (nowMs) => cap.at(nowMs),
    countsAtOnce: () => of.atOnce !== undefined || cap.isKnown(),
    freeSlots(nowMs) {
      const free = Math.max(0, cap.at(nowMs) - inFlight);
      if (doubted === undefined) return free;
      return coolDownMs(nowMs) === 0 && doubted.trial === 'due' ? Math.min(1, free) : 0;
    },
    coolDownMs,
    told: (concurrent) => cap.told(concurrent),
    crowded: (nowMs) => cap.refused(inFlight - 1, nowMs),
    state: (nowMs) => ({
      fingerprint: member.fingerprint,
      inFlight,
      cap: cap.at(nowMs),
      doubt: doubted && { reason: doubted.reason, restMs: coolDownMs(nowMs) },
    }),

    take(takenAtMs) {
      inFlight += 1;
      const trial = doubted;
      if (trial !== undefined) trial.trial = 'running';
      /** The attempt began before the present doubt: its result is not counted again. */
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
          coolDowns = 0;
          doubted = undefined;
        },
        failed({ status, error, advice }, nowMs, others) {
          if (advice.concurrent !== undefined) cap.told(advice.concurrent);
          if (isStale()) return undefined;
          if (status === 403) forbidden += 1;
          else if (status !== undefined) forbidden = 0;
          if (isServiceFault(error.code)) faults += 1;
          else if (status !== undefined) faults = 0;
          const coolDown = coolDownAfter(
            { status, code: error.code },
            {
              forbidden,
              faults,
              coolDowns,
              onTrialFor: trial !== undefined && trial === doubted ? trial.reason : undefined,
              lastMember: isLast(others, nowMs),
            },
          );
          if (coolDown === undefined && error.code === 'upstream_rate_limited' && doubted === undefined)
            doubt('limited', nowMs, 0);
          return begin(coolDown, nowMs);
        },
        finished() {
          breaks = 0;
        },
        broke(nowMs, others) {
          if (isStale()) return undefined;
          breaks += 1;
          const history = { forbidden, faults: breaks, coolDowns, onTrialFor: undefined };
          const coolDown = coolDownAfter(
            { status: undefined, code: 'upstream_broken' },
            { ...history, lastMember: isLast(others, nowMs) },
          );
          return begin(coolDown, nowMs);
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
