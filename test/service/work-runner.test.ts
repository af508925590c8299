import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import type { WorkStore } from '../../src/storage/works/work-store.ts';
import { settle } from '../support/fake-clock.ts';
import { openRunnerBench } from './work-runner-fixture.ts';

const LEASE_MS = 30_000;
const final = ['completed', 'failed', 'cancelled'];

describe('the work runner', () => {
  it('does so many at once, and the next when one has ended', async () => {
    const bench = openRunnerBench({ mostAtOnce: 3 });
    const runner = bench.open();
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push(await bench.add());
    runner.recheck();
    await settle();
    expect(bench.doings.map(({ work }) => work.id)).toEqual(ids.slice(0, 3));
    expect(runner.running()).toBe(3);
    bench.doing(ids[1]!).complete({ fileSize: 7 });
    await settle();
    expect(bench.doings.map(({ work }) => work.id)).toEqual(ids.slice(0, 4));
    expect(await bench.find(ids[1]!)).toMatchObject({ status: 'completed', output: { fileSize: 7 } });
    expect(bench.tidied.map(({ id, status }) => [id, status])).toEqual([[ids[1], 'completed']]);
    await runner.close();
    expect(bench.clock.timers).toBe(0);
  });

  it('tells whether works are left that it has no room for', async () => {
    const bench = openRunnerBench({ mostAtOnce: 2 });
    const runner = bench.open();
    const ids = [await bench.add(), await bench.add(), await bench.add()];
    expect(await runner.begin()).toBe('some-may-wait');
    bench.doing(ids[0]!).complete();
    bench.doing(ids[1]!).complete();
    await settle();
    expect(await runner.begin()).toBe('none-waits');
    const together = [runner.begin(), bench.add().then(() => runner.begin())];
    expect(await Promise.all(together)).toEqual(['some-may-wait', 'some-may-wait']);
    await runner.close();
    expect(await runner.begin()).toBe('some-may-wait');
    const roomy = openRunnerBench({ mostAtOnce: 9 });
    const other = roomy.open();
    const added = [1, 2, 3].map(() => roomy.add().then(() => other.begin()));
    expect(await Promise.all(added)).toEqual(['none-waits', 'none-waits', 'none-waits']);
    await other.close();
  });

  it('begins nothing where there is room for none, and says so', async () => {
    const bench = openRunnerBench({ mostAtOnce: 0 });
    const runner = bench.open();
    await bench.add();
    expect(await runner.begin()).toBe('some-may-wait');
    await bench.clock.run(LEASE_MS);
    expect(bench.doings).toHaveLength(0);
    await runner.close();
  });

  it('keeps the lease of what takes long', async () => {
    const bench = openRunnerBench();
    const runner = bench.open();
    const id = await bench.add();
    runner.recheck();
    await bench.clock.run(10 * LEASE_MS);
    expect(bench.doings).toHaveLength(1);
    bench.doing(id).complete();
    await settle();
    expect(await bench.find(id)).toMatchObject({ status: 'completed', attempts: 1 });
    await runner.close();
  });

  it('does not mind that the wall clock is set', async () => {
    const bench = openRunnerBench();
    const runner = bench.open();
    const id = await bench.add();
    runner.recheck();
    await settle();
    bench.stepWallClock(3_600_000);
    await bench.clock.run(LEASE_MS);
    expect(bench.doings).toHaveLength(1);
    bench.doing(id).complete();
    await settle();
    expect(await bench.find(id)).toMatchObject({ status: 'completed', attempts: 1 });
    await runner.close();
  });

  it('gives back what is under way when it closes, as if it had not been begun', async () => {
    const bench = openRunnerBench({ stopMs: 500 });
    const runner = bench.open();
    const id = await bench.add();
    runner.recheck();
    await settle();
    let isClosed = false;
    const closed = runner.close().then(() => {
      isClosed = true;
    });
    await bench.clock.run(400);
    expect(isClosed).toBe(false);
    await bench.clock.run(200);
    await closed;
    expect(await bench.find(id)).toMatchObject({ status: 'waiting', attempts: 0 });
    expect([bench.tidied, bench.ended, bench.clock.timers]).toEqual([[], [], 0]);
    runner.recheck();
    await settle();
    expect(bench.doings).toHaveLength(1);
  });

  it('begins nothing more when it is to rest, and ends what it has', async () => {
    const bench = openRunnerBench({ mostAtOnce: 1 });
    const runner = bench.open();
    const [first, second] = [await bench.add(), await bench.add()];
    runner.recheck();
    await settle();
    runner.rest();
    await bench.clock.run(2 * LEASE_MS);
    bench.doing(first).complete();
    await settle();
    runner.recheck();
    await bench.clock.run(LEASE_MS);
    expect(bench.doings).toHaveLength(1);
    expect(await bench.find(first)).toMatchObject({ status: 'completed', attempts: 1 });
    expect(await bench.find(second)).toMatchObject({ status: 'waiting', attempts: 0 });
    await runner.close();
    expect(bench.clock.timers).toBe(0);
  });

  it.each(['cancelled', 'removed'] as const)('stops what was %s, and writes nothing of it', async (how) => {
    const bench = openRunnerBench({ stopMs: 300 });
    const runner = bench.open();
    const id = await bench.add();
    runner.recheck();
    await settle();
    const { toDelivery } = bench;
    if (how === 'cancelled') await bench.store.cancel('ann', 'tts', id, 5, toDelivery);
    else await bench.store.remove('ann', 'tts', id);
    const before = await bench.told(id);
    const stopped = runner.interrupt(id);
    bench.doing(id).tell({ phase: 'too late', progress: 1 });
    await bench.clock.run(200);
    expect(bench.tidied).toEqual([]);
    await bench.clock.run(200);
    await stopped;
    expect(await bench.told(id)).toEqual(before);
    expect((await bench.find(id))?.status).toBe(how === 'cancelled' ? 'cancelled' : undefined);
    // What the doing still wrote while it stopped is gone, too.
    expect(bench.tidied.map((work) => work.id)).toEqual([id]);
    await runner.close();
    expect(bench.clock.timers).toBe(0);
  });

  it('finds out by itself that a work was taken away', async () => {
    const bench = openRunnerBench();
    const runner = bench.open();
    const [first, second] = [await bench.add(), await bench.add()];
    runner.recheck();
    await settle();
    await bench.store.remove('ann', 'tts', first);
    await bench.store.remove('ann', 'tts', second);
    bench.doing(first).tell({ phase: 'speaking', progress: 0.1 });
    await settle();
    expect(bench.doing(first).signal.aborted).toBe(true);
    expect(bench.doing(second).signal.aborted).toBe(false);
    await bench.clock.run(10_000); // the next renewal
    expect(bench.doing(second).signal.aborted).toBe(true);
    await runner.close();
  });

  it('writes progress once a second at most, and tells webhooks at each change of phase', async () => {
    let notes = 0;
    const bench = openRunnerBench({
      through: (store) => ({
        ...store,
        note(...args) {
          notes += 1;
          return store.note(...args);
        },
      }),
    });
    const runner = bench.open();
    const id = await bench.add();
    runner.recheck();
    await settle();
    const doing = bench.doing(id);
    for (let i = 0; i <= 1000; i += 1) {
      doing.tell({ phase: 'speaking', progress: i / 2000 });
      await bench.clock.run(10);
    }
    expect(notes).toBeLessThanOrEqual(12);
    expect((await bench.find(id))!.progress).toBeGreaterThan(0.45);
    doing.tell({ phase: 'finishing', progress: 0.9 });
    await settle();
    expect(await bench.find(id)).toMatchObject({ phase: 'finishing', progress: 0.9 });
    doing.complete();
    await settle();
    expect((await bench.told(id)).map(({ status, phase }) => [status, phase])).toEqual([
      ['running', 'speaking'],
      ['running', 'finishing'],
      ['completed', 'completed'],
    ]);
    await runner.close();
    expect(bench.clock.timers).toBe(0);
  });

  it('tells a webhook of a failure what the record says', async () => {
    const bench = openRunnerBench();
    const runner = bench.open();
    const id = await bench.add();
    runner.recheck();
    await settle();
    bench.doing(id).tell({ phase: 'speaking', progress: 0.4 });
    await settle();
    bench.doing(id).fail(new AppError('upstream_rejected', 'It said no.'));
    await settle();
    const { status, phase, progress, failure } = (await bench.find(id))!;
    expect(failure).toEqual({ code: 'upstream_rejected', message: 'It said no; check voice and fields.' });
    expect((await bench.told(id)).at(-1)).toEqual({ id, status, phase, progress });
    await runner.close();
  });

  it('says nothing of the inside to callers', async () => {
    const bench = openRunnerBench();
    const runner = bench.open();
    const id = await bench.add();
    runner.recheck();
    await settle();
    bench.doing(id).fail(new TypeError('secret path /etc/x'));
    await settle();
    const { failure } = (await bench.find(id))!;
    expect(failure!.code).toBe('internal');
    expect(failure!.message).not.toContain('secret');
    expect(bench.errors).toEqual(['a work failed inside']);
    await runner.close();
  });

  it('outlives every kind of store error', async () => {
    const broken = new Set<keyof WorkStore>();
    const bench = openRunnerBench({
      through: (store) =>
        new Proxy(store, {
          get: (target, name: keyof WorkStore) =>
            broken.has(name) ? () => Promise.reject(new Error('disk full')) : target[name],
        }),
    });
    const runner = bench.open();
    const id = await bench.add();
    broken.add('claim');
    runner.recheck();
    await bench.clock.run(20_000);
    expect(bench.doings).toEqual([]);
    broken.clear();
    await bench.clock.run(5000);
    expect(bench.doings).toHaveLength(1);
    for (const name of ['note', 'renew', 'finish'] as const) broken.add(name);
    bench.doing(id).tell({ phase: 'speaking', progress: 0.5 });
    await bench.clock.run(15_000);
    bench.doing(id).complete();
    await settle();
    expect((await bench.find(id))!.status).toBe('running');
    broken.clear();
    await bench.clock.run(LEASE_MS + 10_000);
    bench.doing(id).complete();
    await settle();
    expect(await bench.find(id)).toMatchObject({ status: 'completed', attempts: 2 });
    await runner.close();
    expect(new Set(bench.errors).size).toBe(4);
  });

  it('never does a work twice at once, even when its lease ran out under it', async () => {
    let isBroken = true;
    const bench = openRunnerBench({
      stopMs: 3000,
      through: (store) => ({
        ...store,
        renew: (...args) => (isBroken ? Promise.reject(new Error('busy')) : store.renew(...args)),
      }),
    });
    const runner = bench.open();
    const id = await bench.add();
    runner.recheck();
    await bench.clock.run(LEASE_MS + 5000);
    expect(bench.doings[0]!.signal.aborted).toBe(true);
    isBroken = false;
    await bench.clock.run(5000);
    expect([bench.doings.length, bench.overlaps, runner.running()]).toEqual([2, 0, 1]);
    bench.doing(id).complete();
    await settle();
    expect(await bench.find(id)).toMatchObject({ status: 'completed', attempts: 2 });
    await runner.close();
    expect(bench.clock.timers).toBe(0);
  });

  it('fails what has ended its program three times, and tells everyone who has to know', async () => {
    const bench = openRunnerBench();
    const id = await bench.add();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const crashed = openRunnerBench();
      const claim = await bench.store.claim({
        nowMs: Math.floor(bench.clock.now()),
        leaseMs: LEASE_MS,
        mostAttempts: 3,
        toDelivery: crashed.toDelivery,
      });
      expect(claim?.work.attempts).toBe(attempt);
      bench.clock.advance(LEASE_MS + 1);
    }
    const runner = bench.open();
    runner.recheck();
    await settle();
    expect(bench.doings).toEqual([]);
    expect(await bench.find(id)).toMatchObject({ status: 'failed', failure: { code: 'interrupted' } });
    expect((await bench.told(id)).map(({ status }) => status)).toEqual(['failed']);
    expect(bench.rechecks).toBe(1);
    for (const heard of [bench.ended, bench.tidied])
      expect(heard.map((work) => [work.id, work.status])).toEqual([[id, 'failed']]);
    await runner.close();
  });

  it('lets nobody starve behind a user with a thousand jobs', async () => {
    const bench = openRunnerBench({ mostAtOnce: 2 });
    const runner = bench.open();
    for (let i = 0; i < 1000; i += 1) await bench.add('ann', 'tts', 1);
    runner.recheck();
    await settle();
    const late = await bench.add('bob');
    bench.doings[0]!.complete();
    await settle();
    expect(bench.doings.at(-1)!.work.id).toBe(late);
    await runner.close();
  });

  it('ends every work exactly once, whatever happens in whatever order', async () => {
    const what = fc.constantFrom('add', 'complete', 'fail', 'cancel', 'remove', 'crash', 'restart', 'tell');
    const event = fc.record({ what, which: fc.nat(20), waitMs: fc.constantFrom(0, 0, 700, 6000, 40_000) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 40 }),
        fc.boolean(),
        async (events, isSlow) => {
          const bench = openRunnerBench({ stopMs: isSlow ? 900 : 0 });
          let runner = bench.open();
          const ids: string[] = [];
          const removed = new Set<string>();
          const pick = (which: number) => ids[which % Math.max(1, ids.length)];
          for (const { what: act, which, waitMs } of events) {
            const id = pick(which);
            const doing = id === undefined ? undefined : bench.doing(id);
            if (act === 'add') {
              ids.push(await bench.add(`user-${which % 3}`));
              runner.recheck();
            } else if (act === 'restart') {
              const closed = runner.close();
              await bench.clock.run(1000);
              await closed;
              runner = bench.open();
            } else if (id === undefined) continue;
            else if (act === 'complete') doing?.complete();
            else if (act === 'fail') doing?.fail(new AppError('upstream_broken', 'broken'));
            else if (act === 'crash') doing?.fail(new Error('inside'));
            else if (act === 'tell') doing?.tell({ phase: `phase ${which % 4}`, progress: which / 20 });
            else {
              const owners = ['user-0', 'user-1', 'user-2'];
              for (const owner of owners) {
                if (act === 'cancel')
                  await bench.store.cancel(owner, 'tts', id, bench.clock.now(), bench.toDelivery);
                else if ((await bench.store.remove(owner, 'tts', id)) !== undefined) removed.add(id);
              }
              // As often as not the runner has to find out by itself.
              if (which % 2 === 0) void runner.interrupt(id);
            }
            if (waitMs > 0) await bench.clock.run(waitMs);
            else await settle();
          }
          for (let turns = 0; turns < 60; turns += 1) {
            for (const doing of [...bench.doings]) doing.complete();
            await bench.clock.run(6000);
          }
          const closed = runner.close();
          await bench.clock.run(1000);
          await closed;
          expect(bench.overlaps).toBe(0);
          expect(bench.clock.timers).toBe(0);
          for (const [owner, id] of ids.flatMap((id) =>
            ['user-0', 'user-1', 'user-2'].map((o) => [o, id] as const),
          )) {
            const work = await bench.store.find(owner, 'tts', id);
            const ends = (await bench.told(id, owner)).filter(({ status }) => final.includes(status));
            expect(ends.length).toBeLessThanOrEqual(1);
            if (work === undefined) continue;
            expect(final).toContain(work.status);
            expect(ends.map(({ status }) => status)).toEqual([work.status]);
          }
          for (const id of ids.filter((each) => !removed.has(each)))
            expect(bench.tidied.filter((work) => work.id === id).length).toBeLessThanOrEqual(
              bench.doings.filter(({ work }) => work.id === id).length + 1,
            );
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a disk that is full', () => {
  const noSpace = () => Object.assign(new Error('no space'), { code: 'ENOSPC' });

  it('is waited for, with the work kept and nothing else begun; then all goes on', async () => {
    const bench = openRunnerBench();
    const runner = bench.open();
    await bench.storage.start();
    const id = await bench.add();
    runner.recheck();
    await settle();
    bench.setDisk('full');
    bench.doing(id).tell({ phase: 'speaking', progress: 0.5 });
    bench.doing(id).fail(noSpace());
    await bench.clock.run(1_000);
    const other = await bench.add();
    runner.recheck();
    await bench.clock.run(3 * 60 * 60_000);
    expect(await bench.find(id)).toMatchObject({
      status: 'running',
      phase: 'waiting-for-storage',
      attempts: 1,
    });
    expect((await bench.find(other))?.status).toBe('waiting');
    bench.setDisk('takes everything');
    await bench.clock.run(62_000);
    expect(bench.doings.map(({ work }) => work.id)).toEqual([id, id, other]);
    bench.doing(id).complete({ fileSize: 1 });
    bench.doing(other).complete();
    await bench.clock.run(0);
    expect(await bench.find(id)).toMatchObject({ status: 'completed', attempts: 1 });
    expect([bench.overlaps, bench.errors]).toEqual([0, []]);
    await runner.close();
    bench.storage.close();
    expect(bench.clock.timers).toBe(0);
  });

  it('keeps no end from being written: it is, as soon as there is room', async () => {
    let isFull = true;
    const bench = openRunnerBench({
      through: (store) => ({
        ...store,
        async finish(...args) {
          if (isFull) throw Object.assign(new Error('database or disk is full'), { name: 'SQLite3Error' });
          return store.finish(...args);
        },
      }),
    });
    const runner = bench.open();
    await bench.storage.start();
    const id = await bench.add();
    runner.recheck();
    await settle();
    bench.setDisk('full');
    bench.doing(id).complete({ fileSize: 1 });
    await bench.clock.run(60_000);
    expect((await bench.find(id))?.status).toBe('running');
    isFull = false;
    bench.setDisk('takes everything');
    await bench.clock.run(62_000);
    expect((await bench.find(id))?.status).toBe('completed');
    expect([bench.doings.length, bench.ended.length, bench.errors]).toEqual([1, 1, []]);
    await runner.close();
    bench.storage.close();
  });

  it('fails a work after a day, and says why', async () => {
    const bench = openRunnerBench();
    const runner = bench.open();
    await bench.storage.start();
    const id = await bench.add();
    runner.recheck();
    await settle();
    bench.setDisk('full');
    bench.doing(id).fail(noSpace());
    await bench.clock.run(24 * 60 * 60_000 + 60_000);
    expect(await bench.find(id)).toMatchObject({
      status: 'failed',
      failure: { code: 'insufficient_storage' },
    });
    await runner.close();
    bench.storage.close();
    expect(bench.clock.timers).toBe(0);
  });
});

it('abandons what another process does now, and writes nothing more', async () => {
  const writes: string[] = [];
  const bench = openRunnerBench({
    through: (store) => ({
      ...store,
      finish: async () => writes.push('finish') > 0,
      release: async () => void writes.push('release'),
      claim: (at) => {
        writes.push('claim');
        return store.claim(at);
      },
    }),
  });
  const runner = bench.open();
  const id = await bench.add();
  runner.recheck();
  await settle();
  const before = writes.length;
  runner.abandon();
  await bench.add();
  runner.recheck();
  await bench.clock.run(60_000);
  expect(bench.doing(id).signal.aborted).toBe(true);
  expect([writes.length, bench.tidied, bench.errors]).toEqual([before, [], []]);
  await runner.close();
  expect(bench.clock.timers).toBe(0);
});
