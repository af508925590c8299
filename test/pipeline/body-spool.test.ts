import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import { BodySpool, type SpoolItem } from '../../src/pipeline/body-spool.ts';
import { mp3Facts, speechMp3 } from '../support/codecs.ts';
import { settle } from '../support/fake-clock.ts';

const { frames } = mp3Facts(speechMp3(500));
const frameItems = frames.map((frame) => ({ kind: 'frame', frame }) as const);
const bytesOf = (count: number) => frames.slice(0, count).reduce((sum, frame) => sum + frame.bytes.length, 0);
const never = new AbortController().signal;
const makeSpool = (capacityBytes = 1e6) => new BodySpool({ capacityBytes: () => capacityBytes });
const filled = (capacityBytes?: number) => {
  const spool = makeSpool(capacityBytes);
  spool.add({ kind: 'begin' });
  for (const item of frameItems) spool.add(item);
  return spool;
};

describe('body spool', () => {
  it('gives its items in order, and counts what waits', () => {
    const spool = filled();
    spool.add({ kind: 'end' });
    expect(spool.bytes()).toBe(bytesOf(frames.length));
    expect(spool.waitingMs()).toBeCloseTo(frames.length * 24, 6);
    const kinds: string[] = [];
    for (let item = spool.take(); item !== undefined; item = spool.take()) kinds.push(item.kind);
    expect(kinds).toEqual(['begin', ...frames.map(() => 'frame'), 'end']);
    expect([spool.bytes(), spool.waitingMs(), spool.isEnded()]).toEqual([0, 0, false]);
    spool.end();
    expect(spool.isEnded()).toBe(true);
  });

  it('has no room while it is held back, whatever is in it', async () => {
    let isHeldBack = true;
    const spool = new BodySpool({ capacityBytes: () => 1e6, leastBytes: 1e5, isHeldBack: () => isHeldBack });
    expect([spool.isFull(), spool.wantsRefill()]).toEqual([true, false]);
    let hasRoom = false;
    void spool.room(never).then(() => {
      hasRoom = true;
    });
    spool.refill();
    await settle();
    expect(hasRoom).toBe(false);
    isHeldBack = false;
    spool.refill();
    await settle();
    expect([hasRoom, spool.isFull()]).toEqual([true, false]);
  });

  it('counts the samples of a bridge as what they take to hear', () => {
    const spool = makeSpool();
    const samples = new Float32Array(240);
    const bridge = { samples, sampleRate: 24_000, heardHz: undefined, frames: [], next: undefined };
    spool.add({ kind: 'bridge', bridge });
    expect([spool.bytes(), spool.waitingMs()]).toEqual([960, 10]);
    spool.take();
    expect([spool.bytes(), spool.waitingMs()]).toEqual([0, 0]);
  });

  it('holds as many seconds of µ-law and PCM as of MP3, as far as memory goes', () => {
    const header = (code: 'mulaw' | 'pcm16', sampleRate: number) => ({
      code,
      sampleRate,
      samplesPerFrame: 0.024 * sampleRate,
      samples: 0.024 * sampleRate,
      skip: 0,
    });
    const secondsOf = (code: 'mulaw' | 'pcm16', sampleRate: number) => {
      const spool = makeSpool(96_000);
      const { samples, ...rest } = header(code, sampleRate);
      const frame = {
        bytes: new Uint8Array(samples * (code === 'pcm16' ? 2 : 1)),
        header: { samples, ...rest },
      };
      while (!spool.isFull()) spool.add({ kind: 'frame', frame });
      const [ms, bytes] = [spool.waitingMs(), spool.bytes()];
      for (let item = spool.take(); item !== undefined; item = spool.take());
      expect([spool.bytes(), spool.isFull()]).toEqual([0, false]);
      return [Math.round(ms / 1000), Math.round(bytes / 1000)];
    };
    expect(secondsOf('mulaw', 8000)).toEqual([12, 96]);
    expect(secondsOf('pcm16', 16_000)).toEqual([12, 384]);
    expect(secondsOf('pcm16', 24_000)).toEqual([10, 480]);
    expect(secondsOf('pcm16', 48_000)).toEqual([5, 482]);
  });

  it('has room when enough has been taken', async () => {
    const spool = filled(bytesOf(3));
    expect(spool.isFull()).toBe(true);
    let hasRoom = false;
    const room = spool.room(never).then(() => {
      hasRoom = true;
    });
    for (let left = frames.length; left >= 3; left -= 1) {
      await settle();
      expect(hasRoom).toBe(false);
      spool.take();
      if (left === frames.length) spool.take(); // the beginning
    }
    await room;
    expect(spool.isFull()).toBe(false);
    await spool.room(never);
  });

  it('wants a refill when its capacity grows under a waiting filler, and lets it go on then', async () => {
    let capacityBytes = 100;
    const spool = new BodySpool({ capacityBytes: () => capacityBytes });
    for (const item of frameItems) spool.add(item);
    expect(spool.wantsRefill()).toBe(false);
    let hasRoom = false;
    const room = spool.room(never).then(() => {
      hasRoom = true;
    });
    spool.refill();
    await settle();
    expect([spool.wantsRefill(), hasRoom]).toEqual([false, false]);
    capacityBytes = 1e6;
    expect(spool.wantsRefill()).toBe(true);
    spool.refill();
    await room;
    expect(spool.wantsRefill()).toBe(false);
  });

  it('wants nothing for a filler that was aborted', async () => {
    let capacityBytes = 100;
    const spool = new BodySpool({ capacityBytes: () => capacityBytes });
    for (const item of frameItems) spool.add(item);
    const controller = new AbortController();
    const room = spool.room(controller.signal);
    controller.abort(new Error('gone'));
    await expect(room).rejects.toThrow('gone');
    capacityBytes = 1e6;
    expect(spool.wantsRefill()).toBe(false);
  });

  it('gives up its last frames, as far as nobody has taken them', () => {
    const spool = filled();
    expect(spool.lastFrames()).toBe(frames.length);
    spool.take();
    spool.take();
    expect(spool.lastFrames()).toBe(frames.length - 1);
    spool.takeBack(frames.length - 3);
    expect([spool.lastFrames(), spool.bytes()]).toEqual([2, bytesOf(3) - bytesOf(1)]);
    spool.takeBack(0);
    spool.add({ kind: 'end' });
    expect(spool.lastFrames()).toBe(0);
    expect([spool.take(), spool.take(), spool.take()?.kind]).toEqual([frameItems[1], frameItems[2], 'end']);
  });

  it('lets a tap hear of all that comes and of what is given up again, before anybody can take it', () => {
    const heard: unknown[] = [];
    const tap = {
      add: (item: SpoolItem) => heard.push([item.kind, spool.bytes()]),
      takeBack: (count: number) => heard.push(['taken back', count, spool.lastFrames()]),
    };
    const spool = new BodySpool({ capacityBytes: () => 0, tap });
    const [first, second] = frameItems as [SpoolItem, SpoolItem];
    for (const item of [{ kind: 'begin' } as const, first, second]) spool.add(item);
    spool.take();
    spool.take();
    spool.takeBack(1);
    for (const item of [{ kind: 'flush', count: 3 } as const, { kind: 'end' } as const]) spool.add(item);
    spool.take();
    expect(heard).toEqual([
      ['begin', 0],
      ['frame', 0],
      ['frame', bytesOf(1)],
      ['taken back', 1, 1],
      ['flush', 0],
      ['end', 0],
    ]);
    expect([spool.take()?.kind, spool.take()]).toEqual(['end', undefined]);
  });

  it('lets its filler and its taker go when they are aborted', async () => {
    const controller = new AbortController();
    const room = filled(100).room(controller.signal);
    const empty = makeSpool().more(controller.signal);
    controller.abort(new Error('gone'));
    await expect(room).rejects.toThrow('gone');
    await expect(empty).rejects.toThrow('gone');
  });

  it('gives what it has before it tells of a failure', async () => {
    const spool = filled();
    const failure = new AppError('upstream_broken', 'broken');
    spool.fail(failure);
    spool.end();
    await spool.more(never);
    while (spool.take() !== undefined);
    expect(spool.isEnded()).toBe(false);
    await expect(spool.more(never)).rejects.toBe(failure);
  });

  it('wakes a waiting taker for an item, an end and a failure', async () => {
    const forItem = makeSpool();
    const item = forItem.more(never);
    forItem.add({ kind: 'flush', count: 1 });
    await item;
    expect(forItem.take()).toEqual({ kind: 'flush', count: 1 });
    const forEnd = makeSpool();
    const end = forEnd.more(never);
    forEnd.end();
    await end;
    expect(forEnd.isEnded()).toBe(true);
    const forFailure = makeSpool();
    const failure = forFailure.more(never);
    forFailure.fail(new Error('broken'));
    await expect(failure).rejects.toThrow('broken');
  });
});
