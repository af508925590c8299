// Characters that gateways count together in a real Redis: exact while it answers, each its part when it does not, and known again
// when it has lost its data.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { systemRandom } from '../../src/base/random.ts';
import { quotaIdOf } from '../../src/upstream/key-digest.ts';
import {
  CHARACTER_SPAN_MS,
  type CharacterAnswer,
  type CharacterCount,
  withCharacterLimits,
} from '../../src/upstream/quota/character-limits.ts';
import { createMemoryQuotaStore } from '../../src/upstream/quota/memory-quota-store.ts';
import {
  createRedisCharacters,
  type RedisCharacterCount,
} from '../../src/upstream/quota/redis-characters.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { key, poolBench, TEXT } from '../support/pool-bench.ts';
import { until } from '../support/redis-quota-stores.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';

const INSTANCES = 3;
let pools = 0;
type Instance = ReturnType<typeof poolBench> & { readonly count: RedisCharacterCount };

describe.skipIf(!hasRedis)('characters of several gateways', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  /** Each with a name for its sends; they are connected. */
  async function open(limits: { charactersPerMinute?: number; charactersPerMonth?: number }) {
    const pool = `p${pools++}`;
    let skippedMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + skippedMs };
    const counts = Array.from({ length: INSTANCES }, () =>
      createRedisCharacters({
        url: redis.url,
        pool,
        quotas: [{ quota: 'a', ...limits }],
        maxInstances: INSTANCES,
        clock,
        unixMs: Date.now,
        log: silentLog,
      }),
    );
    let asked = 0;
    const take = (count: CharacterCount, characters: number, reservation = `r${asked++}`) =>
      Promise.resolve(count.take({ quota: 'a', reservation, characters }));
    const seen = async () => {
      for (const count of counts) await take(count, 0);
      return counts.map((count) => count.used('a'));
    };
    const close = () => Promise.all(counts.map((count) => count.close()));
    await until(() => counts.every((count) => count.isShared()));
    const skip = (ms: number) => {
      skippedMs += ms;
    };
    return { counts, take, seen, skip, close };
  }
  const kinds = (answers: readonly CharacterAnswer[]) => answers.map(({ kind }) => kind);
  const countOf = (answers: readonly CharacterAnswer[]) =>
    answers.filter(({ kind }) => kind === 'taken').length;

  it('are never more than the limit, and all of them are used', async () => {
    const { counts, take, seen, close } = await open({ charactersPerMinute: 1000, charactersPerMonth: 5000 });
    const asks = Array.from({ length: 60 }, (_, at) => take(counts[at % INSTANCES]!, 40));
    const answers = await Promise.all(asks);
    expect(countOf(answers)).toBe(25);
    const waits = answers.flatMap((answer) => (answer.kind === 'full' ? [answer.waitMs] : []));
    expect(Math.min(...waits)).toBeGreaterThan(30_000);
    expect(await seen()).toEqual(counts.map(() => ({ inMinute: 1000, inMonth: 1000 })));
    await close();
  });

  it('of a month are spent for all, and come back when nothing was sent or it cost less', async () => {
    const { counts, take, seen, close } = await open({ charactersPerMonth: 1000 });
    const [first, second, third] = [counts[0]!, counts[1]!, counts[2]!];
    expect(kinds([await take(first, 600, 'x'), await take(second, 400, 'y'), await take(third, 1)])).toEqual([
      'taken',
      'taken',
      'spent',
    ]);
    // Asked again, it is counted once.
    expect(kinds([await take(first, 600, 'x')])).toEqual(['taken']);
    first.giveBack({ quota: 'a', reservation: 'x', characters: 600 }, 'both');
    second.cost({ quota: 'a', reservation: 'y', characters: 400 }, 200);
    await until(async () => (await seen()).every(({ inMonth }) => inMonth === 200));
    expect(kinds([await take(third, 800), await take(third, 1)])).toEqual(['taken', 'spent']);
    await close();
  });

  it('are divided among them without Redis, and known to it again', async () => {
    const { counts, take, seen, close } = await open({ charactersPerMinute: 1000, charactersPerMonth: 1000 });
    await take(counts[0]!, 400);
    await seen();
    await redis.kill();
    const answers = await Promise.all(
      counts.flatMap((count) => [take(count, 100), take(count, 100), take(count, 100)]),
    );
    // A third of the 600 that were left for each.
    expect(countOf(answers)).toBe(6);
    await redis.start();
    await until(async () => (await seen()).every(({ inMonth }) => inMonth === 1000));
    expect(kinds([await take(counts[2]!, 1)])).not.toEqual(['taken']);
    await close();
  });

  it('that were taken while Redis was silent are known to it when it speaks, and it is asked again', async () => {
    const { counts, take, seen, skip, close } = await open({ charactersPerMonth: 1900 });
    const [first, second] = [counts[0]!, counts[1]!];
    await take(second, 100);
    await seen();
    redis.freeze();
    const names = Array.from({ length: 9 }, (_, n) => `silent-${n}`);
    const answers = await Promise.all(names.map((name) => take(first, 100, name)));
    expect(countOf(answers)).toBe(6);
    await until(() => !first.isShared());
    const sent = names.filter((_, n) => answers[n]!.kind === 'taken');
    const [dearer, notSent, refused] = sent.map((reservation) => ({
      quota: 'a',
      reservation,
      characters: 100,
    }));
    first.cost(dearer!, 150);
    first.giveBack(notSent!, 'both');
    first.giveBack(refused!, 'month');
    redis.thaw();
    skip(2_000);
    await until(() => first.isShared());
    // It has heard of all nine, and counts those that were sent, once, by what they cost.
    await until(async () => (await seen()).every(({ inMonth }) => inMonth === 550));
    expect(kinds([await take(second, 1350), await take(first, 1)])).toEqual(['taken', 'spent']);
    await close();
  });

  it('that were taken without Redis count in the minute in which they were taken', async () => {
    const { counts, take, seen, skip, close } = await open({ charactersPerMinute: 1000 });
    await seen();
    await redis.kill();
    const first = counts[0]!;
    expect(kinds([await take(first, 300)])).toEqual(['taken']);
    skip(CHARACTER_SPAN_MS);
    expect(kinds([await take(first, 200)])).toEqual(['taken']);
    await redis.start();
    await until(async () => (await seen()).every(({ inMonth }) => inMonth === 500));
    expect((await seen()).map(({ inMinute }) => inMinute)).toEqual([200, 200, 200]);
    await close();
  });

  it('of two pools are never more than the limit; a killed one leaves its part of the minute to the other', async () => {
    const pool = `p${pools++}`;
    const shared = key('a');
    const quota = quotaIdOf(shared.apiKey);
    const limits = { charactersPerMinute: 6 * TEXT.length, charactersPerMonth: 10 * TEXT.length };
    const quotas = [{ quota, perMinute: 'unlimited' as const, ...limits }];
    const [killed, other] = Array.from({ length: 2 }, () => {
      const told = { url: redis.url, pool, quotas, maxInstances: 2, log: silentLog, unixMs: Date.now };
      const count = createRedisCharacters({ ...told, clock: systemClock });
      const clock = createFakeClock();
      const requests = createMemoryQuotaStore({ quotas, clock, log: silentLog });
      const store = withCharacterLimits({ store: requests, quotas, count, clock });
      const bench = { clock, store, random: systemRandom, maxInFlightPerKey: 100 };
      return { ...poolBench([shared], bench), count };
    }) as [Instance, Instance];
    await until(() => killed.count.isShared() && other.count.isShared());
    for (const { open } of [killed, other]) for (let n = 0; n < 8; n += 1) open();
    await until(() => killed.calls.length + other.calls.length === 6);
    await until(() => killed.pool.state().waiting > 0 && other.pool.state().waiting > 0);
    // Nothing of what it has under way is ever told, and a minute passes at Redis.
    await killed.count.close();
    const sends = `voxgate:{${pool}}:characters:${quota}`;
    const members = (await redis.call('ZRANGE', sends, 0, -1)) as string[];
    for (const member of members) await redis.call('ZINCRBY', sends, -CHARACTER_SPAN_MS, member);
    const { waiting } = other.pool.state();
    const sent = other.calls.length + Math.min(4, waiting);
    other.clock.advance(CHARACTER_SPAN_MS);
    await until(() => other.calls.length === sent && other.pool.state().waiting === 0);
    expect(other.count.used(quota).inMonth).toBe((6 + Math.min(4, waiting)) * TEXT.length);
    await other.count.close();
  });
});
