// Instances that count together in a real Redis: what they are granted, whatever the clocks say, what they learn, and
// that a cluster can hold it. What happens without Redis: redis-quota-outage.test.ts and redis-quota-leases.test.ts.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Log, silentLog } from '../../src/base/log.ts';
import type { QuotaStore } from '../../src/upstream/quota/quota-store.ts';
import {
  askAll,
  LIMIT,
  LONG,
  loadAll,
  RULE,
  SPAN_MS,
  settings,
  startFleet,
  startServer,
  stopAll,
  WINDOW_MS,
} from '../support/redis-quota-fleet.ts';
import { mostWithin, partUsed, type Send, sharedNow } from '../support/redis-quota-load.ts';
import { isSharing, openRedisStore, pause, until } from '../support/redis-quota-stores.ts';
import { hasFaketime, hasRedis } from '../support/redis-server.ts';

/** Leases take a pulse or two to be given up: nothing in a minute, but a part of so short a window. */
const MOST_OF_IT = 0.65;
/** Long enough that processes which come a moment apart, and their pulses, are a small part of it. */
const LONG_WINDOW_MS = 2500;

/** Of one instance: when it asked, and what it was granted. */
type Told = { wallMs: number; fromMs: number; untilMs: number; sends: Send[] };

describe.runIf(hasRedis)('instances that share quotas in Redis', () => {
  it('grant together what the limit allows, also when the scripts are flushed', async ({
    onTestFinished: atEnd,
  }) => {
    const redis = await startServer(atEnd);
    const stores = await startFleet(atEnd, redis.url);
    const fromMs = sharedNow();
    const loads = loadAll(stores);
    for (let i = 0; i < 5; i++) {
      await pause(SPAN_MS / 2);
      await redis.call('SCRIPT', 'FLUSH');
    }
    const untilMs = fromMs + 2 * SPAN_MS;
    const sends = await stopAll(loads);
    expect(mostWithin(sends, SPAN_MS)).toBe(LIMIT);
    expect(partUsed(sends, fromMs, untilMs, RULE)).toBeGreaterThanOrEqual(0.95);
    expect(stores.every(isSharing)).toBe(true);
  });

  it.each([
    [1, LIMIT],
    [4, Math.floor(LIMIT / 4)],
  ])(
    'grant one of at most %i that comes to an empty store %i of its first requests',
    async (maxInstances, most) => {
      const closes: (() => Promise<void>)[] = [];
      const atEnd = (close: () => Promise<void>) => void closes.unshift(close);
      onTestFinished(async () => {
        for (const close of closes) await close();
      });
      const redis = await startServer(atEnd);
      const store = openRedisStore({ ...settings(redis.url), ...LONG, maxInstances });
      atEnd(() => store.close());
      // It may begin before it has reached the store: as much then.
      expect(await askAll(store, LIMIT)).toBe(most);
    },
  );

  it('keep nothing for others of a limit that has never been refused', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const [store] = await startFleet(atEnd, redis.url, 1, { ...LONG, quotas: [{ quota: 'a' }] });
    for (let n = 0; n < 60; n += 1) {
      const reservation = `low-${n}`;
      const ask = { reservation, among: ['a'], leave: 0.3, forecast: 1 };
      await until(async () => (await store!.ask(ask)).granted, 2_000);
      store!.report('a', reservation, { kind: 'accepted', advice: {} });
    }
  });

  it('go on when the clock of the server is stepped', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const stores = await startFleet(atEnd, redis.url);
    const fromMs = sharedNow();
    const loads = loadAll(stores);
    // The scripts add this to the server's TIME and read TIME nowhere else, so that this is a step of its clock.
    for (const stepMs of [5_000, -5_000, -5_000, 5_000]) {
      await pause(SPAN_MS * 0.6);
      await redis.call('HINCRBY', 'voxgate:{pool}:epoch', 'shift', stepMs);
    }
    await pause(SPAN_MS);
    const sends = await stopAll(loads);
    expect(mostWithin(sends, SPAN_MS)).toBeLessThanOrEqual(LIMIT);
    expect(partUsed(sends, fromMs, fromMs + 2 * SPAN_MS, RULE)).toBeGreaterThanOrEqual(MOST_OF_IT);
  });

  it.runIf(hasFaketime)(
    'are processes of their own, each with another time of day',
    async ({ onTestFinished: atEnd }) => {
      const redis = await startServer(atEnd);
      const hooks = pathToFileURL(join(import.meta.dirname, '../support/typescript-hooks.mjs')).href;
      const register = `import{register}from"node:module";register(${JSON.stringify(hooks)})`;
      const program = join(import.meta.dirname, '../support/redis-quota-child.ts');
      const spanMs = LONG_WINDOW_MS + SPAN_MS - WINDOW_MS;
      const args = [redis.url, LIMIT, LONG_WINDOW_MS, 3 * spanMs, 3].map(String);
      const run = (skew: string) =>
        new Promise<Told>((resolve, reject) => {
          const node = [process.execPath, '--import', `data:text/javascript,${register}`, program, ...args];
          const child = spawn('faketime', ['-f', skew, ...node], {
            env: { ...process.env, FAKETIME_DONT_FAKE_MONOTONIC: '1' },
          });
          let [stdout, stderr] = ['', ''];
          child.stdout.on('data', (part: Buffer) => {
            stdout += part.toString();
          });
          child.stderr.on('data', (part: Buffer) => {
            stderr += part.toString();
          });
          child.on('close', () => {
            if (stdout === '') reject(new Error(stderr));
            else resolve(JSON.parse(stdout) as Told);
          });
        });
      const results = await Promise.all(['+5s', '-5s', '+0s'].map(run));
      const [ahead, behind] = results;
      expect(ahead!.wallMs - behind!.wallMs).toBeGreaterThan(5_000);
      const sends = results.flatMap((result) => result.sends);
      const fromMs = Math.max(...results.map((result) => result.fromMs));
      const untilMs = Math.min(...results.map((result) => result.untilMs));
      expect(mostWithin(sends, spanMs)).toBe(LIMIT);
      const used = partUsed(sends, fromMs, untilMs, { ...RULE, spanMs });
      expect(used).toBeGreaterThanOrEqual(MOST_OF_IT);
    },
    20_000,
  );

  it('learn together, and once', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const lines: string[] = [];
    const note = (event: string) => void lines.push(event);
    const log: Log = { ...silentLog, info: note, warn: note };
    const stores = await startFleet(atEnd, redis.url, 2, { log });
    const [one, two] = stores as [QuotaStore, QuotaStore];
    for (let i = 0; i < 10; i++) {
      await (i % 2 === 0 ? one : two).ask({ reservation: `s${i}`, among: ['a'], leave: 0, forecast: 1 });
    }
    // The last two were on their way together, and both came back with a 429.
    one.report('a', 's8', { kind: 'refused', advice: { resetMs: 400, limit: 9 } });
    two.report('a', 's9', { kind: 'refused', advice: { resetMs: 400, limit: 9 } });
    await until(() => stores.every((store) => store.state()[0]!.heldMs > 0));
    await pause(30);
    const [first, second] = stores.map((store) => store.state()[0]!);
    expect(first!.rule).toEqual(second!.rule);
    const { limit } = first!.rule as { limit: number };
    expect(limit).toBeLessThan(10);
    // Twice in a row it would be held for longer than it was told.
    expect(Math.max(first!.heldMs, second!.heldMs)).toBeLessThanOrEqual(400);
    expect(await one.ask({ reservation: 'held', among: ['a'], leave: 0, forecast: 1 })).toMatchObject({
      granted: false,
    });
    expect(lines.filter((line) => line === 'quota_refused')).toHaveLength(2);
    const third = openRedisStore({ ...settings(redis.url), log });
    atEnd(() => third.close());
    await until(() => isSharing(third));
    expect(third.state()[0]).toMatchObject({ rule: { limit } });
    // What was known before it came is no news.
    expect(lines.filter((line) => line === 'quota_refused')).toHaveLength(2);
  });

  it('run where Redis is a cluster: all names of a pool are in one slot', async ({
    onTestFinished: atEnd,
  }) => {
    const redis = await startServer(atEnd, { args: ['--cluster-enabled', 'yes'] });
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    await until(async () => /cluster_state:ok/.test(String(await redis.call('CLUSTER', 'INFO'))));
    const quotas = ['a', 'b', 'c'].map((quota) => ({ quota, perMinute: 2 }));
    const store = openRedisStore({ ...settings(redis.url), quotas });
    atEnd(() => store.close());
    await until(() => isSharing(store));
    for (let i = 0; i < 6; i++) {
      const ask = { reservation: `c${i}`, among: ['a', 'b', 'c'], leave: 0, forecast: 1 };
      expect(await store.ask(ask)).toMatchObject({ granted: true });
    }
    expect(isSharing(store)).toBe(true);
    const names = (await redis.call('KEYS', '*')) as string[];
    const slots = await Promise.all(names.map((key) => redis.call('CLUSTER', 'KEYSLOT', key)));
    expect(names.length).toBeGreaterThan(6);
    expect(new Set(slots).size).toBe(1);
  });
});
