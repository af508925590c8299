// What happens to the store of quotas and to clocks, and what a whole gateway promises through it: turns go on, nobody
// waits for the store, and the service never has to refuse. The service counts strictly and says nothing of its limit.
// A replica that takes over, clocks of several processes and every kind of window: redis-quota.test.ts.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hasRedis, type RedisServer, startRedis } from '../../support/redis-server.ts';
import { type FaultStand, startFaultStand, type TurnTold } from './fault-stand.ts';

const LIMIT = 20;
const KEYS = 2;
const COUNTED = { faults: [`limit=strict:${LIMIT}:none`], toldPerMinute: LIMIT };
const NO_WAIT = { VOXGATE_UPSTREAM_MAX_WAIT_MS: '0' };
/** A store that is silent may cost 100 ms; the rest is for a machine that has much else to do. */
const LONGEST_WAIT_MS = 1_000;
const SPEAKERS = 4;

let stand: FaultStand | undefined;
let redis: RedisServer | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await stand?.close();
  await redis?.close();
  [stand, redis] = [undefined, undefined];
});

/** One turn of each of some speakers at a time; answers with how all of them went. */
async function openCrowd(running: FaultStand) {
  const sessions = await Promise.all(
    Array.from({ length: SPEAKERS }, () => running.gateway.session('pace=burst')),
  );
  let turns = 0;
  return {
    sessions,
    async speak(rounds: number): Promise<TurnTold[]> {
      const told: TurnTold[] = [];
      for (let round = 0; round < rounds; round++) {
        const turn = `turn-${turns++}`;
        told.push(
          ...(await Promise.all(sessions.map((session) => running.speak(turn, 'Yes, of course.', session)))),
        );
      }
      return told;
    },
  };
}

function expectCompleteOrBusy(turns: readonly TurnTold[]): void {
  for (const { outcome, code } of turns)
    expect([outcome, code]).toEqual(outcome === 'complete' ? ['complete', undefined] : ['failed', 'busy']);
}

describe('faults to survive', () => {
  it.runIf(hasRedis)('12: the store of quotas is killed, comes back empty, is silent, forgets', async () => {
    redis = await startRedis();
    stand = await startFaultStand({
      ...COUNTED,
      env: { ...NO_WAIT, VOXGATE_REDIS_URL: redis.url, VOXGATE_MAX_INSTANCES: '1' },
    });
    const crowd = await openCrowd(stand);
    const turns = await crowd.speak(2);

    const through = crowd.speak(2);
    await redis.kill();
    turns.push(...(await through), ...(await crowd.speak(1)));

    await redis.start();
    turns.push(...(await crowd.speak(1)));
    redis.freeze();
    turns.push(...(await crowd.speak(1)));
    redis.thaw();
    await redis.call('FLUSHALL');
    await redis.call('SCRIPT', 'FLUSH');
    turns.push(...(await crowd.speak(1)));
    // Half of the quota at least, whatever became of the store.
    expectCompleteOrBusy(turns);
    expect(turns.filter(({ outcome }) => outcome === 'complete').length).toBeGreaterThanOrEqual(
      (LIMIT * KEYS) / 2,
    );
    // More than there is: what the store has forgotten is not sent again.
    expectCompleteOrBusy(await crowd.speak(6));

    expect(stand.refusals()).toBe(0);
    expect(stand.requests()).toBeLessThanOrEqual(LIMIT * KEYS);
    const waitsMs = crowd.sessions.flatMap((session) =>
      session.events('started').map(({ timings }) => timings.queueMs),
    );
    expect(Math.max(...waitsMs)).toBeLessThan(LONGEST_WAIT_MS);
  });

  it('15: the time of day steps by 5 s, forth and back', async () => {
    stand = await startFaultStand({ ...COUNTED, env: NO_WAIT });
    const crowd = await openCrowd(stand);
    const turns = await crowd.speak(3);
    vi.useFakeTimers({ toFake: ['Date'] });
    for (const stepMs of [5_000, -10_000, 5_000]) {
      vi.setSystemTime(Date.now() + stepMs);
      turns.push(...(await crowd.speak(3)));
    }
    expectCompleteOrBusy(turns);
    // As many as without a step: the whole limit, and not one more.
    expect(turns.filter(({ outcome }) => outcome === 'complete')).toHaveLength(LIMIT * KEYS);
    expect(stand.refusals()).toBe(0);
  });
});
