// What turns may wait for, and what goes into the bucket: with a bucket that answers when the test says so.

import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryPhraseStore } from '../../../src/storage/memory-phrase-store.ts';
import type { PhraseStore } from '../../../src/storage/phrase-store.ts';
import type { Kept } from '../../../src/storage/s3/bucket.ts';
import { createS3PhraseStore } from '../../../src/storage/s3/s3-phrase-store.ts';
import { createFakeClock, type FakeClock, settle } from '../../support/fake-clock.ts';

const HOUR_MS = 60 * 60_000;
const LIST_EVERY_MS = 2 * 60_000;
const START_MS = 1_000_000_000;
const BODY = Buffer.from('sound');

function createFakeBucket() {
  const objects = new Map<string, Kept & { writtenMs: number }>();
  const asked: string[] = [];
  const gates: (() => void)[] = [];
  const state = { isUp: true, isSlow: false };
  const answer = async () => {
    if (state.isSlow) await new Promise<void>((resolve) => gates.push(resolve));
    if (!state.isUp) throw new Error('away');
  };
  return {
    objects,
    asked,
    state,
    let: () => {
      for (const open of gates.splice(0)) open();
    },
    bucket: {
      isReachable: () => state.isUp,
      async get(name: string) {
        asked.push(`get ${name}`);
        await answer();
        return objects.get(name);
      },
      async put(name: string, bytes: Uint8Array, metadata: Readonly<Record<string, string>> = {}) {
        asked.push(`put ${name}`);
        await answer();
        objects.set(name, { bytes, metadata, writtenMs: START_MS });
      },
      async delete(name: string) {
        asked.push(`delete ${name}`);
        await answer();
        objects.delete(name);
      },
      async *list() {
        await answer();
        for (const [name, { writtenMs }] of [...objects]) yield { name, writtenMs };
      },
      close() {},
    },
  };
}

describe('phrases in a bucket', () => {
  const stores: PhraseStore[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });
  const open = (bucket: ReturnType<typeof createFakeBucket>['bucket'], clock: FakeClock) => {
    const near = createMemoryPhraseStore(1 << 20, clock);
    const store = createS3PhraseStore({ bucket, near, clock, unixMs: () => START_MS + clock.now() });
    stores.push(store);
    return store;
  };
  const clockAndBucket = () => ({ clock: createFakeClock(), ...createFakeBucket() });

  it('are there when they have been asked for a second time, and known to others by the list', async () => {
    const { clock, bucket, asked } = clockAndBucket();
    const [a, b] = [open(bucket, clock), open(bucket, clock)];
    await settle();
    a.keep('greeting', BODY);
    a.keep('once', BODY);
    expect([await b.find('greeting'), await a.find('greeting'), await a.find('greeting')]).toEqual([
      undefined,
      BODY,
      BODY,
    ]);
    await settle();
    // Nobody waits for what no list has told of.
    expect(await b.find('greeting')).toBeUndefined();
    expect(asked).toEqual(['put phrases/greeting']);
    clock.advance(LIST_EVERY_MS);
    await settle();
    expect(await b.find('greeting')).toEqual(BODY);
    expect(await b.find('greeting')).toEqual(BODY);
    await settle();
    expect(asked).toEqual(['put phrases/greeting', 'get phrases/greeting']);
  });

  it('grow no younger on the way', async () => {
    const { clock, bucket } = clockAndBucket();
    const a = open(bucket, clock);
    a.keep('old', BODY, 2 * HOUR_MS);
    clock.advance(HOUR_MS);
    await a.find('old');
    await settle();
    const b = open(bucket, clock);
    await settle();
    expect(await b.find('old')).toEqual(BODY);
    clock.advance(HOUR_MS);
    expect(await b.find('old')).toBeUndefined();
    expect(await open(bucket, clock).find('old')).toBeUndefined();
  });

  it('are waited for a moment, and kept for the next turn when they come later', async () => {
    const { clock, bucket, objects, state, asked, let: letThem } = clockAndBucket();
    objects.set('phrases/slow', {
      bytes: BODY,
      metadata: { until: String(START_MS + HOUR_MS) },
      writtenMs: START_MS,
    });
    const store = open(bucket, clock);
    await settle();
    state.isSlow = true;
    const turns = Promise.all([store.find('slow'), store.find('slow')]);
    await settle();
    clock.advance(100);
    expect(await turns).toEqual([undefined, undefined]);
    letThem();
    await settle();
    expect(store.find('slow')).toEqual(BODY);
    expect(asked).toEqual(['get phrases/slow']);
  });

  it('are not asked for while the bucket is away, and none fails by that', async () => {
    const { clock, bucket, objects, state, asked } = clockAndBucket();
    objects.set('phrases/there', { bytes: BODY, metadata: {}, writtenMs: START_MS });
    const store = open(bucket, clock);
    await settle();
    state.isUp = false;
    expect(await store.find('there')).toBeUndefined();
    store.keep('new', BODY);
    expect(await store.find('new')).toEqual(BODY);
    clock.advance(LIST_EVERY_MS);
    await settle();
    expect(asked).toEqual([]);
  });

  it('that are dropped are gone everywhere, and those of yesterday, too', async () => {
    const { clock, bucket, objects, asked } = clockAndBucket();
    const until = String(START_MS + HOUR_MS);
    objects.set('phrases/bad', { bytes: BODY, metadata: { until }, writtenMs: START_MS });
    objects.set('phrases/old', { bytes: BODY, metadata: { until }, writtenMs: START_MS - 25 * HOUR_MS });
    const store = open(bucket, clock);
    await settle();
    store.drop('bad');
    store.drop('never there');
    await settle();
    expect([await store.find('bad'), [...objects.keys()]]).toEqual([undefined, []]);
    expect(asked).toEqual(['delete phrases/old', 'delete phrases/bad']);
  });

  it('wait in a queue of bounded bytes to be written', async () => {
    const { clock, bucket, state, asked, let: letThem } = clockAndBucket();
    const near = createMemoryPhraseStore(1 << 30, clock);
    const store = createS3PhraseStore({ bucket, near, clock, unixMs: () => START_MS });
    stores.push(store);
    await settle();
    state.isSlow = true;
    for (let at = 0; at < 100; at += 1) {
      store.keep(`${at}`, Buffer.alloc(512 * 1024));
      await store.find(`${at}`);
    }
    state.isSlow = false;
    for (let turn = 0; turn < 20; turn += 1) {
      letThem();
      await settle();
    }
    expect(asked.length).toBe(8);
    await store.find('99');
    await settle();
    expect(asked.at(-1)).toBe('put phrases/99');
  });
});
