// The list of instances in a real Redis: each learns who comes and goes, whatever it has missed, and a change is told, not the list.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { systemRandom } from '../../src/base/random.ts';
import type { InstanceDirectory } from '../../src/cluster/instances/instance-directory.ts';
import { createRedisInstanceDirectory } from '../../src/cluster/instances/redis-instance-directory.ts';
import { createSignedNotes } from '../../src/cluster/instances/signed-notes.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';

const SECRET = Buffer.alloc(32, 'secret').toString('base64');
const ENTRIES = 'voxgate:{instances}:entries';
const SEEN = 'voxgate:{instances}:seen';
const BEAT_MS = 2000;

describe.skipIf(!hasRedis)('instances in Redis', () => {
  let redis: RedisServer;
  let clock = createFakeClock();
  let opened: InstanceDirectory[] = [];
  let aheadMs = 0;
  beforeAll(async () => {
    redis = await startRedis();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(opened.map((each) => each.close()));
    [opened, clock, aheadMs] = [[], createFakeClock(), 0];
    await redis.call('FLUSHALL');
  });
  afterAll(() => redis.close());

  const notesOf = (id: string, secret = SECRET, unixMs: () => number = Date.now) =>
    createSignedNotes({ secrets: [secret], id, unixMs, random: systemRandom });
  const found: string[] = [];
  const open = async (id: string, unixMs: () => number = Date.now) => {
    const directory = createRedisInstanceDirectory({
      url: redis.url,
      own: { id, url: `http://127.0.0.1/${id}`, version: '1' },
      notes: notesOf(id, SECRET, unixMs),
      clock,
      unixMs,
      random: systemRandom,
      log: silentLog,
      onFound: (other) => found.push(`${id} has found ${other}`),
    });
    opened.push(directory);
    await expect.poll(() => directory.isUp()).toBe(true);
    return directory;
  };
  const idsOf = (directory: InstanceDirectory) =>
    directory
      .others()
      .map(({ id }) => id)
      .sort();
  /** Beats until it is so; the time of Redis does not go on by it. */
  const beatUntil = (isSo: () => boolean) =>
    expect
      .poll(() => {
        clock.advance(BEAT_MS);
        return isSo();
      })
      .toBe(true);
  const wholeLists = async () => {
    const stats = (await redis.call('INFO', 'commandstats')) as string;
    return Number(/cmdstat_hgetall:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };
  const names = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => `i${String(from + at).padStart(2, '0')}`);

  it('know all others, and a change is told without the list', async () => {
    for (const id of names(12)) await open(id);
    await beatUntil(() => opened.every((each) => each.others().length === 11));
    expect(idsOf(opened[3]!)).toEqual(names(12).filter((id) => id !== 'i03'));
    const before = await wholeLists();
    const last = await open('i12');
    await expect.poll(() => last.others().length).toBe(12);
    await opened[0]!.close();
    const left = names(12, 1);
    await beatUntil(() =>
      opened.slice(1).every((each, at) => idsOf(each).join() === left.filter((id) => id !== left[at]).join()),
    );
    expect(await wholeLists()).toBe(before + 1); // the new one's
  });

  it('find one that says nothing any more, once', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const gone = createRedisInstanceDirectory({
      url: redis.url,
      own: { id: 'gone', url: 'http://127.0.0.1/gone', version: '1' },
      notes: notesOf('gone'),
      clock: createFakeClock(),
      unixMs: Date.now,
      random: systemRandom,
      log: silentLog,
    });
    await expect.poll(() => gone.isUp()).toBe(true);
    await beatUntil(() => idsOf(a).includes('gone') && idsOf(b).includes('gone'));
    gone.entered('session:one');
    await expect.poll(() => a.find('session:one')).toMatchObject({ id: 'gone' });
    await redis.call('ZADD', SEEN, Date.now() - 7000, 'gone');
    await beatUntil(() => idsOf(a).join() === 'b' && idsOf(b).join() === 'a');
    opened.push(gone);
    // It may only be cut off from Redis, and its sessions be well.
    expect(await a.find('session:one', 'ask-it')).toMatchObject({ id: 'gone' });
    await expect(a.find('session:one')).rejects.toMatchObject({ code: 'busy' });
    // It is told of again when it is listed again.
    const times = () => found.filter((each) => each === 'a has found next').length;
    const again = await open('next');
    await beatUntil(() => times() === 1);
    await again.close();
    opened.splice(opened.indexOf(again), 1);
    await beatUntil(() => !idsOf(a).includes('next'));
    clock.advance(90_000);
    const next = await open('next');
    await beatUntil(() => idsOf(a).includes('next') && next.others().length > 0);
    expect(times()).toBe(2);
    expect(await a.find('session:one', 'ask-it')).toBeUndefined();
  });

  it('are told the list when more has changed than is kept, or when an older version changed it', async () => {
    const a = await open('a');
    await beatUntil(() => a.others().length === 0);
    const b = await open('b');
    await redis.call('SET', 'voxgate:{instances}:version', 'of an older version');
    await beatUntil(() => idsOf(a).join() === 'b' && idsOf(b).join() === 'a');
    // The older one's change lies between two that are noted.
    const said = JSON.stringify({ id: 'old', url: 'http://127.0.0.1/old', version: '0', atMs: Date.now() });
    const entry = JSON.stringify({ said, signature: notesOf('old').signEntry(said) });
    await redis.call('ZADD', SEEN, Date.now() + 60_000, 'old');
    await redis.call('HSET', ENTRIES, 'old', entry);
    await redis.call('SET', 'voxgate:{instances}:version', 'with the old one');
    const after = await open('after');
    await expect.poll(() => after.others().length).toBe(3);
    await beatUntil(() => idsOf(a).join() === 'after,b,old' && idsOf(b).join() === 'a,after,old');
    await after.close();
    await redis.call('ZADD', SEEN, Date.now() - 7000, 'old');
    await beatUntil(() => idsOf(a).join() === 'b' && idsOf(b).join() === 'a');
    // So many are found dead at one beat.
    const dead = names(300, 100);
    await redis.call('HSET', ENTRIES, ...dead.flatMap((id) => [id, '{}']));
    await redis.call('ZADD', SEEN, ...dead.flatMap((id) => [Date.now() - 7000, id]));
    const before = await wholeLists();
    await open('c');
    await beatUntil(() => idsOf(a).join() === 'b,c' && idsOf(b).join() === 'a,c');
    expect(await wholeLists()).toBeGreaterThanOrEqual(before + 3);
  });

  it('start anew with a Redis that has forgotten all', async () => {
    const [a, b] = [await open('a'), await open('b')];
    await beatUntil(() => idsOf(a).join() === 'b' && idsOf(b).join() === 'a');
    await redis.call('FLUSHALL');
    const c = await open('c');
    await beatUntil(
      () => idsOf(a).join() === 'b,c' && idsOf(b).join() === 'a,c' && idsOf(c).join() === 'a,b',
    );
  });

  it('believe only what is signed, and one whose clock was off when it is set', async () => {
    const a = await open('a');
    const said = JSON.stringify({ id: 'evil', url: 'http://127.0.0.1/evil', version: '1', atMs: Date.now() });
    const signature = notesOf('evil', Buffer.alloc(32, 'other').toString('base64')).signEntry(said);
    await redis.call('HSET', ENTRIES, 'evil', JSON.stringify({ said, signature }));
    await redis.call('ZADD', SEEN, Date.now() + 60_000, 'evil');
    aheadMs = 120_000;
    await open('late', () => Date.now() + aheadMs);
    await open('b');
    await beatUntil(() => idsOf(a).join() === 'b');
    aheadMs = 0;
    await beatUntil(() => idsOf(a).join() === 'b,late');
  });
});
