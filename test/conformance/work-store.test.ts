// What every store for jobs and PlayNotes promises, asked of the one in memory and of the one in SQLite.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NewDelivery } from '../../src/storage/delivery-store.ts';
import type { Claim, Work } from '../../src/storage/works/work.ts';
import type { NewWork, WorkStore } from '../../src/storage/works/work-store.ts';
import { type OpenedRecords, type RecordStores, recordSubjects } from '../support/record-stores.ts';

const asked = (more: Partial<NewWork> = {}): NewWork => ({
  id: randomUUID(),
  kind: 'tts',
  owner: 'ann',
  urgency: 0,
  input: { text: 'Good morning.' },
  requestedAtMs: 1_000,
  mostUnfinished: 1_000,
  ...more,
});
const message = (more: Partial<NewDelivery> = {}): NewDelivery => ({
  id: `msg_${randomUUID()}`,
  owner: 'ann',
  url: 'https://example.test/hook',
  type: 'tts.completed',
  body: '{}',
  createdAtMs: 1_000,
  ...more,
});
const silent = () => undefined;
const create = async (works: WorkStore, more: Partial<NewWork> = {}): Promise<Work> => {
  const created = await works.create(asked(more));
  if (created.kind !== 'created') throw new Error(`it was ${created.kind}`);
  return created.work;
};
const claim = (works: WorkStore, nowMs = 2_000, more: { leaseMs?: number; mostAttempts?: number } = {}) =>
  works.claim({ nowMs, leaseMs: 100, mostAttempts: 3, toDelivery: silent, ...more });
const claimed = async (works: WorkStore, nowMs = 2_000): Promise<Claim> => {
  const found = await claim(works, nowMs);
  if (found === undefined) throw new Error('there was nothing to claim');
  return found;
};
const all = { limit: 1_000, cursor: undefined };

describe.each(recordSubjects)('a work store $name', ({ open }) => {
  let opened: OpenedRecords;
  let works: WorkStore;
  let deliveries: RecordStores['deliveries'];
  beforeAll(async () => {
    opened = await open();
  });
  beforeEach(async () => {
    ({ works, deliveries } = await opened.fresh());
  });
  afterAll(() => opened.close());
  const messages = async (owner = 'ann') => (await deliveries.list(owner, all)).deliveries;

  it('knows nothing by an id that no text column could hold', async () => {
    await create(works, { id: 'a' });
    await expect(works.find('ann', 'tts', 'a\0b')).resolves.toBeUndefined();
    await expect(works.remove('ann', 'tts', 'a\0')).resolves.toBeUndefined();
    await expect(deliveries.find('ann', 'a\0b')).resolves.toBeUndefined();
    await expect(deliveries.replay('ann', 'a\0b', 1)).resolves.toBe(false);
  });

  it('keeps what was asked for', async () => {
    const work = await create(works, {
      urgency: 2,
      input: { text: 'Ünïcode \u0000 \ud800 💬', list: [1, null] },
    });
    expect(work).toMatchObject({
      status: 'waiting',
      progress: 0,
      attempts: 0,
      urgency: 2,
      requestedAtMs: 1_000,
    });
    expect([work.output, work.failure, work.completedAtMs]).toEqual([undefined, undefined, undefined]);
    expect(work.input).toEqual({ text: 'Ünïcode \u0000 \ud800 💬', list: [1, null] });
    expect(await works.find('ann', 'tts', work.id)).toEqual(work);
  });

  it('finds nothing of another owner, another kind, an unknown id', async () => {
    const { id } = await create(works);
    expect(await works.find('bob', 'tts', id)).toBeUndefined();
    expect(await works.find('ann', 'playnote', id)).toBeUndefined();
    expect(await works.find('ann', 'tts', randomUUID())).toBeUndefined();
    expect(await works.find("' OR 1=1 --", 'tts', id)).toBeUndefined();
    expect([await works.exists(id), await works.exists(randomUUID())]).toEqual([true, false]);
  });

  it('does a repeated request once, and tells another one of the same key', async () => {
    const idempotency = { key: 'k', digest: 'd' };
    const work = await create(works, { idempotency });
    expect(await works.create(asked({ idempotency }))).toEqual({ kind: 'repeated', work });
    expect(await works.create(asked({ idempotency: { key: 'k', digest: 'other' } }))).toEqual({
      kind: 'conflict',
    });
    // Keys are their owner's own, and of one kind.
    await create(works, { idempotency, owner: 'bob' });
    await create(works, { idempotency, kind: 'playnote' });
    await works.remove('ann', 'tts', work.id);
    await create(works, { idempotency });
  });

  it('finds what a key has made, for its owner and of its kind', async () => {
    const work = await create(works, { idempotency: { key: 'k', digest: 'd' } });
    expect(await works.findRequest('ann', 'tts', 'k')).toEqual({ work, digest: 'd' });
    for (const [owner, kind, key] of [
      ['bob', 'tts', 'k'],
      ['ann', 'playnote', 'k'],
      ['ann', 'tts', 'other'],
    ] as const)
      expect(await works.findRequest(owner, kind, key)).toBeUndefined();
  });

  it('has a repeated request answered even when the owner may have no more', async () => {
    const idempotency = { key: 'k', digest: 'd' };
    const work = await create(works, { idempotency, mostUnfinished: 1 });
    const claim = await claimed(works);
    expect(await works.create(asked({ idempotency, mostUnfinished: 1 }))).toMatchObject({
      kind: 'repeated',
      work: { id: work.id, status: 'running' },
    });
    expect(await works.create(asked({ mostUnfinished: 1 }))).toEqual({ kind: 'full' });
    await works.finish(claim, { status: 'completed', output: {} }, 3_000);
    await create(works, { mostUnfinished: 1 });
  });

  it('lets exactly as many of those that come at once in as are allowed', async () => {
    for (const [kind, mostUnfinished, wins] of [
      ['playnote', 1, 1],
      ['playnote', 5, 1],
      ['tts', 3, 3],
      ['tts', 0, 0],
    ] as const) {
      ({ works } = await opened.fresh());
      const results = await Promise.all(
        Array.from({ length: 10 }, () => works.create(asked({ kind, mostUnfinished }))),
      );
      expect(results.filter((result) => result.kind === 'created')).toHaveLength(wins);
      expect(results.filter((result) => result.kind === 'full')).toHaveLength(10 - wins);
      expect((await works.usage('ann')).unfinished).toBe(wins);
      await create(works, { kind, owner: 'bob' });
    }
  });

  it('has one of those that come at once with one key, and the others are told of it', async () => {
    const idempotency = { key: 'k', digest: 'd' };
    const results = await Promise.all(Array.from({ length: 8 }, () => works.create(asked({ idempotency }))));
    expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(new Set(results.map((result) => 'work' in result && result.work.id)).size).toBe(1);
  });

  it('gives work to the owner with the fewest running, then the most urgent, then the oldest', async () => {
    const order: string[] = [];
    for (const [id, owner, urgency, requestedAtMs] of [
      ['ann-old', 'ann', 0, 1],
      ['ann-new', 'ann', 0, 3],
      ['ann-urgent', 'ann', 5, 4],
      ['bob-old', 'bob', 0, 2],
      ['bob-new', 'bob', 0, 5],
      ['cid', 'cid', -1, 0],
    ] as const)
      await create(works, { id, owner, urgency, requestedAtMs });
    for (;;) {
      const next = await claim(works);
      if (next === undefined) break;
      order.push(next.work.id);
    }
    expect(order).toEqual(['ann-urgent', 'bob-old', 'cid', 'ann-old', 'bob-new', 'ann-new']);
  });

  it('takes equals in the order of their creation', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push((await create(works)).id);
    for (const id of ids) expect((await claimed(works)).work.id).toBe(id);
  });

  it('lends a work for a time, and to one at a time', async () => {
    const { id } = await create(works);
    const first = await claimed(works, 2_000);
    expect(first.work).toMatchObject({ id, status: 'running', attempts: 1 });
    expect(await claim(works, 2_099)).toBeUndefined();
    expect(await works.renew(first, 2_500)).toBe(true);
    expect(await claim(works, 2_499)).toBeUndefined();
    const second = await claimed(works, 2_500);
    expect(second.work).toMatchObject({ id, attempts: 2 });
    expect(second.fence).toBeGreaterThan(first.fence);
    // What the first one still says counts for nothing.
    expect(await works.renew(first, 9_000)).toBe(false);
    expect(await works.note(first, { phase: 'late', progress: 0.9 }, message())).toBe(false);
    expect(await works.finish(first, { status: 'completed', output: {} }, 2_600, message())).toBe(false);
    await works.release(first);
    expect(await works.find('ann', 'tts', id)).toEqual(second.work);
    expect(await messages()).toEqual([]);
    expect(await works.finish(second, { status: 'completed', output: { n: 1 } }, 2_700)).toBe(true);
    expect(await works.find('ann', 'tts', id)).toMatchObject({
      status: 'completed',
      progress: 1,
      output: { n: 1 },
      completedAtMs: 2_700,
    });
    expect(await works.finish(second, { status: 'completed', output: { n: 2 } }, 2_800)).toBe(false);
    expect(await claim(works, 99_000)).toBeUndefined();
  });

  it('fails a work that was begun too often, and tells', async () => {
    const { id } = await create(works);
    for (const nowMs of [1_000, 2_000, 3_000]) await claimed(works, nowMs);
    const told: Work[] = [];
    const found = await works.claim({
      nowMs: 4_000,
      leaseMs: 100,
      mostAttempts: 3,
      toDelivery: (work) => {
        told.push(work);
        return message({ id: 'msg_failed', type: 'tts.failed' });
      },
    });
    expect(found).toBeUndefined();
    const failed = {
      id,
      status: 'failed',
      attempts: 3,
      completedAtMs: 4_000,
      failure: { code: 'interrupted' },
    };
    expect(told).toMatchObject([failed]);
    expect(await works.find('ann', 'tts', id)).toMatchObject(failed);
    expect(await messages()).toMatchObject([{ id: 'msg_failed', state: 'pending' }]);
  });

  it('goes on to the next when it fails one', async () => {
    await create(works, { requestedAtMs: 1 });
    const next = await create(works, { requestedAtMs: 2 });
    await claim(works, 1_000, { mostAttempts: 1 });
    await claim(works, 1_000, { mostAttempts: 1, leaseMs: 5_000 });
    expect(await claim(works, 2_000, { mostAttempts: 1 })).toBeUndefined();
    expect(await works.find('ann', 'tts', next.id)).toMatchObject({ status: 'running' });
    const third = await create(works);
    expect(await claim(works, 2_000, { mostAttempts: 1 })).toMatchObject({ work: { id: third.id } });
  });

  it('gives back as if it had not been begun', async () => {
    const { id } = await create(works);
    const first = await claimed(works);
    await works.note(first, { phase: 'speaking', progress: 0.5 });
    await works.release(first);
    expect(await works.find('ann', 'tts', id)).toMatchObject({
      status: 'waiting',
      attempts: 0,
      progress: 0.5,
    });
    const again = await claimed(works);
    expect(again.work).toMatchObject({ id, attempts: 1, progress: 0.5 });
    expect(again.fence).toBeGreaterThan(first.fence);
    expect(await works.renew(first, 9_000)).toBe(false);
  });

  it('counts attempts anew from one that gets further than those before', async () => {
    const { id } = await create(works);
    await claimed(works, 1_000);
    const second = await claimed(works, 2_000);
    expect(second.work.attempts).toBe(2);
    await works.note(second, { phase: 'speaking', progress: 0.3 });
    expect(await works.find('ann', 'tts', id)).toMatchObject({ attempts: 1, progress: 0.3 });
    const third = await claimed(works, 3_000);
    await works.note(third, { phase: 'speaking', progress: 0.3 });
    expect(await works.find('ann', 'tts', id)).toMatchObject({ attempts: 2, progress: 0.3 });
  });

  it('notes progress that does not go back', async () => {
    const { id } = await create(works);
    const claim = await claimed(works);
    expect(await works.note(claim, { phase: 'speaking', progress: 0.5 })).toBe(true);
    expect(await works.note(claim, { phase: 'joining', progress: 0.25 }, message())).toBe(true);
    expect(await works.find('ann', 'tts', id)).toMatchObject({ phase: 'joining', progress: 0.5 });
    expect(await messages()).toHaveLength(1);
  });

  it('cancels what is not finished, once', async () => {
    const { id } = await create(works);
    const claim = await claimed(works);
    const told: string[] = [];
    const cancel = (owner: string) =>
      works.cancel(owner, 'tts', id, 3_000, (work) => {
        told.push(work.status);
        return message({ type: 'tts.cancelled' });
      });
    expect(await cancel('bob')).toBeUndefined();
    const cancelled = await cancel('ann');
    expect(cancelled).toMatchObject({ id, status: 'cancelled', completedAtMs: 3_000 });
    expect(await cancel('ann')).toEqual(cancelled);
    expect(told).toEqual(['cancelled']);
    expect(await messages()).toHaveLength(1);
    expect(await works.renew(claim, 9_000)).toBe(false);
    expect(await works.finish(claim, { status: 'completed', output: {} }, 4_000)).toBe(false);
    expect(await works.find('ann', 'tts', id)).toEqual(cancelled);
  });

  it('writes a change and its message together or not at all', async () => {
    await deliveries.add(message({ id: 'msg_taken' }));
    const taken = () => message({ id: 'msg_taken' });
    const id = randomUUID();
    await expect(works.create(asked({ id, delivery: taken() }))).rejects.toThrow();
    expect(await works.exists(id)).toBe(false);
    const work = await create(works);
    const claim = await claimed(works);
    await expect(works.note(claim, { phase: 'x', progress: 1 }, taken())).rejects.toThrow();
    await expect(works.finish(claim, { status: 'completed', output: {} }, 3_000, taken())).rejects.toThrow();
    await expect(works.cancel('ann', 'tts', work.id, 3_000, taken)).rejects.toThrow();
    expect(await works.find('ann', 'tts', work.id)).toEqual(claim.work);
    expect(await works.finish(claim, { status: 'completed', output: {} }, 3_000, message())).toBe(true);
    expect(await messages()).toHaveLength(2);
  });

  it('forgets what was removed, and what was finished long ago', async () => {
    const ids: string[] = [];
    for (const nowMs of [10, 20, 30]) {
      const { id } = await create(works);
      await works.finish(
        await claimed(works),
        { status: 'failed', failure: { code: 'c', message: 'm' } },
        nowMs,
      );
      ids.push(id);
    }
    const open = await create(works);
    expect(await works.forget(30, 1)).toEqual([ids[0]]);
    expect(await works.forget(30, 10)).toEqual([ids[1]]);
    expect(await works.forget(30, 10)).toEqual([]);
    expect(await works.remove('bob', 'tts', ids[2]!)).toBeUndefined();
    expect(await works.remove('ann', 'tts', ids[2]!)).toMatchObject({ id: ids[2] });
    expect(await works.remove('ann', 'tts', ids[2]!)).toBeUndefined();
    expect((await works.list('ann', 'tts', all)).works.map(({ id }) => id)).toEqual([open.id]);
  });

  it('says whose files may go: of what was removed or forgotten, and of what was expected and never came', async () => {
    expect(await works.disposable()).toEqual([]);
    for (const id of ['removed', 'old', 'kept']) await create(works, { id });
    await works.cancel('ann', 'tts', 'old', 10, silent);
    expect(await works.remove('bob', 'tts', 'kept')).toBeUndefined();
    await works.remove('ann', 'tts', 'removed');
    await works.forget(20, 9);
    for (const id of ['never', 'came']) await works.expect(id);
    await works.expect('came'); // asked twice
    await works.expect('kept'); // by whoever knows no better: there is a row
    await create(works, { id: 'came' });
    expect([...(await works.disposable())].sort()).toEqual(['never', 'old', 'removed']);
    await works.disposed(['old', 'never', 'unknown']);
    expect(await works.disposable()).toEqual(['removed']);
  });

  it('knows what an owner has', async () => {
    for (const output of [{ fileSize: 700 }, { fileSize: 300 }, { fileSize: 'much' }, {}]) {
      await create(works);
      await works.finish(await claimed(works), { status: 'completed', output }, 3_000);
    }
    await create(works);
    await create(works, { kind: 'playnote' });
    await create(works, { owner: 'bob' });
    expect(await works.usage('ann')).toEqual({ bytes: 1_000, unfinished: 2 });
    expect(await works.usage('bob')).toEqual({ bytes: 0, unfinished: 1 });
    expect(await works.usage('eve')).toEqual({ bytes: 0, unfinished: 0 });
  });

  it('knows how many of all owners wait, and since when the oldest does', async () => {
    expect(await works.backlog()).toEqual({ waiting: 0, oldestAtMs: undefined });
    await create(works, { requestedAtMs: 2_000 });
    await create(works, { owner: 'bob', kind: 'playnote', requestedAtMs: 1_500 });
    await create(works, { id: 'gone', requestedAtMs: 1_000 });
    await works.cancel('ann', 'tts', 'gone', 10, silent);
    expect(await works.backlog()).toEqual({ waiting: 2, oldestAtMs: 1_500 });
    await claimed(works);
    expect((await works.backlog()).waiting).toBe(1);
  });

  it('takes what is no cursor for the first page', async () => {
    const { id } = await create(works);
    for (const cursor of ['', 'x', 'bnVsbA', 'WzEsMl0', '💥', 'A'.repeat(10_000)])
      expect((await works.list('ann', 'tts', { limit: 5, cursor })).works.map((work) => work.id)).toEqual([
        id,
      ]);
  });

  it('lists each once, newest first, whatever the times and the size of a page', async () => {
    const plan = fc.record({
      times: fc.array(fc.nat(3), { maxLength: 12 }),
      limit: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ times, limit }) => {
        const { works } = await opened.fresh();
        const ids = new Set<string>();
        for (const requestedAtMs of times) ids.add((await create(works, { requestedAtMs })).id);
        await create(works, { owner: 'bob' });
        const listed: Work[] = [];
        let cursor: string | undefined;
        do {
          const page = await works.list('ann', 'tts', { limit, cursor });
          expect(page.works.length).toBeLessThanOrEqual(limit);
          listed.push(...page.works);
          cursor = page.next;
          // One that comes meanwhile is newer than the page, and moves nothing.
          if (cursor !== undefined) await create(works, { requestedAtMs: 9 });
        } while (cursor !== undefined);
        expect(listed.map(({ requestedAtMs }) => requestedAtMs)).toEqual([...times].sort((a, b) => b - a));
        expect(new Set(listed.map(({ id }) => id))).toEqual(ids);
      }),
      { numRuns: 30 },
    );
  });

  it('never reads or writes across two tenants, whatever they call', async () => {
    const step = fc.record({
      who: fc.constantFrom('ann', 'bob'),
      what: fc.constantFrom('create', 'find', 'list', 'cancel', 'remove', 'usage', 'claim'),
      which: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const { works } = await opened.fresh();
        const ownerOf = new Map<string, string>();
        const stateOf = async (owner: string) => JSON.stringify((await works.list(owner, 'tts', all)).works);
        for (const [i, { who, what, which }] of steps.entries()) {
          const other = who === 'ann' ? 'bob' : 'ann';
          const before = await stateOf(other);
          const id = [...ownerOf.keys()][which % Math.max(1, ownerOf.size)] ?? randomUUID();
          const isOwn = ownerOf.get(id) === who;
          if (what === 'create') {
            // Both use the same key now and then.
            const created = await works.create(
              asked({ owner: who, idempotency: { key: `k${which}`, digest: 'd' } }),
            );
            if ('work' in created) {
              expect(created.work.owner).toBe(who);
              ownerOf.set(created.work.id, who);
            }
          }
          if (what === 'find') expect((await works.find(who, 'tts', id))?.id).toBe(isOwn ? id : undefined);
          if (what === 'list')
            for (const work of (await works.list(who, 'tts', all)).works) expect(work.owner).toBe(who);
          if (what === 'cancel')
            expect((await works.cancel(who, 'tts', id, i, silent))?.id).toBe(isOwn ? id : undefined);
          if (what === 'remove') {
            expect((await works.remove(who, 'tts', id))?.id).toBe(isOwn ? id : undefined);
            if (isOwn) ownerOf.delete(id);
          }
          if (what === 'usage') await works.usage(who);
          if (what === 'claim') await claim(works, i, { leaseMs: 2, mostAttempts: 2 });
          else expect(await stateOf(other)).toBe(before);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('lets only the last one who claimed a work write to it', async () => {
    const step = fc.record({
      what: fc.constantFrom('claim', 'renew', 'note', 'finish', 'release', 'cancel', 'create'),
      which: fc.nat(30),
      passMs: fc.nat(60),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const { works } = await opened.fresh();
        let nowMs = 1_000;
        const claims: Claim[] = [];
        /** The model: who may write, and until when nobody else is given it. */
        const current = new Map<string, { claim: Claim; endsMs: number }>();
        const id = (await create(works)).id;
        for (const { what, which, passMs } of steps) {
          nowMs += passMs;
          const claim = claims[which % Math.max(1, claims.length)];
          const mine = claim && current.get(claim.work.id);
          const isCurrent = claim !== undefined && mine?.claim === claim;
          if (what === 'create') await create(works, { owner: `o${which % 3}` });
          if (what === 'claim') {
            const got = await works.claim({ nowMs, leaseMs: 50, mostAttempts: 99, toDelivery: silent });
            if (got === undefined) continue;
            const before = current.get(got.work.id);
            if (before !== undefined) {
              expect(before.endsMs).toBeLessThanOrEqual(nowMs);
              expect(got.fence).toBeGreaterThan(before.claim.fence);
            }
            claims.push(got);
            current.set(got.work.id, { claim: got, endsMs: nowMs + 50 });
          }
          if (what === 'cancel') {
            await works.cancel('ann', 'tts', id, nowMs, silent);
            current.delete(id);
          }
          if (claim === undefined) continue;
          if (what === 'renew') {
            expect(await works.renew(claim, nowMs + 50)).toBe(isCurrent);
            if (isCurrent) current.set(claim.work.id, { claim, endsMs: nowMs + 50 });
          }
          if (what === 'note') expect(await works.note(claim, { phase: 'p', progress: 0.1 })).toBe(isCurrent);
          if (what === 'finish') {
            const end = { status: 'completed', output: {} } as const;
            expect(await works.finish(claim, end, nowMs)).toBe(isCurrent);
            if (isCurrent) current.delete(claim.work.id);
          }
          if (what === 'release') {
            await works.release(claim);
            if (isCurrent) current.delete(claim.work.id);
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});
