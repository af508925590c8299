// What admission costs a request: one question to the quota store and one report, as the pool puts them, with logs of
// sends as full as they get; in memory, and in a Redis where there is one. The work of the store alone; the wait for a
// free moment is not cost but quota.

import { silentLog } from '../src/base/log.ts';
import { createMemoryQuotaStore } from '../src/upstream/quota/memory-quota-store.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { hasProgram } from './lab/has-program.ts';
import { HOW_TO_GET_REDIS } from './lab/redis-process.ts';
import { type Spread, spreadOf } from './lab/spread.ts';
import { measureSharedAdmission } from './shared-admission.ts';

const KEYS = 4;
const PER_MINUTE = 600;
/** Compilation settles in the meantime. */
const WARM_UP = 20_000;
const FORECAST = 16;

type Costs = {
  readonly grantUs: readonly number[];
  readonly refusalUs: readonly number[];
  readonly reportUs: readonly number[];
};

/** Simulated time, real cost: a request every `gapMs`, so that a part of them finds nothing free. */
function measureMemory(samples: number): Costs {
  const gapMs = (0.8 * 60_000) / (KEYS * PER_MINUTE);
  let nowMs = 0;
  const clock = { now: () => nowMs, after: () => () => {}, soon: () => {} };
  const among = Array.from({ length: KEYS }, (_, key) => `key-${key}`);
  const quotas = among.map((quota) => ({ quota, perMinute: PER_MINUTE }));
  const store = createMemoryQuotaStore({ quotas, clock, log: silentLog });
  const costs = { grantUs: [] as number[], refusalUs: [] as number[], reportUs: [] as number[] };
  for (let n = 0; n < WARM_UP + samples; n++) {
    nowMs += gapMs;
    const reservation = `request-${n}`;
    const askedMs = performance.now();
    const answer = store.ask({ reservation, among, leave: 0, forecast: FORECAST });
    const answeredMs = performance.now();
    const isWarm = n >= WARM_UP;
    if (isWarm) (answer.granted ? costs.grantUs : costs.refusalUs).push((answeredMs - askedMs) * 1000);
    if (!answer.granted) continue;
    const toReportMs = performance.now();
    store.report(answer.quota, reservation, { kind: 'accepted', advice: { limit: PER_MINUTE } });
    if (isWarm) costs.reportUs.push((performance.now() - toReportMs) * 1000);
  }
  return costs;
}

const rowOf = (name: string, { count, p50, p99, max }: Spread): readonly string[] => [
  name,
  String(count),
  ...[p50, p99, max].map((us) => (Number.isNaN(us) ? '–' : us.toFixed(1))),
];

async function run({ numbers, signal, progress }: BenchRun): Promise<BenchResult> {
  progress(`admission: ${KEYS} keys of ${PER_MINUTE} a minute`);
  const memory = measureMemory(numbers.samples);
  const quota = { keys: KEYS, perMinute: PER_MINUTE, forecast: FORECAST };
  const shared = hasProgram('redis-server')
    ? await measureSharedAdmission({ ...quota, samples: numbers.samples, signal })
    : undefined;
  const grant = spreadOf(memory.grantUs);
  const refusal = spreadOf(memory.refusalUs);
  const reported = spreadOf(memory.reportUs);
  const sharedGrant = spreadOf(shared?.grantUs ?? []);
  const sharedRefusal = spreadOf(shared?.refusalUs ?? []);
  return {
    title: `admission: ${KEYS} keys of ${PER_MINUTE} requests a minute each, saturated`,
    columns: ['µs', 'count', 'p50', 'p99', 'max'],
    rows: [
      rowOf('in memory: ask, granted', grant),
      rowOf(`in memory: ask, refused with ${FORECAST} coming free moments`, refusal),
      rowOf('in memory: report of an answer', reported),
      rowOf('in Redis on loopback: ask, granted', sharedGrant),
      rowOf(`in Redis on loopback: ask, refused with ${FORECAST} coming free moments`, sharedRefusal),
    ],
    notes: [
      'In memory times are simulated, costs are real. What is as long as a millisecond is the machine, not the store.',
      ...(shared === undefined ? [`Not measured in Redis: ${HOW_TO_GET_REDIS}`] : []),
      'Aims, p99: 50 µs in memory, 2 ms in Redis.',
    ],
    figures: {
      memoryGrantP50Us: grant.p50,
      memoryGrantP99Us: grant.p99,
      memoryRefusalP50Us: refusal.p50,
      memoryRefusalP99Us: refusal.p99,
      memoryReportP99Us: reported.p99,
      ...(shared === undefined
        ? {}
        : {
            redisGrantP50Us: sharedGrant.p50,
            redisGrantP99Us: sharedGrant.p99,
            redisRefusalP50Us: sharedRefusal.p50,
            redisRefusalP99Us: sharedRefusal.p99,
          }),
    },
    faults: [],
  };
}

export const admission: Bench = {
  summary: 'what it costs to ask for a send and to report its answer, in memory and in Redis',
  defaults: { samples: 10_000 },
  run,
};
