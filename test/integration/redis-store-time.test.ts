// The time that instances share in a real Redis: it follows the server's clock as long as that runs evenly, whatever is
// late, and is right again when that clock was set.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ACQUIRE, EXCHANGE, LATE_MS } from '../../src/upstream/quota/quota-scripts.ts';
import type { ExchangeRequest } from '../../src/upstream/quota/quota-server.ts';
import { loadAll, SPAN_MS, startFleet, startServer, stopAll } from '../support/redis-quota-fleet.ts';
import { isSharing, pause, until } from '../support/redis-quota-stores.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';

const EPOCH = '{x}epoch';
const SENDS = '{x}sends';
const ACQUIRE_KEYS = [EPOCH, '{x}instances', '{x}answered', SENDS, '{x}rule', '{x}leases'];
const EXCHANGE_KEYS = [...ACQUIRE_KEYS, '{x}gone', '{x}open'];
const REBUILD_MS = 60_000;
/** Between two commands of a test on a busy machine. */
const SOON_MS = 200;

const BLUR_MS = 20;

describe.runIf(hasRedis)('the time of the store', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.call('FLUSHALL'));
  afterAll(() => redis.close());

  const serverMs = async () => {
    const [seconds, micros] = (await redis.call('TIME')) as [string, string];
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  };
  const read = async (field: string) => Number((await redis.call('HGET', EPOCH, field)) ?? 0);
  const exchange = async (more: Partial<ExchangeRequest>): Promise<unknown[]> => {
    const rule = ['kind', 'sliding', 'limit', 9, 'spanMs', 60_500, 'originMs', 0, 'periodMs', 0];
    const quota = {
      sends: [],
      gone: [],
      open: 0,
      since: 0,
      lease: { at: 0, among: 0 },
      version: 0,
      state: '{}',
    };
    const request: ExchangeRequest = {
      ...{ instance: 'i', epoch: 'e', fresh: 'e', estimate: 0, latest: more.estimate ?? 0, step: undefined },
      ...{ wasCut: false, isComplete: true, isLeaving: false, expected: 1 },
      ...{ keepMs: 75_000, rebuildMs: REBUILD_MS, heldMs: 120_000, stateMs: 600_000 },
      quotas: [{ ...quota, rule: [...rule, 'guardMs', 0, 'heldUntilMs', 0] }],
      ...more,
    };
    const told = JSON.stringify({ ...request, run: 'one' });
    return (await redis.call('EVAL', EXCHANGE, EXCHANGE_KEYS.length, ...EXCHANGE_KEYS, told)) as unknown[];
  };
  const acquire = async (latestMs: number, reservation = 'mine') =>
    (await redis.call(
      ...(['EVAL', ACQUIRE, ACQUIRE_KEYS.length, ...ACQUIRE_KEYS] as const),
      ...['e', latestMs, 'i', reservation, 0, 1, 0, 75_000],
    )) as unknown[];
  const stampOf = async (reservation: string) => Number(await redis.call('ZSCORE', SENDS, reservation));

  it("is the server's, however late one instance comes to it while others are heard", async () => {
    await exchange({});
    const fromMs = await serverMs();
    expect(await acquire(fromMs - LATE_MS * 4)).toEqual(['granted', 1]);
    expect((await exchange({ estimate: fromMs - LATE_MS * 4 }))[0]).toBe('told');
    expect(await read('shift')).toBe(0);
    expect(await stampOf('mine')).toBeGreaterThanOrEqual(fromMs);
  });

  it('is changed by nobody who may be late, nor is anything else', async () => {
    await exchange({});
    await redis.call('HINCRBY', EPOCH, 'shift', 4 * LATE_MS);
    const before = await redis.call('HGETALL', EPOCH);
    const fromMs = await serverMs();
    for (const reply of [await acquire(fromMs), await exchange({ estimate: fromMs, wasCut: true })]) {
      const [kind, shift, server] = reply as [string, string, string];
      expect([kind, Number(shift)]).toEqual(['ahead', 4 * LATE_MS]);
      expect(Math.abs(Number(server) - fromMs)).toBeLessThan(SOON_MS);
    }
    expect(await redis.call('HGETALL', EPOCH)).toEqual(before);
    expect(await redis.call('EXISTS', SENDS)).toBe(0);
  });

  it('goes on where it was for the first that is sure of a step, and is not changed by the second', async () => {
    await exchange({});
    await redis.call('HINCRBY', EPOCH, 'shift', 4 * LATE_MS);
    const fromMs = await serverMs();
    const step = { from: 4 * LATE_MS, to: -3 };
    const [kind, , toldMs] = await exchange({ estimate: fromMs, step });
    expect(kind).toBe('told');
    expect(Number(toldMs)).toBeLessThan(fromMs + SOON_MS);
    const shiftMs = await read('shift');
    expect(shiftMs).toBeLessThanOrEqual(0);
    await exchange({ estimate: fromMs, step: { ...step, to: 4_000 } });
    expect(await read('shift')).toBe(shiftMs);
  });

  it('never goes back behind what it has told, whatever step is said', async () => {
    await exchange({});
    const toldMs = await read('last');
    await exchange({ estimate: await serverMs(), step: { from: 0, to: -5000 } });
    expect(await read('last')).toBeGreaterThanOrEqual(toldMs);
    expect(await read('shift')).toBeGreaterThan(-SOON_MS);
  });

  it('is the newest that any instance knew when the server has lost it', async () => {
    const nowMs = (await serverMs()) + 100_000;
    const late = await exchange({ estimate: nowMs - 3000, expected: 2, isComplete: false });
    expect(Number(late[2])).toBe(nowMs - 3000);
    const untilMs = await read('until');
    const soon = await exchange({ instance: 'k', estimate: nowMs, expected: 2, isComplete: false });
    // But for the little by which two instances differ anyway.
    expect(Number(soon[2])).toBe(nowMs - BLUR_MS);
    // The rebuilding does not become shorter by that.
    expect((await read('until')) - untilMs).toBeGreaterThanOrEqual(3000 - BLUR_MS - SOON_MS);
    // One that knows less does not bring it back.
    const third = await exchange({ instance: 'm', estimate: nowMs - 2000, expected: 3, isComplete: false });
    expect(Number(third[2])).toBeGreaterThanOrEqual(nowMs - BLUR_MS);
  });
});

describe.runIf(hasRedis)('instances of which none is heard for a while', () => {
  it('keep the time: all were late, and no clock was set', async ({ onTestFinished: atEnd }) => {
    const redis = await startServer(atEnd);
    const stores = await startFleet(atEnd, redis.url);
    const loads = loadAll(stores);
    for (let i = 0; i < 2; i++) {
      await pause(SPAN_MS / 2);
      redis.freeze();
      await pause(LATE_MS * 2.4);
      redis.thaw();
      await until(() => stores.every(isSharing));
    }
    await stopAll(loads);
    const shiftMs = Number((await redis.call('HGET', 'voxgate:{pool}:epoch', 'shift')) ?? 0);
    expect(Math.abs(shiftMs)).toBeLessThan(50);
  });
});
