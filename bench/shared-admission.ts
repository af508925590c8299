// What admission costs when all instances count in one Redis: the way there and back, and its scripts. As the gateway
// asks, one question at a time, over a real connection and in real time; the window is short, and a few more questions
// are asked than it has places, so that the logs of sends stay full and there is something to grant all the same.

import { setTimeout as pause, setImmediate as yieldOnce } from 'node:timers/promises';
import { systemClock } from '../src/base/clock.ts';
import { silentLog } from '../src/base/log.ts';
import { systemRandom } from '../src/base/random.ts';
import { createRedisQuotaStore } from '../src/upstream/quota/redis-quota-store.ts';
import { startRedisProcess } from './lab/redis-process.ts';

export type SharedAdmissionOptions = {
  readonly keys: number;
  readonly perMinute: number;
  readonly forecast: number;
  readonly samples: number;
  readonly signal: AbortSignal;
};

export type SharedAdmissionCosts = {
  readonly grantUs: readonly number[];
  readonly refusalUs: readonly number[];
};

const WINDOW_MS = 2000;
/** With what a send counts beyond its window. */
const SPAN_MS = WINDOW_MS + 500;
/** More than there is. */
const PRESSURE = 1.25;
const WARM_UP = 3000;
const SHARED_DEADLINE_MS = 5000;
/** Throws when redis-server is not installed, or the store does not get to share. */
export async function measureSharedAdmission(options: SharedAdmissionOptions): Promise<SharedAdmissionCosts> {
  const { keys, perMinute, forecast, samples, signal } = options;
  const redis = await startRedisProcess();
  const among = Array.from({ length: keys }, (_, key) => `key-${key}`);
  const store = createRedisQuotaStore({
    url: redis.url,
    pool: 'bench',
    quotas: among.map((quota) => ({ quota, perMinute })),
    maxInstances: 1,
    windowMs: WINDOW_MS,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  });
  const isShared = () => store.state().every(({ mode }) => mode !== 'local');
  try {
    const deadlineMs = performance.now() + SHARED_DEADLINE_MS;
    while (!isShared()) {
      if (performance.now() > deadlineMs) throw new Error('the quota store does not share');
      await pause(10, undefined, { signal });
    }
    const gapMs = SPAN_MS / (keys * perMinute * PRESSURE);
    let dueMs = performance.now();
    const costs = { grantUs: [] as number[], refusalUs: [] as number[] };
    for (let n = 0; n < WARM_UP + samples; n++) {
      dueMs += gapMs;
      // Fractions of a millisecond: no timer is so fine.
      while (performance.now() < dueMs) await yieldOnce(undefined, { signal });
      const reservation = `request-${n}`;
      const askedMs = performance.now();
      const answer = await store.ask({ reservation, among, leave: 0, forecast });
      const tookUs = (performance.now() - askedMs) * 1000;
      if (n >= WARM_UP) (answer.granted ? costs.grantUs : costs.refusalUs).push(tookUs);
      if (answer.granted) store.report(answer.quota, reservation, { kind: 'accepted', advice: {} });
    }
    return costs;
  } finally {
    await store.close();
    await redis.close();
  }
}
