// What a reader gets of a body, and when the socket behind it is held back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BodyQueue, createBodyQueue } from '../../src/upstream/body-queue.ts';
import { createFakeClock, type FakeClock, settle } from '../support/fake-clock.ts';

const STALL_MS = 3000;

function open(clock: FakeClock = createFakeClock()) {
  const seen: string[] = [];
  const controller = new AbortController();
  const queue: BodyQueue = createBodyQueue(
    {
      pause: () => seen.push('pause'),
      resume: () => seen.push('resume'),
      abandon: () => seen.push('abandon'),
      stalled: () => queue.fail(new Error('stalled')),
    },
    { clock, stallMs: STALL_MS, signal: controller.signal },
  );
  return { clock, queue, seen, controller, reader: queue.chunks[Symbol.asyncIterator]() };
}
const bytes = (size: number, fill = 1) => new Uint8Array(size).fill(fill);
const lengthOf = ({ value }: IteratorResult<Uint8Array>) => (value as Uint8Array | undefined)?.length;

describe('what has come in pieces', () => {
  it('is read as one, whether the reader waited for it or not', async () => {
    const { queue, reader } = open();
    const waited = reader.next();
    queue.push(bytes(10));
    queue.push(bytes(20));
    expect(lengthOf(await waited)).toBe(30);
    queue.push(bytes(1));
    queue.push(bytes(2));
    expect(lengthOf(await reader.next())).toBe(3);
  });

  it('is read in several when it is much', async () => {
    const { queue, reader } = open();
    for (let i = 0; i < 5; i += 1) queue.push(bytes(6000));
    queue.push(bytes(40_000));
    const lengths = [];
    for (let i = 0; i < 4; i += 1) lengths.push(lengthOf(await reader.next()));
    expect(lengths).toEqual([12_000, 12_000, 6000, 40_000]);
  });

  it('is read before the end, and before a break', async () => {
    for (const outcome of ['end', 'break'] as const) {
      const { queue, reader } = open();
      const waited = reader.next();
      queue.push(bytes(5));
      if (outcome === 'end') queue.end();
      else queue.fail(new Error('broken'));
      expect(lengthOf(await waited)).toBe(5);
      if (outcome === 'end') expect((await reader.next()).done).toBe(true);
      else await expect(reader.next()).rejects.toThrow('broken');
      expect((await reader.next()).done).toBe(true);
    }
  });
});

describe('a socket', () => {
  it('is held back at 64 KiB and let go on at half of it', async () => {
    const { queue, reader, seen } = open();
    for (let i = 0; i < 3; i += 1) queue.push(bytes(16_384));
    expect(seen).toEqual([]);
    queue.push(bytes(16_384));
    expect(seen).toEqual(['pause']);
    await reader.next();
    expect(seen).toEqual(['pause']);
    await reader.next();
    expect(seen).toEqual(['pause', 'resume']);
  });

  it('is left alone while the reader rests, and what it brings then is read', async () => {
    const { queue, reader, seen, clock } = open();
    queue.rest(400);
    queue.rest(100);
    const waited = reader.next();
    clock.advance(399);
    expect(seen).toEqual(['pause']);
    clock.advance(1);
    expect(seen).toEqual(['pause', 'resume']);
    queue.push(bytes(7));
    expect(lengthOf(await waited)).toBe(7);
    queue.rest(50);
    clock.advance(50);
    expect(seen).toEqual(['pause', 'resume', 'pause', 'resume']);
  });

  it('that was held back for its fullness is not let go on by a rest that ends', () => {
    const { queue, seen, clock } = open();
    queue.push(bytes(65_536));
    queue.rest(100);
    clock.advance(200);
    expect(seen).toEqual(['pause']);
  });

  it('is let go, and no timer is left, when the reader leaves or the body ends in a rest', async () => {
    for (const how of ['leave', 'end', 'fail'] as const) {
      const { queue, reader, seen, clock } = open();
      void reader.next().catch(() => {});
      queue.push(bytes(1));
      await settle();
      queue.rest(100);
      if (how === 'leave') await reader.return?.();
      else if (how === 'end') queue.end();
      else queue.fail(new Error('broken'));
      expect(clock.timers).toBe(0);
      expect(seen).toEqual(how === 'leave' ? ['pause', 'abandon'] : ['pause']);
    }
  });
});

describe('a reader', () => {
  it('who has waited too long is told, and one who was given something meanwhile is not', async () => {
    const { queue, reader, clock } = open();
    const first = reader.next();
    clock.advance(STALL_MS - 1);
    queue.push(bytes(1));
    await first;
    const second = reader.next();
    clock.advance(STALL_MS - 1);
    await settle();
    clock.advance(1);
    await expect(second).rejects.toThrow('stalled');
  });

  it('of a turn that was cancelled reads nothing more', async () => {
    const { queue, reader, controller } = open();
    queue.push(bytes(9));
    controller.abort(new Error('cancelled'));
    await expect(reader.next()).rejects.toThrow('cancelled');
    expect((await reader.next()).done).toBe(true);
  });

  it('gets every byte in its order, however it rests and however the bytes are split', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), size: fc.integer({ min: 1, max: 30_000 }) }),
      fc.record({ kind: fc.constant('rest' as const), ms: fc.integer({ min: 1, max: 600 }) }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 600 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { queue, clock, seen } = open();
        const read: number[] = [];
        const reading = (async () => {
          for await (const chunk of queue.chunks) read.push(...chunk);
        })();
        const pushed: number[] = [];
        for (const [at, each] of steps.entries()) {
          if (each.kind === 'push') {
            const chunk = bytes(each.size, at);
            pushed.push(...chunk);
            queue.push(chunk);
          } else if (each.kind === 'rest') queue.rest(each.ms);
          else await clock.run(each.ms);
        }
        queue.end();
        await reading;
        expect(Buffer.from(read).equals(Buffer.from(pushed))).toBe(true);
        expect(clock.timers).toBe(0);
        expect(seen.filter((_, i) => seen[i] === seen[i + 1])).toEqual([]);
      }),
    );
  });
});
