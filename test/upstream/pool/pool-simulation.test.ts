// The whole pool against a service that counts: hours of traffic on a clock that stands still. Each case holds the
// promise that an operator reads, with the store that a single instance has.
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/base/metrics.ts';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import { quotaIdOf } from '../../../src/upstream/key-digest.ts';
import { createUpstreamPool, type UpstreamPoolOptions } from '../../../src/upstream/pool/upstream-pool.ts';
import { createMemoryQuotaStore } from '../../../src/upstream/quota/memory-quota-store.ts';
import type { SpeechWork } from '../../../src/upstream/speech-work.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { type Call, key, memoryTransport, recordingLog, request } from '../../support/pool-bench.ts';

const WINDOW_MS = 60_000;
const RETRY_AFTER_MS = 20_000;

type Service = {
  readonly keys: number;
  readonly perMinute: number;
  /** Streams of one key that it has at once. */
  readonly concurrent?: number;
  /** Time to first byte, from a number between 0 and 1. */
  readonly ttfbMs: (chance: number) => number;
};

/** A pool with that many keys before a service with fixed windows, which refuses what is beyond its limit. */
function simulate(service: Service, overrides: Partial<UpstreamPoolOptions> = {}) {
  const clock = createFakeClock(0);
  const chance = seededNumbers(7, 1);
  const keys = Array.from({ length: service.keys }, (_, index) => key(`k${index}`));
  const counts = new Map<string, number>();
  const running = new Map<string, number>();
  let refusals = 0;
  let closedUntilMs = 0;
  const onCall = (call: Call) => {
    call.sent();
    const arrivesMs = 20 + 30 * chance();
    clock.after(arrivesMs, () => {
      const window = Math.floor((clock.now() + 17_000) / WINDOW_MS);
      const counted = (counts.get(`${call.key} ${window}`) ?? 0) + 1;
      counts.set(`${call.key} ${window}`, counted);
      const isClosed = clock.now() < closedUntilMs;
      const before = running.get(call.key) ?? 0;
      const isFull = before >= (service.concurrent ?? Number.POSITIVE_INFINITY);
      if (counted > service.perMinute || isClosed || isFull) {
        refusals += 1;
        const advice = isClosed ? { resetMs: RETRY_AFTER_MS } : {};
        return clock.after(10, () => call.fail('upstream_rate_limited', { status: 429, advice }));
      }
      running.set(call.key, before + 1);
      return clock.after(service.ttfbMs(chance()) - arrivesMs, () => {
        call.answer();
        clock.after(400, () => {
          running.set(call.key, running.get(call.key)! - 1);
          call.end();
        });
      });
    });
  };
  const { calls, transport } = memoryTransport(() => clock.now(), onCall);
  const { log } = recordingLog();
  const store = createMemoryQuotaStore({
    quotas: keys.map(({ apiKey }) => ({ quota: quotaIdOf(apiKey), perMinute: service.perMinute })),
    clock,
    log,
  });
  const metrics = createMetrics();
  const pool = createUpstreamPool({
    keys,
    store,
    maxInFlightPerKey: 50,
    maxWaitMs: 30_000,
    maxWaiting: 1_000,
    maxWaitingPerTenant: 1_000,
    transport,
    clock,
    random: fixedRandom(0.5),
    log,
    metrics,
    ...overrides,
  });
  const waits: Record<string, number[]> = {};
  const firstBytes: number[] = [];
  const failures: string[] = [];
  const refusedAfterMs: number[] = [];
  const say = (work: SpeechWork) => {
    const fromMs = clock.now();
    pool.open(request, { signal: new AbortController().signal, work }).then(
      ({ queueMs }) => {
        waits[work.class] ??= [];
        waits[work.class]!.push(queueMs);
        firstBytes.push(clock.now() - fromMs);
      },
      (error: { code: string }) => {
        failures.push(error.code);
        refusedAfterMs.push(clock.now() - fromMs);
      },
    );
  };
  /** Calls `each` at random moments, `perMinute` times a minute on average. */
  const poisson = (perMinute: number, each: (n: number) => void) => {
    let n = 0;
    const next = () => {
      each(n++);
      clock.after((-Math.log(1 - 0.999 * chance()) * 60_000) / perMinute, next);
    };
    next();
  };
  return {
    clock,
    calls,
    metrics,
    waits,
    firstBytes,
    failures,
    refusedAfterMs,
    /** Until then it refuses everything, and says to come back in 20 s. */
    closeUntil(untilMs: number) {
      closedUntilMs = untilMs;
    },
    say,
    poisson,
    get refusals() {
      return refusals;
    },
    limits: () => store.state().map(({ rule }) => (rule.kind === 'unlimited' ? undefined : rule.limit)),
  };
}

const quantile = (values: readonly number[], share: number) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1]!;
};
const ordinary = (chance: number) => 150 + 250 * chance * chance;

it('has the first words of a turn wait at most 100 ms (99 of 100) at 90 % of the quota', async () => {
  const run = simulate({ keys: 4, perMinute: 60, ttfbMs: ordinary });
  // Coalesced: the first sentence, then all the rest in one request, 1.5 s later and needed 3 s after that.
  run.poisson(108, (n) => {
    const session = `s${n}`;
    const tenant = `t${n % 5}`;
    run.say({ class: 'first', tenant, session, deadlineMs: run.clock.now() + 1_000 });
    run.clock.after(1_500, () =>
      run.say({ class: 'next', tenant, session, deadlineMs: run.clock.now() + 3_000 }),
    );
  });
  await run.clock.run(8 * 60_000);
  expect(run.waits.first!.length).toBeGreaterThan(750);
  expect(run.refusals).toBe(0);
  expect(quantile(run.waits.first!, 0.99)).toBeLessThanOrEqual(100);
  // What plays pays for it, but is not starved.
  expect(quantile(run.waits.next!, 0.9)).toBeLessThanOrEqual(10_000);
  expect(run.failures).toEqual([]);
}, 60_000);

describe('a service of which one answer in fifty stalls', () => {
  const stalls = (chance: number) => (chance < 0.02 ? 2_500 : ordinary((chance - 0.02) / 0.98));
  const run = async (keys: number) => {
    const made = simulate({ keys, perMinute: 1_200 / keys, ttfbMs: stalls });
    made.poisson(300, () => made.say({ class: 'first', tenant: '', deadlineMs: made.clock.now() + 1_000 }));
    await made.clock.run(10 * 60_000);
    return made;
  };

  it('has half the p99 of the first byte with hedges, for at most a twentieth more requests', async () => {
    const without = await run(1);
    const hedged = await run(4);
    expect(quantile(without.firstBytes, 0.99)).toBeGreaterThan(2_000);
    expect(quantile(hedged.firstBytes, 0.99)).toBeLessThanOrEqual(0.5 * quantile(without.firstBytes, 0.99));
    const asked = hedged.firstBytes.length;
    expect(hedged.calls.length - asked).toBeLessThanOrEqual(asked / 20 + 20);
  }, 60_000);
});

it('uses the quota to its end and refuses the rest, when four times as much is asked for', async () => {
  const run = simulate({ keys: 4, perMinute: 60, ttfbMs: ordinary }, { maxWaitMs: 5_000 });
  run.poisson(960, () => run.say({ class: 'first', tenant: '', deadlineMs: run.clock.now() + 1_000 }));
  await run.clock.run(4 * 60_000);
  expect(run.refusals).toBe(0);
  expect(run.calls.length).toBeGreaterThan(0.98 * 4 * 4 * 60 * (60 / 60.5));
  expect(new Set(run.failures)).toEqual(new Set(['busy']));
}, 60_000);

it('sends next to nothing while every key is refused, and tells callers at once', async () => {
  const run = simulate({ keys: 4, perMinute: 600, ttfbMs: ordinary }, { maxWaitMs: 5_000 });
  run.poisson(600, () => run.say({ class: 'first', tenant: '', deadlineMs: run.clock.now() + 1_000 }));
  await run.clock.run(30_000);
  run.closeUntil(run.clock.now() + 60_000);
  await run.clock.run(1_000);
  const refusalsAtOnset = run.refusals;
  const answered = run.firstBytes.length;
  const late = run.refusedAfterMs.length;
  await run.clock.run(50_000);
  // What was under way when it began, and then one trial for each key whenever its hold ends.
  expect(refusalsAtOnset).toBeLessThanOrEqual(40);
  expect(run.refusals - refusalsAtOnset).toBeLessThanOrEqual(4 * 3);
  const told = run.refusedAfterMs.slice(late);
  expect(told.length).toBeGreaterThan(400);
  // Who comes in the last five seconds of a hold may hope, and waits for its end.
  expect(quantile(told, 0.75)).toBeLessThan(50);
  expect(Math.max(...told)).toBeLessThan(5_100);
  expect(run.firstBytes.length).toBe(answered);
  await run.clock.run(60_000);
  expect(run.firstBytes.length).toBeGreaterThan(answered + 100);
}, 60_000);

it('keeps its limits through a minute in which every key is refused', async () => {
  const run = simulate({ keys: 4, perMinute: 600, ttfbMs: ordinary }, { maxWaitMs: 5_000 });
  run.poisson(600, () => run.say({ class: 'first', tenant: '', deadlineMs: run.clock.now() + 1_000 }));
  await run.clock.run(30_000);
  run.closeUntil(run.clock.now() + 60_000);
  await run.clock.run(90_000);
  const answered = run.firstBytes.length;
  await run.clock.run(2 * 60_000);
  expect(run.limits()).toEqual([600, 600, 600, 600]);
  expect(run.firstBytes.length - answered).toBeGreaterThan(1_000);
}, 60_000);

it('makes nearly as much of a service that limits the concurrency as that allows', async () => {
  const run = simulate({ keys: 2, perMinute: 600, concurrent: 5, ttfbMs: ordinary });
  // 5 streams of some 0.63 s each are 950 a minute for both keys.
  run.poisson(850, (n) =>
    run.say({ class: n % 2 ? 'next' : 'first', tenant: '', deadlineMs: run.clock.now() + 1_000 }),
  );
  await run.clock.run(3 * 60_000);
  const before = run.firstBytes.length;
  await run.clock.run(5 * 60_000);
  expect(run.limits()).toEqual([600, 600]);
  expect((run.firstBytes.length - before) / 5).toBeGreaterThan(0.8 * 850);
}, 60_000);
