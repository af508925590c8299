// What a reader gets of a body, and when the socket behind it is held back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyQueue } from '../../../src/upstream/services/body-queue.ts';
import { createFakeClock, type FakeClock, settle } from '../../support/fake-clock.ts';

const STALL_MS = 3000;

function open(clock: FakeClock = createFakeClock()) {
  const seen: string[] = [];
  const controller = new AbortController();
  const queue: BodyQueue = new BodyQueue(
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

  it('that is let go on may bring the end, or a break, at once: what came before is read first', async () => {
    for (const outcome of ['end', 'break'] as const) {
      for (const waits of ['before', 'after'] as const) {
        const queue: BodyQueue = new BodyQueue(
          {
            pause() {},
            resume() {
              if (outcome === 'end') queue.end();
              else queue.fail(new Error('broken'));
            },
            abandon() {},
            stalled() {},
          },
          { clock: createFakeClock(), stallMs: STALL_MS, signal: new AbortController().signal },
        );
        const reader = queue.chunks[Symbol.asyncIterator]();
        const early = waits === 'before' ? reader.next() : undefined;
        queue.push(bytes(65_536));
        expect(lengthOf(await (early ?? reader.next()))).toBe(65_536);
        if (outcome === 'end') expect((await reader.next()).done).toBe(true);
        else await expect(reader.next()).rejects.toThrow('broken');
      }
    }
  });
});

describe('a reader who rests', () => {
  const resting = async () => {
    const made = open();
    let read: number | undefined | 'end';
    const next = () =>
      made.reader.next().then(
        (result) => {
          read = result.done === true ? 'end' : lengthOf(result);
        },
        () => {},
      );
    made.queue.push(bytes(1));
    await next();
    read = undefined;
    made.queue.rest(400);
    void next();
    return { ...made, read: () => read, next };
  };

  it('is given what has come when he has rested', async () => {
    const { queue, clock, read } = await resting();
    queue.rest(100); // he does already
    queue.push(bytes(5));
    clock.advance(200);
    queue.push(bytes(7));
    clock.advance(199);
    await settle();
    expect(read()).toBeUndefined();
    clock.advance(1);
    await settle();
    expect([read(), clock.timers > 0]).toEqual([12, true]); // of the wait
  });

  it('is given what comes next when nothing came while he rested', async () => {
    const { queue, clock, read } = await resting();
    clock.advance(500);
    await settle();
    expect(read()).toBeUndefined();
    queue.push(bytes(3));
    await settle();
    expect(read()).toBe(3);
  });

  it('is given much at once', async () => {
    const { queue, read } = await resting();
    queue.push(bytes(16_000));
    await settle();
    expect(read()).toBeUndefined();
    queue.push(bytes(384));
    await settle();
    expect(read()).toBe(16_384);
  });

  it('meets the end, a break or a cancel at once, and what came before the first two', async () => {
    for (const outcome of ['end', 'break', 'cancel'] as const) {
      for (const came of [0, 9]) {
        const { queue, clock, read, controller, reader } = await resting();
        if (came > 0) queue.push(bytes(came));
        if (outcome === 'end') queue.end();
        else if (outcome === 'break') queue.fail(new Error('broken'));
        else {
          controller.abort(new Error('cancelled'));
          queue.fail(new Error('cancelled'));
        }
        await settle();
        const meets = outcome === 'end' ? 'end' : undefined;
        expect([outcome, came, read()]).toEqual([
          outcome,
          came,
          came > 0 && outcome !== 'cancel' ? came : meets,
        ]);
        if (came > 0 && outcome === 'break') await expect(reader.next()).rejects.toThrow('broken');
        expect((await reader.next()).done).toBe(true);
        queue.rest(100);
        expect(clock.timers).toBe(0);
      }
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
