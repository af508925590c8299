// First words and what plays, side by side at 90 % of the quota on a clock that stands still: what quota-reserve.ts
// balances. First words come first; what plays may wait, but as little of it as can be runs dry.
import { expect, it } from 'vitest';
import { createMetrics } from '../../../src/base/metrics.ts';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import { quotaIdOf } from '../../../src/upstream/key-digest.ts';
import { createUpstreamPool } from '../../../src/upstream/pool/upstream-pool.ts';
import { createMemoryQuotaStore } from '../../../src/upstream/quota/memory-quota-store.ts';
import type { SpeechWork } from '../../../src/upstream/speech-work.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { type Call, key, memoryTransport, recordingLog, request } from '../../support/pool-bench.ts';

const KEYS = 4;
const PER_MINUTE = 60;
const WARM_UP_MS = 60_000;

/** A turn is a first sentence and, 1.5 s later, all the rest, which is needed 3 s after that. */
async function simulate(turnsPerMinute: number, minutes: number, seed: number) {
  const clock = createFakeClock(0);
  const chance = seededNumbers(seed, 1);
  const answers = seededNumbers(seed, 2);
  const onCall = (call: Call) => {
    call.sent();
    clock.after(150 + 250 * answers() ** 2, () => {
      call.answer();
      clock.after(400, () => call.end());
    });
  };
  const { transport } = memoryTransport(() => clock.now(), onCall);
  const { log } = recordingLog();
  const keys = Array.from({ length: KEYS }, (_, index) => key(`k${index}`));
  const store = createMemoryQuotaStore({
    quotas: keys.map(({ apiKey }) => ({ quota: quotaIdOf(apiKey), perMinute: PER_MINUTE })),
    clock,
    log,
  });
  const pool = createUpstreamPool({
    keys,
    store,
    maxInFlightPerKey: 50,
    maxWaitMs: 60_000,
    maxWaiting: 1_000,
    maxWaitingPerTenant: 1_000,
    hedging: 'off',
    transport,
    clock,
    random: fixedRandom(0.5),
    log,
    metrics: createMetrics(),
  });
  const firstWaitsMs: number[] = [];
  /** How much later than needed each next request was sent; less than 0 when in time. */
  const lateMs: number[] = [];
  let refused = 0;
  const say = (work: SpeechWork) => {
    const fromMs = clock.now();
    if (fromMs < WARM_UP_MS) {
      pool.open(request, { signal: new AbortController().signal, work }).catch(() => {});
      return;
    }
    pool.open(request, { signal: new AbortController().signal, work }).then(
      ({ queueMs }) => {
        if (work.class === 'first') firstWaitsMs.push(queueMs);
        else lateMs.push(fromMs + queueMs - work.deadlineMs);
      },
      () => {
        refused += 1;
      },
    );
  };
  let turns = 0;
  const turn = () => {
    const of = { tenant: `t${turns % 5}`, session: `s${turns}` };
    turns += 1;
    say({ class: 'first', ...of, deadlineMs: clock.now() + 1_000 });
    clock.after(1_500, () => say({ class: 'next', ...of, deadlineMs: clock.now() + 3_000 }));
    clock.after((-Math.log(1 - 0.999 * chance()) * 60_000) / turnsPerMinute, turn);
  };
  turn();
  await clock.run(WARM_UP_MS + minutes * 60_000);
  return { firstWaitsMs, lateMs, refused };
}

const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.ceil(share * values.length) - 1]!;

it('keeps first words from waiting, and has few of the others run dry', async () => {
  const firstWaitsMs: number[] = [];
  const lateMs: number[] = [];
  for (const seed of [1, 2, 3]) {
    const run = await simulate(108, 12, seed);
    firstWaitsMs.push(...run.firstWaitsMs);
    lateMs.push(...run.lateMs);
    expect(run.refused).toBe(0);
  }
  expect(firstWaitsMs.length).toBeGreaterThan(3_500);
  expect(quantile(firstWaitsMs, 0.99)).toBeLessThanOrEqual(100);
  expect(lateMs.filter((ms) => ms > 0).length / lateMs.length).toBeLessThanOrEqual(0.185);
}, 60_000);
