// The ring between who makes frames and who writes them: its rules, and two threads that pull at it from both ends.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import { createFrameRing, RING_FRAMES, readFrameRing } from '../../src/playout/frame-ring.ts';
import { trialSize } from '../support/trial-size.ts';

const FRAME_BYTES = 320;
const frame = (value: number) => new Uint8Array(new Uint32Array(FRAME_BYTES / 4).fill(value).buffer);

describe('a frame ring', () => {
  it('gives what it was given, in order, each of its own length', () => {
    const ring = createFrameRing(FRAME_BYTES, 0);
    const reader = readFrameRing(ring.memory);
    for (let round = 0; round < 3 * RING_FRAMES; round += 1) {
      ring.push(Uint8Array.of(round, 1));
      ring.push(Uint8Array.of(round, 2, 3));
      expect(ring.waiting()).toBe(2);
      expect([reader.take(0), reader.take(0), reader.take(0)]).toEqual([
        Uint8Array.of(round, 1),
        Uint8Array.of(round, 2, 3),
        undefined,
      ]);
    }
  });

  it('takes no more than it has places for, and nothing that is too long', () => {
    const ring = createFrameRing(FRAME_BYTES, 0);
    for (let count = 0; count < RING_FRAMES; count += 1) expect(ring.push(frame(count))).toBe(true);
    expect(ring.push(frame(99))).toBe(false);
    readFrameRing(ring.memory).take(0);
    expect(ring.push(frame(99))).toBe(true);
    expect(() => ring.push(new Uint8Array(FRAME_BYTES + 1))).toThrow(/321 bytes, at most 320/);
  });

  it('gives back what has not been taken, once, and goes on with what comes then', () => {
    const ring = createFrameRing(FRAME_BYTES, 0);
    const reader = readFrameRing(ring.memory);
    for (const value of [1, 2, 3]) ring.push(frame(value));
    expect(reader.take(0)).toEqual(frame(1));
    expect([ring.takeBack(), ring.takeBack()]).toEqual([2, 0]);
    expect(reader.take(0)).toBeUndefined();
    ring.push(frame(4));
    expect(reader.take(0)).toEqual(frame(4));
  });

  it.each([0, 3e9])(
    'tells when the far side will have played, not before it has, %d ms after the start of the process',
    (nowMs) => {
      const ring = createFrameRing(FRAME_BYTES, nowMs);
      expect(ring.playsUntilMs()).toBe(Number.NEGATIVE_INFINITY);
      ring.push(frame(1));
      readFrameRing(ring.memory).take(nowMs + 41.5);
      expect(ring.playsUntilMs()).toBe(nowMs + 42);
    },
  );

  it('loses nothing, doubles nothing and tears nothing between two threads', async () => {
    const ring = createFrameRing(FRAME_BYTES, 0);
    const thread = new Worker(new URL('../support/ring-reader-child.ts', import.meta.url), {
      workerData: ring.memory,
    });
    await once(thread, 'message');
    const answered = once(thread, 'message') as Promise<[{ taken: number[]; torn: number[] }]>;
    const random = seededNumbers(20_261_123, 7);
    const waiting: number[] = [];
    const back: number[] = [];
    const count = trialSize(2_000_000, 100_000);
    for (let value = 1; value <= count; ) {
      if (ring.push(frame(value))) waiting.push(value++);
      if (random() < 0.05) back.push(...waiting.splice(waiting.length - ring.takeBack()));
      if (waiting.length > 4 * RING_FRAMES) waiting.splice(0, waiting.length - RING_FRAMES);
    }
    while (!ring.push(Uint8Array.of(0)));
    const [{ taken, torn }] = await answered;
    expect(torn).toEqual([]);
    expect(taken.length).toBeGreaterThan(100);
    expect(back.length).toBeGreaterThan(100);
    expect([...taken].sort((a, b) => a - b)).toEqual(taken);
    expect([...taken, ...back].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  });
});
