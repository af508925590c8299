// What instances tell each other of speech services through a real Redis, and what two gateways make of it.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { openRedisHealth, type RedisHealth } from '../../src/upstream/health/redis-health.ts';
import {
  createHealthBoard,
  type HealthAsk,
  type HealthExchange,
  type HealthWord,
} from '../../src/upstream/health/shared-health.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import {
  type Script,
  type ScriptedUpstream,
  startScriptedUpstream,
  status,
} from '../support/scripted-upstream.ts';

const SOON = { timeout: 60_000, interval: 50 };
const ask = (from: string, more: Partial<HealthAsk> = {}): HealthAsk => ({
  from,
  services: ['s'],
  words: [],
  tries: [],
  news: [],
  ...more,
});
const word = (more: Partial<HealthWord> = {}): HealthWord => ({
  service: 's',
  voice: null,
  phase: 'out',
  forMs: 10,
  tryInMs: 5_000,
  ...more,
});
const ALL = { service: 's', voice: null };

let redis: RedisServer;
let open: RedisHealth[] = [];
const connect = async (): Promise<RedisHealth> => {
  const health = openRedisHealth({ url: redis.url, clock: systemClock, log: silentLog });
  open.push(health);
  await expect.poll(() => health.isUp(), SOON).toBe(true);
  return health;
};

describe.skipIf(!hasRedis)('health', () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.close());
  afterEach(() => {
    for (const health of open) health.close();
    open = [];
  });

  const boards: readonly [string, () => Promise<readonly [HealthExchange, HealthExchange]>][] = [
    [
      'in memory',
      async () => {
        const board = createHealthBoard(systemClock);
        return [board, board];
      },
    ],
    ['in Redis', async () => [(await connect()).exchange, (await connect()).exchange]],
  ];
  describe.each(boards)('%s', (_name, openBoth) => {
    beforeEach(async () => {
      await redis.call('FLUSHALL');
    });
    it('is heard by others, aged, and taken back when it is said no more', async () => {
      const [a, b] = await openBoth();
      const said = [word(), word({ voice: 'v 1"é', phase: 'proving', tryInMs: -40 })];
      expect((await a(ask('a', { words: said }))).words).toEqual([]);
      const { words } = await b(ask('b'));
      expect(words.map(({ service, voice, phase }) => [service, voice, phase])).toEqual([
        ['s', null, 'out'],
        ['s', 'v 1"é', 'proving'],
      ]);
      for (const { leftMs, forMs, tryInMs } of words) {
        expect(forMs).toBeGreaterThanOrEqual(10);
        expect(tryInMs).toBeLessThanOrEqual(5_000);
        expect(leftMs).toBeGreaterThan(0);
        expect(leftMs).toBeLessThanOrEqual(5_000);
      }
      expect((await b(ask('c', { services: ['another'] }))).words).toEqual([]);
      await a(ask('a'));
      expect((await b(ask('b'))).words).toEqual([]);
    });
    it('lets one try at a time', async () => {
      const [a, b] = await openBoth();
      expect((await a(ask('a', { tries: [ALL] }))).tries).toEqual([ALL]);
      expect((await b(ask('b', { tries: [ALL, { ...ALL, voice: 'v' }] }))).tries).toEqual([
        { ...ALL, voice: 'v' },
      ]);
      expect((await a(ask('a', { tries: [ALL] }))).tries).toEqual([ALL]);
    });
    it('has each change announced by one', async () => {
      const [a, b] = await openBoth();
      const out = { service: 's', state: 'out' } as const;
      const healthy = { service: 's', state: 'healthy' } as const;
      const told = async (exchange: HealthExchange, from: string, it: typeof out | typeof healthy) =>
        (await exchange(ask(from, { news: [it] }))).news.length;
      expect([await told(a, 'a', out), await told(b, 'b', out)]).toEqual([1, 0]);
      expect([await told(b, 'b', healthy), await told(a, 'a', healthy)]).toEqual([1, 0]);
      expect(await told(a, 'a', out)).toBe(1);
    });
  });

  it('ends in Redis by itself, is bounded there, and what is no word is not believed', async () => {
    await redis.call('FLUSHALL');
    const { exchange } = await connect();
    const key = 'voxgate:{health}:s';
    await exchange(ask('a', { words: [word()], tries: [ALL] }));
    expect(Number(await redis.call('PTTL', key))).toBeLessThanOrEqual(70_000);
    const fields = (await redis.call('HGETALL', key)) as string[];
    const now = Number(((await redis.call('TIME')) as string[])[0]) * 1000;
    for (const value of [fields[1]!, fields[3]!]) {
      expect(Number(value.split(' ')[0]) - now).toBeGreaterThan(3_000);
      expect(Number(value.split(' ')[0]) - now).toBeLessThanOrEqual(6_001);
    }
    const later = now + 60_000;
    for (const said of ['no JSON', '{}', '[{"voice":1}]', `${later} x y z`, '', `["${'x'.repeat(40_000)}"]`])
      await redis.call('HSET', key, `w ${Math.random()}`, `${later} foreign ${now} ${said}`);
    await redis.call('HSET', key, 'w broken', 'broken');
    await redis.call('HSET', key, 'w over', `${now - 1} over ${now - 2} ${JSON.stringify([word()])}`);
    expect((await exchange(ask('b'))).words).toMatchObject([{ phase: 'out' }]);
    expect(await redis.call('HEXISTS', key, 'w over')).toBe(0);
    for (let n = 0; n < 600; n += 1) await redis.call('HSET', key, `t ${n}`, `${later} foreign ${now} `);
    expect((await exchange(ask('c', { tries: [{ ...ALL, voice: 'new' }] }))).tries).toEqual([]);
  });

  describe('of two gateways', () => {
    let first: ScriptedUpstream;
    let second: ScriptedUpstream;
    let gateways: RunningGateway[] = [];
    const hooks: { type: string; data: unknown }[] = [];
    const hook = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => {
        body += part.toString();
      });
      request.on('end', () => {
        hooks.push(JSON.parse(body) as (typeof hooks)[0]);
        response.end();
      });
    });
    let answers: Script = status(400, {}, '{"error":"voice"}');
    beforeAll(async () => {
      await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
      first = await startScriptedUpstream((reply) => answers(reply));
      second = await startScriptedUpstream(speaking);
      const env = {
        VOXGATE_UPSTREAM_URL: '',
        VOXGATE_UPSTREAM_KEYS: '',
        VOXGATE_ENDINGS: 'sound',
        VOXGATE_REDIS_URL: redis.url,
        VOXGATE_HEALTH_WEBHOOK_URL: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook?key=k`,
        VOXGATE_UPSTREAMS: JSON.stringify(
          [first, second].map(({ url }, at) => ({
            kind: 'speech-service',
            name: at === 0 ? 'first' : 'second',
            url: url.origin,
            keys: ['user:key@6000'],
          })),
        ),
      };
      gateways = await Promise.all([startRunningGateway({ env }), startRunningGateway({ env })]);
    }, 60_000);
    afterAll(async () => {
      await Promise.all(gateways.map((gateway) => gateway.close()));
      await first?.close();
      await second?.close();
      hook.close();
    });
    const speak = async (gateway: RunningGateway) => {
      const probe = await gateway.session('pace=burst');
      const ended = await probe.speaks('t');
      probe.terminate();
      return ended.servedBy?.[0]?.upstream;
    };
    const healthOf = async (gateway: RunningGateway) => {
      const overview = (await (await fetch(`${gateway.url}/v1/operator`)).json()) as {
        services: { health: Record<string, unknown> }[];
      };
      return overview.services[0]!.health;
    };

    it('spares the second what the first has found, and the operator hears of it once', async () => {
      const [a, b] = gateways as [RunningGateway, RunningGateway];
      answers = (reply) => reply.reset();
      for (let n = 0; n < 3; n += 1) expect(await speak(a)).toBe('second');
      expect(await healthOf(a)).toMatchObject({ state: 'out' });
      await expect.poll(() => healthOf(b), SOON).toMatchObject({ state: 'out', by: 'others', faults: 0 });
      const before = first.requests.length;
      expect(await speak(b)).toBe('second');
      expect(first.requests.length).toBe(before);
      await expect.poll(() => hooks, SOON).toHaveLength(1);
      expect(hooks[0]).toMatchObject({
        type: 'service.out',
        data: { service: 'first', kind: 'speech-service', state: 'out' },
      });
      const lines = [a, b].map(({ logLines }) =>
        logLines.filter((line) => line.includes('upstream_service')),
      );
      expect(lines.map((of) => of.length)).toEqual([1, 1]);
      expect(lines[1]![0]).toContain('"by":"others"');
      expect(await b.metric('voxgate_redis_up')).toBeGreaterThan(0);
      expect(await a.metric('voxgate_health_webhooks_total')).toBe(1);
    });
    it('goes on without Redis, each by itself', async () => {
      const [, b] = gateways as [RunningGateway, RunningGateway];
      answers = speaking;
      await redis.kill();
      // The word of the first ends with its own pause; nobody is asked who may try.
      await expect.poll(async () => (await healthOf(b)).state, SOON).toBe('healthy');
      expect(await speak(b)).toBe('first');
      await redis.start();
    }, 60_000);
  });
});
