// A speech service in memory that counts as strictly as a real one, and pools in front of it: what is sent on a key
// beyond its limit in any 60 s is refused with a 429, and told here. Speech comes at once, on a clock that a test moves.

import { AppError } from '../../src/base/app-error.ts';
import type { Clock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createMetrics } from '../../src/base/metrics.ts';
import { quotaIdOf } from '../../src/upstream/key-digest.ts';
import { createUpstreamPool, type UpstreamPool } from '../../src/upstream/pool/upstream-pool.ts';
import { createMemoryQuotaStore } from '../../src/upstream/quota/memory-quota-store.ts';
import type { SpeechTransport } from '../../src/upstream/speech-transport.ts';
import { speechMp3 } from './codecs.ts';
import { fixedRandom } from './fixed-random.ts';

export type StrictKey = {
  readonly name: string;
  /** What the pool is told of its limit. */
  readonly perMinute?: number;
  /** What the service takes of it in any minute; absent: everything. */
  readonly takes?: number;
};

export type StrictServiceOptions = {
  readonly keys: readonly StrictKey[];
  readonly clock: Clock;
  /** Of first words; the others wait as they do in the gateway. */
  readonly maxWaitMs?: number;
  /** How long a text is in speech. */
  readonly speechMs?: (text: string) => number;
  /** Until the answer. */
  readonly answerMs?: number;
  /** Which answers break off, and after what part of their bytes: of the n-th request. */
  readonly breaks?: Readonly<Record<number, number>>;
  /** What a refusal says of when to come again, ms. */
  readonly retryAfterMs?: number;
};

export type StrictService = {
  readonly pool: UpstreamPool;
  /** Every request, in order. */
  readonly requests: readonly { readonly key: string; readonly atMs: number; readonly status: 200 | 429 }[];
  refusals(): number;
};

const WINDOW_MS = 60_000;
const known = new Map<number, Uint8Array>();
const speechOf = (ms: number): Uint8Array => {
  const found = known.get(ms) ?? speechMp3(ms);
  known.set(ms, found);
  return found;
};

export function startStrictService(options: StrictServiceOptions): StrictService {
  const {
    keys,
    clock,
    maxWaitMs = 30_000,
    speechMs = () => 1_000,
    answerMs = 0,
    retryAfterMs,
    breaks = {},
  } = options;
  const requests: { key: string; atMs: number; status: 200 | 429 }[] = [];

  const judge = (name: string): 200 | 429 => {
    const takes = keys.find((key) => key.name === name)?.takes ?? Number.POSITIVE_INFINITY;
    const counted = requests.filter(
      ({ key, atMs, status }) => key === name && status === 200 && clock.now() - atMs < WINDOW_MS,
    );
    return counted.length < takes ? 200 : 429;
  };
  const transport: SpeechTransport = {
    async send({ text }, { userId }, { signal, onSent, onClosed }) {
      signal.throwIfAborted();
      onSent();
      const status = judge(userId);
      requests.push({ key: userId, atMs: clock.now(), status });
      if (answerMs > 0) await new Promise<void>((resolve) => clock.after(answerMs, resolve));
      if (signal.aborted) {
        onClosed('aborted');
        throw signal.reason as Error;
      }
      if (status === 429) {
        const error = new AppError('upstream_rate_limited', 'over the limit');
        const failure = {
          error,
          status,
          advice: retryAfterMs === undefined ? {} : { resetMs: retryAfterMs },
        };
        onClosed(failure);
        return { ok: false, ...failure };
      }
      const part = breaks[requests.length - 1];
      async function* chunks() {
        const whole = speechOf(Math.round(speechMs(text ?? '')));
        const body = part === undefined ? whole : whole.subarray(0, Math.round(part * whole.length));
        for (let at = 0; at < body.length; at += 16_384) yield body.subarray(at, at + 16_384);
        if (part === undefined) return onClosed('ok');
        const error = new AppError('upstream_broken', 'it broke');
        onClosed({ error, status: 200, advice: {} });
        throw error;
      }
      return { ok: true, chunks: chunks(), ttfbMs: answerMs, advice: {} };
    },
    warm: async () => {},
    close: async () => {},
  };
  const credentials = keys.map(({ name }) => ({ userId: name, apiKey: `sk-${name}` }));
  const quotas = keys.map(({ name, perMinute }) => ({ quota: quotaIdOf(`sk-${name}`), perMinute }));
  const pool = createUpstreamPool({
    keys: credentials,
    store: createMemoryQuotaStore({ quotas, clock, log: silentLog }),
    maxInFlightPerKey: 4,
    maxWaitMs: {
      resume: 'while-served',
      first: maxWaitMs,
      next: 'while-served',
      prefetch: 'while-served',
      batch: 'while-served',
    },
    maxWaiting: 1000,
    transport,
    clock,
    random: fixedRandom(0),
    log: silentLog,
    metrics: createMetrics(),
  });
  return { pool, requests, refusals: () => requests.filter(({ status }) => status === 429).length };
}
