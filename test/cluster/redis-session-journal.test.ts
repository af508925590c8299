// Journals in a real Redis: nothing can be read there, one instance takes a session over, and all of it expires.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { systemRandom } from '../../src/base/random.ts';
import {
  createJournalCipher,
  createRedisSessionJournal,
  type RedisSessionJournal,
} from '../../src/cluster/instances/redis-session-journal.ts';
import { addToJournal, beginJournal } from '../../src/gateway/journal/session-journal.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';

const [OLD, NEW] = ['old', 'new'].map((name) => Buffer.alloc(32, name).toString('base64')) as [
  string,
  string,
];
const STATE = addToJournal(beginJournal({ userId: 'anna', dialect: 'native', preset: {}, salt: 's' }), {
  taken: 1,
  told: 1,
  token: 1,
  heard: undefined,
  commands: [[1, { type: 'speak', turn: 'a', text: 'a canary text' }]],
  said: [],
});
const ENTRY = JSON.stringify({ state: STATE });

describe('its cipher', () => {
  it('opens what a secret before has sealed, for the session that it was sealed for', () => {
    const sealed = createJournalCipher([OLD]).seal('one', 'a text');
    const both = createJournalCipher([NEW, OLD]);
    expect(both.open('one', sealed)).toBe('a text');
    expect(both.open('two', sealed)).toBeUndefined();
    expect(createJournalCipher([NEW]).open('one', sealed)).toBeUndefined();
    sealed[sealed.length - 1]! ^= 1;
    expect(both.open('one', sealed)).toBeUndefined();
    expect(both.open('one', Buffer.alloc(5))).toBeUndefined();
  });
});

describe.skipIf(!hasRedis)('journals in Redis', () => {
  let redis: RedisServer;
  const opened: RedisSessionJournal[] = [];
  const instance = async (id: string, isAlive: (id: string) => boolean = () => false, secrets = [OLD]) => {
    const journal = createRedisSessionJournal({
      url: redis.url,
      id,
      secrets,
      isAlive,
      forMs: 60_000,
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
    });
    opened.push(journal);
    await expect.poll(() => journal.isUp()).toBe(true);
    return journal;
  };
  beforeAll(async () => {
    redis = await startRedis();
  }, 60_000);
  afterAll(async () => {
    for (const journal of opened) journal.close();
    await redis.close();
  });

  it('hold no text that can be read, and expire', async () => {
    const journal = await instance('a');
    expect(await journal.open('one').write(ENTRY, 'anew', 60_000)).toBe('written');
    const keys = (await redis.call('KEYS', '*one*')) as string[];
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(key).toContain('{journal:one}');
      expect(Number(await redis.call('PTTL', key))).toBeGreaterThan(100_000);
      expect(String(await redis.call('DUMP', key))).not.toContain('canary');
    }
  });
  it('are taken over by one of those who try, and the one before loses its own', async () => {
    const [a, b, c] = await Promise.all(['a2', 'b2', 'c2'].map((id) => instance(id)));
    const hold = a!.open('two');
    await hold.write(ENTRY, 'anew', 60_000);
    const claims = await Promise.allSettled([b, c].map((journal) => journal!.claim('two', () => {})));
    const won = claims.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []));
    // One that comes a moment later would find the first one alive.
    expect(won.length).toBeGreaterThanOrEqual(1);
    expect(won[0]!.state).toEqual(STATE);
    expect(await hold.write(ENTRY, 'added', 60_000)).toBe('lost');
    expect(await hold.write(undefined, 'added', 60_000)).toBe('lost');
    expect(await hold.write(ENTRY, 'anew', 60_000)).toBe('lost');
  });
  it('are not taken from an instance that lives, nor by a client that may not', async () => {
    const hold = (await instance('a3')).open('three');
    await hold.write(ENTRY, 'anew', 60_000);
    const living = await instance('b3', () => true);
    await expect(living.claim('three', () => {})).rejects.toMatchObject({ code: 'busy' });
    const other = await instance('c3');
    const refuse = () => {
      throw new Error('not this one');
    };
    await expect(other.claim('three', refuse)).rejects.toThrow('not this one');
    expect(await hold.write(undefined, 'added', 60_000)).toBe('written');
  });
  it('are let go by an instance that lives, and then claimed once', async () => {
    const isAlive = (id: string) => id !== 'nobody';
    const [a, b] = [await instance('a6', isAlive), await instance('b6', isAlive)];
    const hold = a.open('six');
    await hold.write(ENTRY, 'anew', 60_000);
    await expect(b.claim('six', () => {})).rejects.toMatchObject({ code: 'busy' });
    await hold.release();
    expect((await b.claim('six', () => {}))?.state).toEqual(STATE);
    expect(await hold.write(ENTRY, 'anew', 60_000)).toBe('lost');
    await hold.release();
    await expect(a.claim('six', () => {})).rejects.toMatchObject({ code: 'busy' });
  });
  it('are over when their session is', async () => {
    const journal = await instance('a4');
    const hold = journal.open('four');
    await hold.write(ENTRY, 'anew', 60_000);
    expect(await journal.has('four')).toBe(true);
    hold.drop();
    await expect.poll(() => journal.has('four')).toBe(false);
    expect(await journal.claim('four', () => {})).toBeUndefined();
    expect(await hold.write(ENTRY, 'anew', 60_000)).toBe('lost');
    expect(await journal.claim('never', () => {})).toBeUndefined();
  });
  it('are begun anew where Redis has forgotten them', async () => {
    const hold = (await instance('a5')).open('five');
    expect(await hold.write(ENTRY, 'added', 60_000)).toBe('missing');
    expect(await hold.write(ENTRY, 'anew', 60_000)).toBe('written');
  });
});
