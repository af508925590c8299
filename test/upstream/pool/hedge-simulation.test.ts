// Hedging on and off over the same keys, before a service of which one answer in fifty stalls.
import { expect, it } from 'vitest';
import { createMetrics } from '../../../src/base/metrics.ts';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import { quotaIdOf } from '../../../src/upstream/key-digest.ts';
import { createUpstreamPool } from '../../../src/upstream/pool/upstream-pool.ts';
import { createMemoryQuotaStore } from '../../../src/upstream/quota/memory-quota-store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { type Call, key, memoryTransport, recordingLog, request } from '../../support/pool-bench.ts';

const STALL_MS = 2_500;
const keys = [key('a'), key('b'), key('c'), key('d')];

/** First bytes of 300 requests a minute, and the HTTP requests that they took. */
async function simulate(hedging: 'on' | 'off', perMinute: number | undefined, minutes: number) {
  const clock = createFakeClock(0);
  const arrivals = seededNumbers(7, 1);
  const answers = seededNumbers(7, 2);
  const onCall = (call: Call) => {
    call.sent();
    clock.after(answers() < 0.02 ? STALL_MS : 150 + 250 * answers() ** 2, () => {
      call.answer();
      clock.after(400, () => call.end());
    });
  };
  const { calls, transport } = memoryTransport(() => clock.now(), onCall);
  const { log } = recordingLog();
  const quotas = keys.map(({ apiKey }) => ({ quota: quotaIdOf(apiKey), perMinute }));
  const pool = createUpstreamPool({
    keys,
    store: createMemoryQuotaStore({ quotas, clock, log }),
    maxInFlightPerKey: 50,
    maxWaitMs: 30_000,
    maxWaiting: 1_000,
    hedging,
    transport,
    clock,
    random: fixedRandom(0.5),
    log,
    metrics: createMetrics(),
  });
  const firstBytesMs: number[] = [];
  const say = () => {
    const fromMs = clock.now();
    const work = { class: 'first', tenant: '', deadlineMs: fromMs + 1_000 } as const;
    void pool
      .open(request, { signal: new AbortController().signal, work })
      .then(() => firstBytesMs.push(clock.now() - fromMs));
    clock.after((-Math.log(1 - 0.999 * arrivals()) * 60_000) / 300, say);
  };
  say();
  await clock.run(minutes * 60_000);
  return { firstBytesMs, sent: calls.length };
}

const p99 = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.ceil(0.99 * values.length) - 1]!;

it('halves the p99 of the first byte, for at most a twentieth more requests', async () => {
  const off = await simulate('off', 300, 8);
  const on = await simulate('on', 300, 8);
  expect(p99(off.firstBytesMs)).toBeGreaterThanOrEqual(STALL_MS);
  expect(p99(on.firstBytesMs)).toBeLessThanOrEqual(0.5 * p99(off.firstBytesMs));
  expect(off.sent - off.firstBytesMs.length).toBeLessThanOrEqual(10);
  expect(on.sent).toBeLessThanOrEqual(1.05 * off.sent);
}, 60_000);

it('does so while the limits are still being found out', async () => {
  const off = await simulate('off', undefined, 8);
  const on = await simulate('on', undefined, 8);
  expect(p99(on.firstBytesMs)).toBeLessThanOrEqual(0.5 * p99(off.firstBytesMs));
  expect(on.sent).toBeLessThanOrEqual(1.05 * off.sent);
}, 60_000);
