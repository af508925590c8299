import { describe, expect, it } from 'vitest';
import type { AudioFrame } from '../../src/audio/stage.ts';
import { FrameQueue } from '../../src/playout/frame-queue.ts';

const frame = (id: number, samples = 10): AudioFrame => ({ bytes: Uint8Array.of(id, 0), samples });
const never = new AbortController().signal;
/** `done`, `waiting` or the reason of a rejection, after promises have had their say. */
async function stateOf(promise: Promise<void>): Promise<string> {
  let state = 'waiting';
  promise.then(
    () => {
      state = 'done';
    },
    (reason: unknown) => {
      state = String(reason);
    },
  );
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  return state;
}

describe('frame queue', () => {
  it('gives frames in order and counts what waits', () => {
    const queue = new FrameQueue(
      () => 1000,
      () => {},
    );
    expect(queue.shift()).toBeUndefined();
    for (let id = 0; id < 200; id += 1) queue.push(frame(id));
    expect([queue.queuedSamples(), queue.queuedBytes()]).toEqual([2000, 400]);
    for (let id = 0; id < 200; id += 1) {
      expect(queue.nextSamples()).toBe(10);
      expect(queue.shift()?.bytes[0]).toBe(id);
    }
    expect([queue.queuedSamples(), queue.queuedBytes(), queue.nextSamples()]).toEqual([0, 0, undefined]);
  });

  it('holds the producer from its bound on, until a refill finds room', async () => {
    const queue = new FrameQueue(
      () => 20,
      () => {},
    );
    queue.push(frame(1));
    expect(queue.isFull()).toBe(false);
    expect(await stateOf(queue.room(never))).toBe('done');
    queue.push(frame(2));
    expect(queue.isFull()).toBe(true);
    const room = queue.room(never);
    expect([await stateOf(room), queue.wantsRefill()]).toEqual(['waiting', false]);
    queue.shift();
    expect([await stateOf(room), queue.wantsRefill()]).toEqual(['waiting', true]);
    queue.refill();
    expect([await stateOf(room), queue.wantsRefill()]).toEqual(['done', false]);
  });

  it('lets in one capacity between two refills, even if every frame is taken at once', async () => {
    let sent = 0;
    const queue = new FrameQueue(
      () => 50,
      () => {
        queue.shift();
        sent += 1;
      },
    );
    while (!queue.isFull()) queue.push(frame(1));
    expect(sent).toBe(5);
    const room = queue.room(never);
    expect(queue.wantsRefill()).toBe(true);
    queue.refill();
    expect(await stateOf(room)).toBe('done');
    expect(queue.isFull()).toBe(false);
  });

  it('lets in less before the first refill, where that is wanted', async () => {
    let waits = 0;
    const queue = new FrameQueue(
      () => 50,
      () => queue.shift(),
      () => {
        waits += 1;
      },
      () => 20,
    );
    queue.push(frame(1));
    expect(queue.isFull()).toBe(false);
    queue.push(frame(2));
    expect(queue.isFull()).toBe(true);
    const room = queue.room(never);
    expect([await stateOf(room), queue.wantsRefill(), waits]).toEqual(['waiting', true, 1]);
    queue.refill();
    expect(await stateOf(room)).toBe('done');
    let more = 0;
    for (; !queue.isFull(); more += 1) queue.push(frame(3));
    expect(more).toBe(5);
  });

  it('offers room half of its bound at a time, and says so to whoever may have looked before', async () => {
    let waits = 0;
    const queue = new FrameQueue(
      () => 40,
      () => {},
      () => {
        waits += 1;
      },
    );
    for (let id = 0; id < 4; id += 1) queue.push(frame(id));
    const room = queue.room(never);
    queue.shift();
    expect([queue.wantsRefill(), waits]).toEqual([false, 0]);
    queue.shift();
    expect([queue.wantsRefill(), waits]).toEqual([true, 0]);
    queue.refill();
    expect(await stateOf(room)).toBe('done');
    // One capacity is let in; what it takes to fill it again has already gone.
    for (let id = 0; id < 4; id += 1) queue.push(frame(id));
    while (queue.shift() !== undefined);
    void queue.room(never);
    expect([queue.wantsRefill(), waits]).toEqual([true, 1]);
  });

  it('lets the waiter go when it is aborted, cleared, or was aborted before', async () => {
    const make = () => {
      const queue = new FrameQueue(
        () => 1,
        () => {},
      );
      queue.push(frame(1));
      return queue;
    };
    const aborted = make();
    const controller = new AbortController();
    const room = aborted.room(controller.signal);
    controller.abort('gone');
    expect(await stateOf(room)).toBe('gone');
    expect(await stateOf(aborted.room(controller.signal))).toBe('gone');
    const cleared = make();
    const cleaned = cleared.room(never);
    cleared.clear();
    expect(await stateOf(cleaned)).toBe('done');
  });

  it('drops what is pushed after it was cleared, and tells nobody', () => {
    let told = 0;
    const queue = new FrameQueue(
      () => 10,
      () => {
        told += 1;
      },
    );
    queue.push(frame(1));
    queue.clear();
    queue.push(frame(2));
    expect([told, queue.nextSamples(), queue.queuedSamples(), queue.isEnded(), queue.isFull()]).toEqual([
      1,
      undefined,
      0,
      true,
      false,
    ]);
    queue.end();
    expect(queue.isEnded()).toBe(true);
  });

  it('still gives what it holds when it has ended', () => {
    const queue = new FrameQueue(
      () => 10,
      () => {},
    );
    queue.push(frame(1));
    queue.end();
    expect([queue.isEnded(), queue.isFull(), queue.shift()?.bytes[0], queue.nextSamples()]).toEqual([
      true,
      false,
      1,
      undefined,
    ]);
  });
});
