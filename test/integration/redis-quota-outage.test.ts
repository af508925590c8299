// Instances that count together in a real Redis, and what happens to it: data flushed, killed, stopped, replaced by a
// replica that lags. Through all of it no window holds more than the limit, and nobody waits for it.

import { describe, expect, it } from 'vitest';
import { UNPROVEN_SENDS } from '../../src/limits/quota-knowledge.ts';
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

  it('forget what was given back, also those that have seen it sent', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const [one, two] = (await startFleet(atEnd, redis.url, 2, LONG)) as [QuotaStore, QuotaStore];
    for (let n = 0; n < 12; n++) {
      const answer = await one.ask({ reservation: `back-${n}`, among: ['a'], leave: 0, forecast: 1 });
      expect(answer.granted).toBe(true);
    }
    await until(() => two.state()[0]!.used === 12);
    for (let n = 0; n < 12; n++) one.report('a', `back-${n}`, { kind: 'unsent' });
    await until(() => two.state()[0]!.used === 0);
    // A new epoch: each tells what it knows.
    await redis.call('HDEL', 'voxgate:{pool}:epoch', 'id');
    await pause(HEARD_MS);
    await until(() => isSharing(one) && isSharing(two));
    expect(await redis.call('ZCARD', 'voxgate:{pool}:sends:a')).toBe(0);
    expect(one.state()[0]!.used + two.state()[0]!.used).toBe(0);
  });

  it('forget it even if one of them has not heard so', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const name = await startSwitch(redis.port);
    atEnd(() => name.close());
    const [one, two] = [redis.port, name.port].map((port) =>
      openRedisStore({ ...settings(`redis://127.0.0.1:${port}`), ...LONG, maxInstances: 2 }),
    ) as [QuotaStore, QuotaStore];
    for (const store of [one, two]) atEnd(() => store.close());
    await until(() => isSharing(one) && isSharing(two));
    await pause(HEARD_MS);
    expect((await one.ask({ reservation: 'back', among: ['a'], leave: 0, forecast: 1 })).granted).toBe(true);
    await until(() => two.state()[0]!.used === 1);
    name.leadTo(await freePort());
    await until(() => !isSharing(two));
    one.report('a', 'back', { kind: 'unsent' });
    await until(async () => (await redis.call('ZCARD', 'voxgate:{pool}:sends:a')) === 0);
    name.leadTo(redis.port);
    await until(() => isSharing(one) && isSharing(two));
    expect(await redis.call('ZCARD', 'voxgate:{pool}:sends:a')).toBe(0);
  });

  it('go on with a guessed limit where all that had been sent is of others', async ({
    onTestFinished: atEnd,
  }) => {
    const redis = await startServer(atEnd);
    const limits = { quotas: [{ quota: 'a' }], windowMs: 60_000 };
    const [one, two] = (await startFleet(atEnd, redis.url, 2, limits)) as [QuotaStore, QuotaStore];
    expect(await askAll(one, 20)).toBe(UNPROVEN_SENDS);
    await until(() => two.state()[0]!.used === UNPROVEN_SENDS);
    await pause(HEARD_MS);
    redis.freeze();
    await until(() => !isSharing(two));
    await until(async () => (await askAll(two, 1)) === 1);
  });

  it('raise no guessed limit by what was refused', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const limits = { quotas: [{ quota: 'a' }], windowMs: 60_000 };
    const [one, two] = (await startFleet(atEnd, redis.url, 2, limits)) as [QuotaStore, QuotaStore];
    const reservations = Array.from({ length: UNPROVEN_SENDS }, (_, n) => `r-${n}`);
    for (const reservation of reservations)
      expect((await one.ask({ reservation, among: ['a'], leave: 0, forecast: 1 })).granted).toBe(true);
    for (const reservation of reservations) one.report('a', reservation, { kind: 'refused', advice: {} });
    await pause(HEARD_MS);
    expect((await askAll(one, 1)) + (await askAll(two, 1))).toBe(0);
  });

  it('never stand still for a limit that nobody has shown to be one', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const limits = { quotas: [{ quota: 'a' }], windowMs: 60_000 };
    const stores = await startFleet(atEnd, redis.url, 3, limits);
    let [asked, isOver] = [0, false];
    const sent = stores.map(() => 0);
    /** One send after the other, each accepted a while later. */
    const sendOn = async (store: QuotaStore, at: number) => {
      while (!isOver) {
        const reservation = `on-${asked++}`;
        const { granted } = await store.ask({ reservation, among: ['a'], leave: 0, forecast: 1 });
        await pause(30);
        if (!granted) continue;
        sent[at]! += 1;
        store.report('a', reservation, { kind: 'accepted', advice: {} });
      }
    };
    const all = stores.flatMap((store, at) => [sendOn(store, at), sendOn(store, at)]);
    atEnd(async () => {
      isOver = true;
      await Promise.all(all);
    });
    const go = async () => {
      const before = [...sent];
      await until(() => sent.every((count, at) => count >= before[at]! + 10));
    };
    await go();
    for (let times = 0; times < 2; times++) {
      redis.freeze();
      await until(() => !stores.some(isSharing));
      await go();
      redis.thaw();
      await go();
      await until(() => stores.every(isSharing));
      await go();
    }
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
