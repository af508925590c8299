// One member of the pool: the pair of API key and user id that every request names, with its own quota, in-flight cap
// and cool-down. After a cool-down one request goes first, as a trial.

import { createHash } from 'node:crypto';
import { createSlidingWindow } from '../limits/sliding-window.ts';
import { coolDown } from './failure-policy.ts';
import type { AttemptFailure, Credentials } from './speech-transport.ts';

export type PoolKey = Credentials & {
  /** Requests per minute; without it no count limits the key, only its 429s do. */
  readonly perMinute?: number | undefined;
};

export type KeyState = {
  /** Tells members apart without telling the key: `k_` and 8 hexadecimal digits of a SHA-256. */
  readonly fingerprint: string;
  readonly used: number;
  readonly limit: number | undefined;
  readonly inFlight: number;
  /** What is left of the cool-down; 0 when there is none. */
  readonly coolMs: number;
};

/** A place for one attempt. Ends by `release`, once. */
export type Lease = {
  readonly key: UpstreamKey;
  readonly credentials: Credentials;
  /** The first byte came: the key works. */
  succeeded(): void;
  /** Answers with the cool-down that this begins, in milliseconds; 0 when there is none. */
  failed(failure: AttemptFailure, nowMs: number, others: readonly UpstreamKey[]): number;
  /** `sent`: whether a byte left the process; otherwise the request was not counted anywhere. */
  release(sent: 'sent' | 'unsent', nowMs: number): void;
};

export type UpstreamKey = {
  readonly fingerprint: string;
  /** Milliseconds until quota and cool-down allow a send behind `ahead` others; in-flight places do not count. */
  waitMs(nowMs: number, ahead: number): number;
  /** Free in-flight places; at most one during a trial. */
  places(): number;
  inFlight(): number;
  /** Sends left in the quota; Infinity without one. */
  room(nowMs: number): number;
  /** Out because the service refused the key. */
  isRefused(nowMs: number): boolean;
  /** Takes a place and a send; only when `waitMs(now, 0)` is 0 and `places()` is not. */
  lease(nowMs: number): Lease;
  state(nowMs: number): KeyState;
};

export function createUpstreamKey({ userId, apiKey, perMinute }: PoolKey, maxInFlight: number): UpstreamKey {
  const credentials: Credentials = { userId, apiKey };
  const digest = createHash('sha256').update(`${userId}:${apiKey}`).digest('hex');
  const window = perMinute === undefined ? undefined : createSlidingWindow(perMinute);
  let inFlight = 0;
  let cool: { kind: 'limited' | 'refused'; fromMs: number; untilMs: number } | undefined;
  let trial: 'none' | 'due' | 'running' = 'none';
  let rateLimited = 0;
  let forbidden = 0;

  const coolMs = (nowMs: number) => (cool === undefined ? 0 : Math.max(0, cool.untilMs - nowMs));

  const key: UpstreamKey = {
    fingerprint: `k_${digest.slice(0, 8)}`,
    waitMs: (nowMs, ahead) => Math.max(coolMs(nowMs), window?.waitMs(nowMs, ahead) ?? 0),
    places() {
      const free = maxInFlight - inFlight;
      if (trial === 'none') return free;
      return trial === 'due' ? Math.min(1, free) : 0;
    },
    inFlight: () => inFlight,
    room: (nowMs) => (window === undefined ? Number.POSITIVE_INFINITY : window.limit - window.used(nowMs)),
    isRefused: (nowMs) => cool?.kind === 'refused' && coolMs(nowMs) > 0,
    state: (nowMs) => ({
      fingerprint: key.fingerprint,
      used: window?.used(nowMs) ?? 0,
      limit: window?.limit,
      inFlight,
      coolMs: coolMs(nowMs),
    }),

    lease(takenAtMs) {
      window?.tryTake(takenAtMs);
      inFlight += 1;
      const onTrial = trial === 'due';
      if (onTrial) trial = 'running';
      /** The attempt began before the present cool-down, which answers for whatever it meets. */
      const isStale = () => cool !== undefined && takenAtMs <= cool.fromMs;
      return {
        key,
        credentials,
        succeeded() {
          if (isStale()) return;
          rateLimited = 0;
          forbidden = 0;
          if (onTrial) trial = 'none';
        },
        failed({ status, error }, nowMs, others) {
          if (isStale()) return 0;
          if (status === 429) rateLimited += 1;
          if (status === 403) forbidden += 1;
          const lastKey = others.every((other) => other.isRefused(nowMs));
          const rest = coolDown(status, error.retryAfterMs, { rateLimited, forbidden, lastKey });
          if (rest === undefined) return 0;
          cool = { kind: rest.kind, fromMs: nowMs, untilMs: nowMs + rest.ms };
          trial = 'due';
          return rest.ms;
        },
        release(sent, nowMs) {
          inFlight -= 1;
          if (sent === 'unsent') window?.refund(takenAtMs, nowMs);
          if (onTrial && trial === 'running') trial = 'due';
        },
      };
    },
  };
  return key;
}
