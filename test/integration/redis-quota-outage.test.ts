// Instances that count together in a real Redis, and what happens to it: data flushed, killed, stopped, replaced by a
// replica that lags. Through all of it no window holds more than the limit, and nobody waits for it.

import { describe, expect, it } from 'vitest';
import type { QuotaStore } from '../../src/upstream/quota/quota-store.ts';
import {
  askAll,
  LIMIT,
  LONG,
  LONGEST_ASK_MS,
  loadAll,
  RULE,
  SPAN_MS,
  settings,
  slowest,
  startFleet,
  startServer,
  stopAll,
} from '../support/redis-quota-fleet.ts';
import { mostWithin, partUsed, sharedNow } from '../support/redis-quota-load.ts';
import { HEARD_MS, isSharing, openRedisStore, pause, until } from '../support/redis-quota-stores.ts';
import { freePort, hasRedis } from '../support/redis-server.ts';
import { startSwitch } from '../support/redis-switch.ts';

describe.runIf(hasRedis)('instances that share quotas in a Redis that fails', () => {
  it('rebuild the log of sends when it is flushed', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const stores = await startFleet(atEnd, redis.url);
    const fromMs = sharedNow();
    const loads = loadAll(stores);
    for (let i = 0; i < 3; i++) {
      await pause(SPAN_MS * 0.7);
      await redis.call('FLUSHALL');
    }
    await pause(SPAN_MS);
    const sends = await stopAll(loads);
    expect(mostWithin(sends, SPAN_MS)).toBeLessThanOrEqual(LIMIT);
    expect(partUsed(sends, fromMs, fromMs + 3 * SPAN_MS, RULE)).toBeGreaterThanOrEqual(0.6);
    await until(() => stores.every(isSharing));
  });

  it('do not give away what another has yet to tell again', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const [one, two] = (await startFleet(atEnd, redis.url, 2, LONG)) as [QuotaStore, QuotaStore];
    expect(await askAll(two, 15)).toBe(15);
    await pause(HEARD_MS);
    await redis.call('FLUSHALL');
    // Whoever is asked first knows of the others' sends, or hears of them.
    let granted = await askAll(one, LIMIT);
    await until(() => isSharing(one) && isSharing(two));
    await until(async () => {
      granted += await askAll(one, LIMIT);
      return one.state()[0]!.used >= LIMIT;
    });
    expect(granted).toBe(LIMIT - 15);
  });

  it('wait for one that was cut off as they were', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const nowhere = await freePort();
    const names = [await startSwitch(redis.port), await startSwitch(redis.port)];
    for (const name of names) atEnd(() => name.close());
    const stores = names.map(({ port }) =>
      openRedisStore({ ...settings(`redis://127.0.0.1:${port}`), ...LONG, maxInstances: 2 }),
    );
    for (const store of stores) atEnd(() => store.close());
    const [one, two] = stores as [QuotaStore, QuotaStore];
    const leased = (LIMIT * 4) / 5 / 2;
    await until(() => stores.every(isSharing));
    await pause(HEARD_MS);
    for (const name of names) name.leadTo(nowhere);
    await until(() => !stores.some(isSharing));
    expect(await askAll(one, LIMIT)).toBe(leased);
    expect(await askAll(two, LIMIT)).toBe(leased);
    names[0]!.leadTo(redis.port);
    await until(async () => (await redis.call('ZCARD', 'voxgate:{pool}:sends:a')) === leased);
    expect(await askAll(one, LIMIT)).toBe(0);
    expect(isSharing(one)).toBe(false);
    names[1]!.leadTo(redis.port);
    await until(() => stores.every(isSharing));
    expect(two.state()[0]!.used).toBe(2 * leased);
  });

  it('go on with safe shares while it is dead, and together when it is back, empty', async ({
    onTestFinished: atEnd,
  }) => {
    const redis = await startServer(atEnd);
    const stores = await startFleet(atEnd, redis.url);
    const loads = loadAll(stores);
    await pause(SPAN_MS);
    const deadMs = sharedNow();
    await redis.kill();
    await until(() => stores.every((store) => store.state()[0]!.mode === 'local'));
    await pause(2 * SPAN_MS);
    const backMs = sharedNow();
    await redis.start();
    await until(() => stores.every(isSharing));
    await pause(SPAN_MS);
    const sends = await stopAll(loads);
    expect(mostWithin(sends, SPAN_MS)).toBeLessThanOrEqual(LIMIT);
    expect(partUsed(sends, deadMs, backMs, RULE)).toBeGreaterThanOrEqual(0.8);
    expect(slowest(loads)).toBeLessThan(LONGEST_ASK_MS);
  });

  it('do not spend again what one of them had used before it died', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const stores = await startFleet(atEnd, redis.url, 3, LONG);
    const [greedy, ...others] = stores as [QuotaStore, QuotaStore, QuotaStore];
    expect(await askAll(greedy, 12)).toBe(12);
    await pause(HEARD_MS);
    await redis.kill();
    await until(() => !stores.some(isSharing));
    // Each its part of the 18 that are left, without a fifth of the limit.
    for (const store of [...others, greedy]) expect(await askAll(store, LIMIT)).toBe((18 - LIMIT / 5) / 3);
  });

  it('do not wait for a Redis that does not answer', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const stores = await startFleet(atEnd, redis.url);
    const loads = loadAll(stores);
    await pause(SPAN_MS);
    const silentMs = sharedNow();
    redis.freeze();
    await pause(2 * SPAN_MS);
    const backMs = sharedNow();
    redis.thaw();
    await until(() => stores.every(isSharing));
    await pause(SPAN_MS);
    const sends = await stopAll(loads);
    expect(mostWithin(sends, SPAN_MS)).toBeLessThanOrEqual(LIMIT);
    expect(partUsed(sends, silentMs, backMs, RULE)).toBeGreaterThanOrEqual(0.8);
    expect(slowest(loads)).toBeLessThan(LONGEST_ASK_MS);
  });

  it('rebuild what a replica had not heard when it became the primary', async ({ onTestFinished: atEnd }) => {
    const primary = await startServer(atEnd);
    const replica = await startServer(atEnd, { args: ['--replicaof', `127.0.0.1 ${primary.port}`] });
    const name = await startSwitch(primary.port);
    atEnd(() => name.close());
    await until(async () => /master_link_status:up/.test(String(await replica.call('INFO', 'replication'))));
    const stores = await startFleet(atEnd, `redis://127.0.0.1:${name.port}`);
    const loads = loadAll(stores);
    await pause(SPAN_MS);
    replica.freeze();
    await pause(SPAN_MS / 2);
    await primary.kill();
    replica.thaw();
    await replica.call('REPLICAOF', 'NO', 'ONE');
    name.leadTo(replica.port);
    await until(() => stores.every((store) => !isSharing(store)));
    await until(() => stores.every(isSharing));
    await pause(SPAN_MS);
    const sends = await stopAll(loads);
    expect(mostWithin(sends, SPAN_MS)).toBeLessThanOrEqual(LIMIT);
    expect(slowest(loads)).toBeLessThan(LONGEST_ASK_MS);
  });
});
