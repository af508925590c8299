import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import { createMp3Spool } from '../../src/pipeline/mp3-spool.ts';
import { mp3Facts, speechMp3 } from '../support/codecs.ts';
import { settle } from '../support/fake-clock.ts';

const body = speechMp3(500);
const facts = mp3Facts(body);
const never = new AbortController().signal;
const nothing = () => {};
const makeSpool = (capacityBytes = 1e6) =>
  createMp3Spool({ capacityBytes: () => capacityBytes, passesThrough: () => false });

async function* chunksOf(bytes: Uint8Array, size: number, onRead: () => void = nothing) {
  for (let at = 0; at < bytes.length; at += size) {
    onRead();
    yield bytes.subarray(at, at + size);
  }
}

describe('mp3 spool', () => {
  it('gives whole frames between begin and end, and counts what waits', async () => {
    const spool = makeSpool();
    const progress: [number, string][] = [];
    await spool.fill(chunksOf(body, 100), (ms, state) => progress.push([ms, state]), never);
    expect(spool.bytes).toBe(body.length);
    expect(spool.waitingMs).toBeCloseTo(facts.frames.length * 24, 6);
    const kinds: string[] = [];
    for (let item = spool.take(); item !== undefined; item = spool.take()) kinds.push(item.kind);
    expect(kinds).toEqual(['begin', ...facts.frames.map(() => 'frame'), 'end']);
    expect([spool.bytes, Math.abs(spool.waitingMs) < 1e-6, spool.isEnded]).toEqual([0, true, false]);
    expect(progress.at(-1)).toEqual([facts.ms, 'complete']);
    expect(progress.every(([ms], index) => index === 0 || ms >= progress[index - 1]![0])).toBe(true);
    spool.end();
    expect(spool.isEnded).toBe(true);
  });

  it('reads on only when there is room', async () => {
    let reads = 0;
    const spool = makeSpool(1000);
    const filling = spool.fill(
      chunksOf(body, 200, () => {
        reads += 1;
      }),
      nothing,
      never,
    );
    await settle();
    expect(spool.bytes).toBeGreaterThanOrEqual(1000);
    expect(spool.bytes).toBeLessThan(1000 + 400);
    const before = reads;
    await settle();
    expect(reads).toBe(before);
    for (let taken = 0; taken < 3; taken += 1) spool.take();
    await settle();
    expect(reads).toBeGreaterThan(before);
    while (reads * 200 < body.length) {
      spool.take();
      await settle();
    }
    while (spool.take() !== undefined);
    await filling;
  });

  it('lets its filler and its taker go when they are aborted', async () => {
    const controller = new AbortController();
    const spool = makeSpool(100);
    const filling = spool.fill(chunksOf(body, 400), nothing, controller.signal);
    const empty = makeSpool().more(controller.signal);
    await settle();
    controller.abort(new Error('gone'));
    await expect(filling).rejects.toThrow('gone');
    await expect(empty).rejects.toThrow('gone');
  });

  it('reads no further when it is aborted, even from an upstream that goes on', async () => {
    const controller = new AbortController();
    let reads = 0;
    const stubborn = chunksOf(new Uint8Array(1e6), 100, () => {
      if (++reads === 3) controller.abort(new Error('gone'));
    });
    await expect(makeSpool().fill(stubborn, nothing, controller.signal)).rejects.toThrow('gone');
    expect(reads).toBe(3);
  });

  it('gives what it has before it tells of a failure', async () => {
    const spool = makeSpool();
    await spool.fill(chunksOf(body, 400), nothing, never);
    const failure = new AppError('upstream_broken', 'broken');
    spool.fail(failure);
    spool.end();
    await spool.more(never);
    while (spool.take() !== undefined);
    expect(spool.isEnded).toBe(false);
    await expect(spool.more(never)).rejects.toBe(failure);
  });

  it('wakes a waiting taker for an item, an end and a failure', async () => {
    const forItem = makeSpool();
    const item = forItem.more(never);
    forItem.mark({ kind: 'flush', count: 1 });
    await item;
    expect(forItem.take()).toEqual({ kind: 'flush', count: 1 });
    const forEnd = makeSpool();
    const end = forEnd.more(never);
    forEnd.end();
    await end;
    expect(forEnd.isEnded).toBe(true);
    const forFailure = makeSpool();
    const failure = forFailure.more(never);
    forFailure.fail(new Error('broken'));
    await expect(failure).rejects.toThrow('broken');
  });

  it('refuses a body without a frame: after 8 KiB, or at its end', async () => {
    let reads = 0;
    const junk = new Uint8Array(100_000).fill(0x20);
    await expect(
      makeSpool().fill(
        chunksOf(junk, 1024, () => {
          reads += 1;
        }),
        nothing,
        never,
      ),
    ).rejects.toMatchObject({ code: 'upstream_bad_audio' });
    expect(reads).toBe(9);
    for (const short of [junk.subarray(0, 10), new Uint8Array(0)])
      await expect(makeSpool().fill(chunksOf(short, 4), nothing, never)).rejects.toMatchObject({
        code: 'upstream_bad_audio',
      });
  });

  it('counts frames as they are when they go out as they are', async () => {
    const spool = createMp3Spool({ capacityBytes: () => 1e6, passesThrough: (rate) => rate === 24_000 });
    let known = 0;
    await spool.fill(
      chunksOf(body, 1000),
      (ms) => {
        known = ms;
      },
      never,
    );
    expect(known).toBe(facts.frames.length * 24);
  });
});
