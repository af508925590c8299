// Characters that gateways count together in a real Redis: exact while it answers, each its part when it does not, and known again
// when it has lost its data.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { CharacterAnswer, CharacterCount } from '../../src/upstream/quota/character-limits.ts';
import { createRedisCharacters } from '../../src/upstream/quota/redis-characters.ts';
import { until } from '../support/redis-quota-stores.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';

const INSTANCES = 3;
let pools = 0;

describe.skipIf(!hasRedis)('characters of several gateways', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  /** Each with a name for its sends; they are connected. */
  async function open(limits: { charactersPerMinute?: number; charactersPerMonth?: number }) {
    const pool = `p${pools++}`;
    const counts = Array.from({ length: INSTANCES }, () =>
      createRedisCharacters({
        url: redis.url,
        pool,
        quotas: [{ quota: 'a', ...limits }],
        maxInstances: INSTANCES,
        clock: systemClock,
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
    return { counts, take, seen, close };
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
});
