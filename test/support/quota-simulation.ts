// A speech service that counts requests, the network on the way to it, and askers that share one store of quotas, all in
// simulated time: hours in a second. What is asserted about quotas is measured here.

import { createSeededRandom, type SeededRandom } from '../../bench/lab/seeded-random.ts';
import type { Clock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { readRateAdvice } from '../../src/limits/rate-headers.ts';
import { rateLimitHeaders } from '../../src/limits/rate-limit-headers.ts';
import { createMemoryQuotaStore } from '../../src/upstream/quota/memory-quota-store.ts';
import type { QuotaState } from '../../src/upstream/quota/quota-store.ts';
import { createRequestWindow, type WindowKind } from '../../testkit/faults/request-windows.ts';
import { oracleWaits } from './quota-oracle.ts';
import { createTimeline } from './quota-timeline.ts';

export type SimulationPlan = {
  readonly window: WindowKind;
  /** The service's limit per key and minute at a time. */
  readonly limitAt: (atMs: number) => number;
  /** What the store was told; undefined: nothing. */
  readonly perMinute?: number;
  readonly keys: number;
  /** Whether the windows of all keys begin together, or one after another. */
  readonly phases?: 'together' | 'apart';
  readonly askers: number;
  /** Most requests of one key without an answer, as the pool has it. */
  readonly inFlight: number;
  /** What the service tells: nothing, Retry-After with a 429, or its whole state with every answer. */
  readonly headers: 'none' | 'retry-after' | 'ratelimit';
  /** As much as goes; or bursts that come at random and use this share of the quota. */
  readonly load: 'saturated' | { readonly burst: number; readonly share: number };
  readonly minutes: number;
  readonly seed: number;
};

export type SimulationResult = {
  readonly sent: number;
  readonly accepted: number;
  readonly refusedAtMs: readonly number[];
  /** From the wish to the grant, of requests that came after warming up. */
  readonly waitsMs: readonly number[];
  /** The same of one who knows the windows of the service exactly, for windows by the clock. */
  readonly leastWaitsMs: readonly number[];
  /** Of the limit, by the time that whole multiples of it took after warming up; the least of all keys. */
  readonly used: number;
  /** The first time from `fromMs` on at which every key's limit was found: at most 2 % or one less, and not more. */
  foundAtMs(limit: number, fromMs: number): number;
  readonly states: readonly QuotaState[];
};

/** Not a whole minute: the phase is to be found. */
const UNIX_AHEAD_MS = 1_763_000_017_345;
const WARM_UP_MS = 15 * 60_000;
const LOOK_EVERY_MS = 1_000;

/** 30 ms and an exponential tail of 30 more; one in a hundred 300 later; never above 500. */
const latencyMs = (random: SeededRandom): number =>
  Math.min(500, 30 + random.gapMs(30) + (random.share() < 0.01 ? 300 : 0));

/** Over as many whole limits as were accepted, so that neither end of the run blurs the share. */
function usedOf(acceptedAtMs: readonly number[], limit: number): number {
  const times = acceptedAtMs.filter((atMs) => atMs > WARM_UP_MS);
  const rounds = Math.floor((times.length - 1) / limit);
  return (rounds * 60_000) / (times[rounds * limit]! - times[0]!);
}

export function simulateQuota(plan: SimulationPlan): SimulationResult {
  const { window, limitAt, perMinute, keys, inFlight, headers, load, minutes } = plan;
  const random = createSeededRandom(plan.seed);
  const time = createTimeline();
  const clock: Clock = {
    now: () => time.nowMs,
    after(delayMs, task) {
      time.at(time.nowMs + delayMs, task);
      return () => {};
    },
    soon: (task) => time.at(time.nowMs, task),
  };
  const ids = Array.from({ length: keys }, (_, key) => `q${key}`);
  const store = createMemoryQuotaStore({
    quotas: ids.map((quota) => ({ quota, perMinute })),
    clock,
    log: silentLog,
  });
  const services = new Map(
    ids.map((id, index) => {
      const aheadMs = UNIX_AHEAD_MS + (plan.phases === 'apart' ? (index * 60_000) / keys : 0);
      return [id, { take: createRequestWindow(window), acceptedAtMs: [] as number[], flying: 0, aheadMs }];
    }),
  );
  const refusedAtMs: number[] = [];
  const waitsMs: number[] = [];
  const wishedAtMs: number[] = [];
  let sent = 0;

  /** Times of wishes that wait, oldest first; without end when saturated. */
  const line: number[] = [];
  const wakes = Array.from({ length: plan.askers }, () => Number.POSITIVE_INFINITY);

  const send = (id: string, reservation: string, wishedMs: number) => {
    const service = services.get(id)!;
    service.flying += 1;
    sent += 1;
    if (wishedMs > WARM_UP_MS) waitsMs.push(time.nowMs - wishedMs);
    time.at(time.nowMs + latencyMs(random), () => {
      const atMs = time.nowMs;
      const limit = limitAt(atMs);
      const count = service.take({ nowMs: atMs, unixMs: atMs + service.aheadMs }, limit);
      if (count.allowed) service.acceptedAtMs.push(atMs);
      else refusedAtMs.push(atMs);
      const retryAfter = count.allowed ? {} : { 'retry-after': String(Math.ceil(count.resetMs / 1000)) };
      const told = headers === 'ratelimit' ? rateLimitHeaders('08', limit, count) : {};
      const fields = Object.entries(told).map(([name, value]) => [name.toLowerCase(), value]);
      const advice =
        headers === 'none' ? {} : readRateAdvice({ ...retryAfter, ...Object.fromEntries(fields) });
      time.at(atMs + latencyMs(random), () => {
        service.flying -= 1;
        store.report(id, reservation, { kind: count.allowed ? 'accepted' : 'refused', advice });
        if (!count.allowed && load !== 'saturated') line.unshift(time.nowMs);
        serveAll();
      });
    });
  };

  let reservations = 0;
  const serve = (asker: number) => {
    while (load === 'saturated' || line.length > 0) {
      const among = ids.filter((id) => services.get(id)!.flying < inFlight);
      if (among.length === 0) return;
      const reservation = `r${reservations++}`;
      const answer = store.ask({ reservation, among, leave: 0, forecast: 1 });
      if (!answer.granted) {
        // Jobs that nobody waits for are there, too: they may be refused, so that limits can be probed.
        if (load === 'saturated')
          store.ask({ reservation: `low${reservation}`, among, leave: 0.1, forecast: 1 });
        const wakeMs = time.nowMs + answer.waitsMs[0]!;
        if (wakeMs >= wakes[asker]! && wakes[asker]! > time.nowMs) return;
        wakes[asker] = wakeMs;
        time.at(wakeMs, () => {
          if (wakes[asker] !== wakeMs) return;
          wakes[asker] = Number.POSITIVE_INFINITY;
          serve(asker);
        });
        return;
      }
      send(answer.quota, reservation, load === 'saturated' ? time.nowMs : line.shift()!);
    }
  };
  const serveAll = () => {
    for (const asker of wakes.keys()) serve(asker);
  };
  let isServing = false;
  store.onChange(() => {
    if (isServing) return;
    isServing = true;
    time.at(time.nowMs, () => {
      isServing = false;
      serveAll();
    });
  });

  const history: { readonly atMs: number; readonly limits: readonly (number | undefined)[] }[] = [];
  const look = () => {
    const limits = store.state().map(({ rule }) => (rule.kind === 'unlimited' ? undefined : rule.limit));
    history.push({ atMs: time.nowMs, limits });
    time.at(time.nowMs + LOOK_EVERY_MS, look);
  };
  time.at(0, look);
  if (load !== 'saturated') {
    const meanGapMs = (load.burst * 60_000) / (load.share * limitAt(0) * keys);
    const arrive = () => {
      for (let wish = 0; wish < load.burst; wish++) {
        line.push(time.nowMs);
        wishedAtMs.push(time.nowMs);
      }
      serveAll();
      time.at(time.nowMs + random.gapMs(meanGapMs), arrive);
    };
    time.at(random.gapMs(meanGapMs), arrive);
  } else time.at(0, serveAll);
  time.runTo(minutes * 60_000);

  const accepted = [...services.values()].map((service) => service.acceptedAtMs);
  return {
    sent,
    accepted: accepted.reduce((sum, times) => sum + times.length, 0),
    refusedAtMs,
    waitsMs,
    leastWaitsMs: oracleWaits({
      wishedAtMs,
      windowsFromMs: [...services.values()].map(({ aheadMs }) => -(aheadMs % 60_000)),
      limit: limitAt(0),
    }).filter((_, index) => wishedAtMs[index]! > WARM_UP_MS),
    used: Math.min(...accepted.map((times) => usedOf(times, limitAt(0)))),
    foundAtMs(limit, fromMs) {
      const found = history.find(
        ({ atMs, limits }) => atMs >= fromMs && limits.every((one) => one === limit),
      );
      return found?.atMs ?? Number.POSITIVE_INFINITY;
    },
    states: store.state(),
  };
}
