import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWorkQueue, type QueueEntry } from '../../../src/upstream/pool/work-queue.ts';
import { WORK_CLASSES, type WorkClass } from '../../../src/upstream/speech-work.ts';

type Named = QueueEntry & { readonly name: string };
const WIDE = { perBand: 1_000, perTenant: 1_000 };

const entry = (
  name: string,
  {
    work = 'first',
    tenant = '',
    deadlineMs = 0,
    place = 'back',
  }: { work?: WorkClass; tenant?: string; deadlineMs?: number; place?: 'front' | 'back' } = {},
): Named => ({ name, place, work: { class: work, tenant, deadlineMs } });

const anyone = () => true;
function drain(queue: ReturnType<typeof createWorkQueue<Named>>, may: (found: Named) => boolean = anyone) {
  const served: Named[] = [];
  for (let found = queue.next(may); found !== undefined; found = queue.next(may)) {
    queue.take(found);
    served.push(found);
  }
  return served;
}
const names = (entries: Iterable<Named>) => [...entries].map(({ name }) => name).join(' ');

describe('order', () => {
  it('is live before made ahead before jobs, whatever the deadlines', () => {
    const queue = createWorkQueue<Named>(WIDE);
    for (const work of ['batch', 'prefetch', 'next', 'first', 'resume'] as const)
      queue.add(entry(work, { work, deadlineMs: work === 'batch' ? 0 : 9 }));
    expect(names(drain(queue))).toBe('next first resume prefetch batch');
  });

  it('is by deadline within a tenant, then by arrival, and a retry goes before its equals', () => {
    const queue = createWorkQueue<Named>(WIDE);
    queue.add(entry('late', { deadlineMs: 20 }));
    queue.add(entry('first', { deadlineMs: 10 }));
    queue.add(entry('second', { deadlineMs: 10 }));
    queue.add(entry('again', { deadlineMs: 10, place: 'front' }));
    queue.add(entry('soon', { deadlineMs: 5 }));
    expect(names(drain(queue))).toBe('soon again first second late');
  });

  it('takes turns between tenants', () => {
    const queue = createWorkQueue<Named>(WIDE);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(entry(name, { tenant: name[0]! }));
    expect(names(queue.order())).toBe('a1 b1 c1 a2 b2 a3');
    expect(names(drain(queue))).toBe('a1 b1 c1 a2 b2 a3');
  });

  it('gives the turn back to the tenant of a retry', () => {
    const queue = createWorkQueue<Named>(WIDE);
    for (const name of ['a1', 'b1', 'b2']) queue.add(entry(name, { tenant: name[0]! }));
    const [again] = [queue.next(anyone)!];
    queue.take(again);
    queue.add(entry('a1-again', { tenant: 'a', place: 'front' }));
    expect(names(drain(queue))).toBe('a1-again b1 b2');
  });

  it('skips whom it may not serve, who keeps the turn', () => {
    const queue = createWorkQueue<Named>(WIDE);
    for (const name of ['a1', 'a2', 'b1', 'b2']) queue.add(entry(name, { tenant: name[0]! }));
    const blocked = (found: Named) => !found.name.startsWith('a');
    const served = queue.next(blocked)!;
    queue.take(served);
    expect(served.name).toBe('b1');
    expect(names(drain(queue))).toBe('a1 b2 a2');
  });

  it('lets a lower band go only when nobody above may', () => {
    const queue = createWorkQueue<Named>(WIDE);
    queue.add(entry('live'));
    queue.add(entry('job', { work: 'batch' }));
    expect(queue.next(anyone)?.name).toBe('live');
    expect(queue.next(({ name }) => name !== 'live')?.name).toBe('job');
  });
});

describe('bounds', () => {
  it('hold for each band and each tenant, but not for retries', () => {
    const queue = createWorkQueue<Named>({ perBand: 3, perTenant: 2 });
    const add = (tenant: string, work: WorkClass = 'first') => queue.add(entry('x', { tenant, work }));
    expect([add('a'), add('a'), add('a'), add('b'), add('b')]).toEqual([
      'added',
      'added',
      'tenant-full',
      'added',
      'full',
    ]);
    expect(add('a', 'batch')).toBe('added');
    expect(queue.add(entry('again', { tenant: 'a', place: 'front' }))).toBe('added');
    expect(queue.length()).toBe(5);
  });

  it('are ten times as wide for what goes on with a turn that has begun', () => {
    const queue = createWorkQueue<Named>({ perBand: 3, perTenant: 2 });
    const add = (work: WorkClass) => queue.add(entry('x', { tenant: 'a', work }));
    expect([add('first'), add('first'), add('first')]).toEqual(['added', 'added', 'tenant-full']);
    expect(Array.from({ length: 21 }, () => add('next'))).toEqual([
      ...Array(20).fill('added'),
      'tenant-full',
    ]);
    expect(add('first')).toBe('tenant-full');
  });

  it('leave room for first words, however many turns that have begun wait', () => {
    const queue = createWorkQueue<Named>({ perBand: 4, perTenant: 2 });
    const add = (tenant: string, work: WorkClass) => queue.add(entry('x', { tenant, work }));
    for (const tenant of ['a', 'b'])
      expect(Array.from({ length: 20 }, () => add(tenant, 'next'))).toEqual(Array(20).fill('added'));
    expect([add('c', 'next'), add('c', 'resume')]).toEqual(['full', 'full']);
    expect(['a', 'a', 'a', 'c', 'c', 'd'].map((tenant) => add(tenant, 'first'))).toEqual([
      'added',
      'added',
      'tenant-full',
      'added',
      'added',
      'full',
    ]);
  });

  it('count what has risen as what it is now, and nothing that has left', () => {
    const queue = createWorkQueue<Named>({ perBand: 2, perTenant: 1 });
    const begun = Array.from({ length: 10 }, (_, n) => entry(`next ${n}`, { tenant: 'a', work: 'next' }));
    for (const one of begun) expect(queue.add(one)).toBe('added');
    const first = entry('first', { tenant: 'a' });
    expect([queue.add(first), queue.add(entry('x', { tenant: 'a' }))]).toEqual(['added', 'tenant-full']);
    queue.rise(first, { ...first.work, class: 'resume' });
    const second = entry('second', { tenant: 'a' });
    expect(queue.add(second)).toBe('added');
    queue.rise(begun[0]!, { ...begun[0]!.work, class: 'first' });
    queue.take(second);
    expect(queue.add(entry('x', { tenant: 'a' }))).toBe('tenant-full');
    queue.remove(begun[0]!);
    expect(queue.add(entry('x', { tenant: 'a' }))).toBe('added');
    queue.take(first);
    expect(queue.add(entry('x', { tenant: 'a', work: 'next' }))).toBe('added');
    expect(queue.add(entry('x', { tenant: 'a', work: 'next' }))).toBe('tenant-full');
    expect(queue.add(entry('x', { tenant: 'b' }))).toBe('added');
    expect(queue.add(entry('x', { tenant: 'c' }))).toBe('full');
  });
});

const workArb = fc.record({
  class: fc.constantFrom(...WORK_CLASSES),
  tenant: fc.constantFrom('a', 'b', 'c', 'd'),
  deadlineMs: fc.integer({ min: 0, max: 20 }),
});
const entryArb: fc.Arbitrary<Named> = fc
  .record({ work: workArb, place: fc.constantFrom('front' as const, 'back' as const), name: fc.string() })
  .map((made) => made);

describe('whatever comes', () => {
  it('serves everyone once, in the order that it told', () => {
    fc.assert(
      fc.property(fc.array(entryArb, { maxLength: 60 }), (entries) => {
        const queue = createWorkQueue<Named>(WIDE);
        for (const added of entries) queue.add(added);
        const told = [...queue.order()];
        const served = drain(queue);
        expect(served).toEqual(told);
        expect(new Set(served)).toEqual(new Set(entries));
        expect(queue.length()).toBe(0);
      }),
    );
  });

  it('never serves a later deadline of a tenant before an earlier one of the same band', () => {
    fc.assert(
      fc.property(fc.array(entryArb, { maxLength: 60 }), (entries) => {
        const queue = createWorkQueue<Named>(WIDE);
        for (const added of entries) queue.add(added);
        const last = new Map<string, number>();
        for (const { work } of drain(queue)) {
          const band = work.class === 'batch' || work.class === 'prefetch' ? work.class : 'live';
          const of = `${work.tenant} ${band}`;
          expect(work.deadlineMs).toBeGreaterThanOrEqual(last.get(of) ?? 0);
          last.set(of, work.deadlineMs);
        }
      }),
    );
  });

  // A flood of one tenant and a trickle of others, arrivals and services mixed as they come.
  it('keeps nobody waiting for more than one request of each other tenant', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), tenant: fc.constantFrom('a', 'a', 'a', 'b', 'c') }),
      fc.record({ do: fc.constant('serve' as const), tenant: fc.constant('') }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const queue = createWorkQueue<Named>(WIDE);
        /** For each tenant that waits: whom else has been served since it last was. */
        const since = new Map<string, Map<string, number>>();
        const waits = new Map<string, number>();
        for (const { do: what, tenant } of steps) {
          if (what === 'add') {
            queue.add(entry('x', { tenant }));
            waits.set(tenant, (waits.get(tenant) ?? 0) + 1);
            if (!since.has(tenant)) since.set(tenant, new Map());
            continue;
          }
          const served = queue.next(anyone);
          if (served === undefined) continue;
          queue.take(served);
          const own = served.work.tenant;
          for (const [other, counts] of since) {
            if (other === own) continue;
            counts.set(own, (counts.get(own) ?? 0) + 1);
            expect(counts.get(own)).toBeLessThanOrEqual(1);
          }
          waits.set(own, waits.get(own)! - 1);
          if (waits.get(own) === 0) since.delete(own);
          else since.set(own, new Map());
        }
      }),
    );
  });

  it('loses nobody and keeps nobody when some leave', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(entryArb, fc.boolean()), { maxLength: 60 }), (given) => {
        const queue = createWorkQueue<Named>({ perBand: 20, perTenant: 8 });
        const inside = given.filter(([added]) => queue.add(added) === 'added');
        const leaving = inside.filter(([, leaves]) => leaves);
        for (const [left] of leaving) {
          expect(queue.remove(left)).toBe(true);
          expect(queue.remove(left)).toBe(false);
        }
        expect(queue.length()).toBe(inside.length - leaving.length);
        expect(new Set(drain(queue))).toEqual(
          new Set(inside.filter(([, leaves]) => !leaves).map(([stays]) => stays)),
        );
      }),
    );
  });

  it('holds its bounds', () => {
    fc.assert(
      fc.property(fc.array(entryArb, { maxLength: 80 }), (entries) => {
        const queue = createWorkQueue<Named>({ perBand: 10, perTenant: 4 });
        for (const added of entries) {
          if (added.place === 'back') queue.add(added);
        }
        expect(queue.length()).toBeLessThanOrEqual(30);
        const tenants = new Map<string, number>();
        for (const { work } of queue.order()) {
          const band = work.class === 'batch' || work.class === 'prefetch' ? work.class : 'live';
          const of = `${work.tenant} ${band}`;
          tenants.set(of, (tenants.get(of) ?? 0) + 1);
        }
        for (const count of tenants.values()) expect(count).toBeLessThanOrEqual(4);
      }),
    );
  });
});

describe('a change of standing', () => {
  it('moves an entry to its new place within its tenant, and leaves the turns as they are', () => {
    const queue = createWorkQueue<Named>(WIDE);
    const rising = entry('a-rising', { work: 'next', tenant: 'a', deadlineMs: 90 });
    queue.add(entry('a1', { tenant: 'a', deadlineMs: 10 }));
    queue.add(entry('b1', { tenant: 'b' }));
    queue.add(rising);
    queue.rise(rising, { class: 'first', tenant: 'a', deadlineMs: 5 });
    expect(names(queue.order())).toBe('a-rising b1 a1');
    expect([queue.length(), queue.has(rising)]).toEqual([3, true]);
  });

  it('may lead into another band, and is nothing to one that has left', () => {
    const queue = createWorkQueue<Named>(WIDE);
    const rising = entry('rising', { work: 'batch' });
    queue.add(entry('ahead', { work: 'prefetch' }));
    queue.add(rising);
    queue.rise(rising, { class: 'first', tenant: '', deadlineMs: 0 });
    expect(names(queue.order())).toBe('rising ahead');
    queue.remove(rising);
    queue.rise(rising, { class: 'first', tenant: '', deadlineMs: 9 });
    expect([names(queue.order()), queue.length(), queue.has(rising)]).toEqual(['ahead', 1, false]);
  });
});

it('tells how many are ahead as the order does', () => {
  const some = fc.record({
    work: fc.constantFrom(...WORK_CLASSES),
    tenant: fc.constantFrom('a', 'b', 'c'),
    deadlineMs: fc.nat(5),
    place: fc.constantFrom('front' as const, 'back' as const),
  });
  fc.assert(
    fc.property(fc.array(some, { maxLength: 40 }), fc.nat(40), (given, taken) => {
      const queue = createWorkQueue<Named>(WIDE);
      for (const [index, options] of given.entries()) queue.add(entry(String(index), options));
      for (let i = 0; i < taken; i++) {
        const found = queue.next(anyone);
        if (found !== undefined) queue.take(found);
      }
      const order = [...queue.order()];
      expect(order.map((found) => queue.ahead(found))).toEqual(order.map((_, index) => index));
    }),
  );
});

it('does not walk classes of which none may go', () => {
  const queue = createWorkQueue<Named>(WIDE);
  for (let i = 0; i < 9; i++) queue.add(entry(`job${i}`, { work: 'batch' }));
  queue.add(entry('ahead', { work: 'prefetch' }));
  const looked: string[] = [];
  const look = ({ name }: Named) => {
    looked.push(name);
    return false;
  };
  expect(queue.next(look, (of) => of !== 'batch')).toBeUndefined();
  expect(looked).toEqual(['ahead']);
});
