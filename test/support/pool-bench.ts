// A pool of speech keys on a clock that stands still, over a transport in memory: every attempt waits until the test
// answers it.

import { AppError, type ErrorCode } from '../../src/base/app-error.ts';
import type { Log, LogFields } from '../../src/base/log.ts';
import { createMetrics } from '../../src/base/metrics.ts';
import type { RateAdvice } from '../../src/limits/rate-headers.ts';
import type { SpeechRequest } from '../../src/speech/speech-request.ts';
import { quotaIdOf } from '../../src/upstream/key-digest.ts';
import { createUpstreamPool, type UpstreamPoolOptions } from '../../src/upstream/pool/upstream-pool.ts';
import type { AttemptOptions, Credentials, SpeechTransport } from '../../src/upstream/speech-transport.ts';
import type { OpenOptions, QueuedNotice, SpeechBody } from '../../src/upstream/speech-upstream.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { fixedRandom } from './fixed-random.ts';
import { createScriptedQuota } from './scripted-quota.ts';

export const TEXT = 'words that nobody may repeat';
export const request: SpeechRequest = {
  model: 'VoxDialog',
  text: TEXT,
  voice: 'v://a',
  outputFormat: 'mp3',
};

export type BenchKey = Credentials & { readonly perMinute?: number };

export const key = (name: string, perMinute?: number): BenchKey => ({
  userId: `user-${name}`,
  apiKey: `sk-secret-${name}`,
  ...(perMinute === undefined ? {} : { perMinute }),
});

export type Failing = {
  readonly status?: number;
  readonly advice?: RateAdvice;
  /** The bytes had left. */
  readonly when?: 'sent' | 'unsent';
};

export type Call = {
  readonly key: string;
  readonly atMs: number;
  readonly signal: AbortSignal;
  readonly state: 'open' | 'closed';
  /** How long its reader wanted nothing, each time, ms. */
  readonly restsMs: readonly number[];
  /** The request has left, though its answer is not there. */
  sent(): void;
  /** The first byte comes; the stream holds its place until `end`. */
  answer(advice?: RateAdvice): void;
  end(): void;
  fail(code: ErrorCode, how?: Failing): void;
};

/** `onCall` sees every attempt as it is made, and may answer it. */
export function memoryTransport(now: () => number, onCall: (call: Call) => void = () => {}) {
  const calls: Call[] = [];
  const transport: SpeechTransport = {
    send: (_, credentials, { signal, onSent, onClosed }: AttemptOptions) =>
      new Promise((resolve, reject) => {
        const startedMs = now();
        let state: Call['state'] = 'open';
        let hasLeft = false;
        const restsMs: number[] = [];
        const close: typeof onClosed = (end) => {
          if (state === 'open') onClosed(end);
          state = 'closed';
        };
        const abort = () => {
          close('aborted');
          reject(signal.reason as Error);
        };
        if (signal.aborted) return abort();
        signal.addEventListener('abort', abort);
        const call: Call = {
          key: credentials.userId.replace('user-', ''),
          atMs: startedMs,
          signal,
          restsMs,
          get state() {
            return state;
          },
          sent() {
            if (!hasLeft) onSent();
            hasLeft = true;
          },
          answer(advice = {}) {
            if (state === 'closed') return;
            call.sent();
            resolve({
              ok: true,
              ttfbMs: now() - startedMs,
              advice,
              chunks: (async function* () {})(),
              gathering: { rest: (ms) => void restsMs.push(ms), cameMs: () => startedMs },
            });
          },
          end: () => close('ok'),
          fail(code, { status, advice = {}, when = 'sent' } = {}) {
            if (state === 'closed') return;
            if (when === 'sent') call.sent();
            const failure = { error: new AppError(code, `failed: ${code}`), status, advice };
            close(failure);
            resolve({ ok: false, ...failure });
          },
        };
        calls.push(call);
        onCall(call);
      }),
    warm: async () => {},
    close: async () => {},
  };
  return { calls, transport };
}

export function recordingLog() {
  const lines: string[] = [];
  const record = (level: string) => (event: string, fields?: LogFields) =>
    void lines.push(JSON.stringify({ level, event, ...fields }));
  const log: Log = {
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
  };
  return { lines, log };
}

export function poolBench(
  keys: readonly BenchKey[],
  overrides: Partial<UpstreamPoolOptions> & {
    readonly clock?: FakeClock;
    readonly answers?: 'at once' | 'when let';
  } = {},
) {
  const clock = overrides.clock ?? createFakeClock();
  const { calls, transport } = memoryTransport(() => clock.now());
  const { lines, log } = recordingLog();
  const metrics = createMetrics();
  const limits = Object.fromEntries(keys.map(({ apiKey, perMinute }) => [quotaIdOf(apiKey), perMinute]));
  const quota = createScriptedQuota(clock, limits, overrides.answers);
  const pool = createUpstreamPool({
    keys,
    store: quota,
    maxInFlightPerKey: 4,
    maxWaitMs: 70_000,
    maxWaiting: 100,
    transport,
    clock,
    random: fixedRandom(0),
    log,
    metrics,
    ...overrides,
  });
  const startMs = clock.now();
  const open = (options: Partial<OpenOptions> = {}) => {
    const abort = new AbortController();
    const made = {
      abort,
      notices: [] as (QueuedNotice & { atMs: number })[],
      outcome: 'pending' as unknown,
      body: undefined as SpeechBody | undefined,
      done: undefined as unknown as Promise<void>,
    };
    const onQueued = (told: QueuedNotice) => {
      made.notices.push({ ...told, atMs: clock.now() - startMs });
    };
    made.done = pool.open(request, { signal: abort.signal, onQueued, ...options }).then(
      (body) => {
        const { queueMs, attempts } = body;
        made.body = body;
        made.outcome = { queueMs, attempts };
      },
      (error: unknown) => {
        made.outcome = error instanceof AppError ? error.code : error;
        if (error instanceof AppError && error.retryAfterMs !== undefined)
          made.outcome = { code: error.code, retryAfterMs: error.retryAfterMs };
      },
    );
    return made;
  };
  return { clock, calls, quota, pool, open, metrics, lines, startMs };
}
