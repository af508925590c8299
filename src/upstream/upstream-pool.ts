// The speech upstream that callers see: several keys behind one port. It gives each request the key with the most room,
// lets it wait in one line when there is none, and tries again before the first byte as failure-policy.ts says.
// Later policies (shared quotas, hedging, resume) are layers of the same shape.

import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Random } from '../base/random.ts';
import { createRetryBudget } from '../limits/retry-budget.ts';
import type { OutgoingRequest } from '../speech/speech-request.ts';
import { nextStep } from './failure-policy.ts';
import { createKeyRing } from './key-ring.ts';
import type { AttemptEnd, SpeechTransport } from './speech-transport.ts';
import type { OpenOptions, SpeechUpstream } from './speech-upstream.ts';
import type { KeyState, Lease, PoolKey, UpstreamKey } from './upstream-key.ts';
import { createWaitingLine, LEAST_RETRY_MS } from './waiting-line.ts';

export type UpstreamPoolOptions = {
  readonly keys: readonly PoolKey[];
  readonly maxInFlightPerKey: number;
  /** From the call until the last attempt must have its key. */
  readonly maxWaitMs: number;
  readonly maxWaiting: number;
  readonly transport: SpeechTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
};

export type UpstreamPool = SpeechUpstream & {
  state(): { readonly keys: readonly KeyState[]; readonly waiting: number };
  /** Refuses those who wait and those who come (`shutting_down`); streams that run go on. */
  close(): void;
};

const RETRY_BUDGET = { share: 0.2, least: 3, windowMs: 10_000 };
const WAIT_SECONDS = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60];
const TTFB_SECONDS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8];

const pause = (delayMs: number, signal: AbortSignal, clock: Clock): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      disarm();
      reject(signal.reason as Error);
    };
    const disarm = clock.after(delayMs, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });

export function createUpstreamPool(options: UpstreamPoolOptions): UpstreamPool {
  const { transport, clock, random, log, metrics, maxWaitMs } = options;
  const ring = createKeyRing(options.keys, options.maxInFlightPerKey);
  const line = createWaitingLine(ring, options.maxWaiting, clock);
  const budget = createRetryBudget(RETRY_BUDGET);

  const requests = metrics.counter(
    'voxgate_upstream_requests_total',
    'Requests to the speech service, by how they ended',
  );
  const retries = metrics.counter(
    'voxgate_upstream_retries_total',
    'Requests that were retries, by what had failed',
  );
  const ttfb = metrics.histogram(
    'voxgate_upstream_ttfb_seconds',
    'From sending a request to its first byte of audio',
    TTFB_SECONDS,
  );
  const queueWait = metrics.histogram(
    'voxgate_queue_wait_seconds',
    'Wait for a key before the first attempt',
    WAIT_SECONDS,
  );
  metrics.gauge('voxgate_upstream_in_flight', 'Requests that hold a place on a key', () =>
    ring.keys.reduce((sum, key) => sum + key.inFlight(), 0),
  );

  const attempt = async (
    request: OutgoingRequest,
    lease: Lease,
    { signal, onSent: tellSent }: OpenOptions,
  ) => {
    const fromMs = clock.now();
    let sent: 'sent' | 'unsent' = 'unsent';
    const onClosed = (end: AttemptEnd) => {
      const nowMs = clock.now();
      requests.add(1, { outcome: typeof end === 'string' ? end : end.error.code });
      if (typeof end !== 'string') {
        const coolMs = lease.failed(
          end,
          nowMs,
          ring.keys.filter((key) => key !== lease.key),
        );
        if (coolMs > 0)
          log.warn('upstream_key_cools', { key: lease.key.fingerprint, status: end.status, coolMs });
      }
      lease.release(sent, nowMs);
      if (sent === 'sent') ring.learnHold(nowMs - fromMs);
      line.serve();
    };
    const onSent = () => {
      sent = 'sent';
      tellSent?.();
    };
    const result = await transport.send(request, lease.credentials, { signal, onSent, onClosed });
    if (result.ok) {
      lease.succeeded();
      line.serve();
      ttfb.observe(result.ttfbMs / 1000);
    }
    return result;
  };

  /** Returns when another attempt is due; throws `error`, or what it means to a caller, when there is to be none. */
  const prepareRetry = async (
    error: AppError,
    request: { attempts: number; deadlineMs: number; tried: ReadonlySet<UpstreamKey>; signal: AbortSignal },
  ): Promise<void> => {
    const { attempts, deadlineMs, tried, signal } = request;
    const nowMs = clock.now();
    const anyKeyInMs = ring.waits(nowMs).next().value;
    const situation = {
      attempts,
      timeLeftMs: deadlineMs - nowMs,
      anyKeyInMs,
      otherKeys: ring.others(nowMs, tried),
    };
    const next = nextStep(error.code, situation, random);
    if (next.step === 'give-up' || (next.budget === 'charged' && !budget.tryRetry(nowMs))) {
      if (error.code !== 'upstream_rate_limited') throw error;
      // The key's own Retry-After is not the caller's: another key may be free before it.
      throw new AppError(error.code, error.message, {
        retryAfterMs: Math.ceil(Math.max(LEAST_RETRY_MS, anyKeyInMs)),
      });
    }
    retries.add(1, { reason: error.code });
    log.info('upstream_retry', { reason: error.code, attempts, delayMs: next.delayMs });
    if (next.delayMs > 0) await pause(next.delayMs, signal, clock);
  };

  return {
    async open(request, options) {
      const { signal, onQueued } = options;
      const arrivedMs = clock.now();
      const deadlineMs = arrivedMs + maxWaitMs;
      const tried = new Set<UpstreamKey>();
      const entry = { signal, tried, deadlineMs, ...(onQueued === undefined ? {} : { onQueued }) };
      let lease = await line.enter({ ...entry, place: 'back' });
      let queueMs = clock.now() - arrivedMs;
      queueWait.observe(queueMs / 1000);
      budget.request(clock.now());
      for (let attempts = 1; ; attempts++) {
        const result = await attempt(request, lease, options);
        if (result.ok) return { chunks: result.chunks, ttfbMs: result.ttfbMs, queueMs, attempts };
        tried.add(lease.key);
        await prepareRetry(result.error, { attempts, deadlineMs, tried, signal });
        const againMs = clock.now();
        lease = await line.enter({ ...entry, place: 'front' });
        queueMs += clock.now() - againMs;
      }
    },
    state() {
      const nowMs = clock.now();
      return { keys: ring.keys.map((key) => key.state(nowMs)), waiting: line.length };
    },
    close: () => line.close(),
  };
}
