import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryPhraseStore } from '../../src/storage/memory-phrase-store.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const HOUR_MS = 60 * 60 * 1000;

const body = (length: number, value = 1) => new Uint8Array(length).fill(value);

test('what was kept is found, and nothing else', () => {
  const store = createMemoryPhraseStore(1000, createFakeClock());
  store.keep('greeting', body(100, 7));
  expect(store.find('greeting')).toEqual(body(100, 7));
  expect(store.find('menu')).toBeUndefined();
});

test('a phrase kept again replaces the one before and is counted once', () => {
  const store = createMemoryPhraseStore(1000, createFakeClock());
  store.keep('greeting', body(100, 1));
  store.keep('greeting', body(60, 2));
  expect(store.find('greeting')).toEqual(body(60, 2));
  expect([store.bytes(), store.phrases()]).toEqual([60, 1]);
});

test('the phrase that was not used for longest goes first', () => {
  const store = createMemoryPhraseStore(800, createFakeClock());
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) store.keep(key, body(100));
  void store.find('a');
  store.keep('i', body(100));
  expect(store.find('a')).toBeDefined();
  expect(store.find('b')).toBeUndefined();
  expect(store.bytes()).toBe(800);
});

test.each([
  ['an empty body', 0],
  ['one that takes more than an eighth of the room', 101],
])('%s is not kept', (_what, length) => {
  const store = createMemoryPhraseStore(800, createFakeClock());
  store.keep('a', body(length));
  expect([store.find('a'), store.bytes()]).toEqual([undefined, 0]);
});

test('without room nothing is kept', () => {
  const store = createMemoryPhraseStore(0, createFakeClock());
  store.keep('a', body(1));
  expect(store.phrases()).toBe(0);
});

test('what was dropped is not found, and its room is free', () => {
  const store = createMemoryPhraseStore(800, createFakeClock());
  store.keep('a', body(100));
  store.drop('a');
  store.drop('never');
  expect([store.find('a'), store.bytes(), store.phrases()]).toEqual([undefined, 0, 0]);
});

test('a phrase is made anew after a day, however often it was asked for', () => {
  const clock = createFakeClock();
  const store = createMemoryPhraseStore(800, clock);
  store.keep('a', body(100));
  for (let hour = 1; hour < 24; hour += 1) {
    clock.advance(HOUR_MS);
    expect(store.find('a')).toBeDefined();
  }
  clock.advance(HOUR_MS);
  expect([store.find('a'), store.bytes()]).toEqual([undefined, 0]);
});

test('a phrase that is some hours old already is kept for what is left of its day', () => {
  const clock = createFakeClock();
  const store = createMemoryPhraseStore(800, clock);
  store.keep('a', body(100), HOUR_MS);
  store.keep('b', body(100), 0);
  clock.advance(HOUR_MS - 1);
  expect([store.find('a')?.constructor, store.find('b')]).toEqual([Uint8Array, undefined]);
  clock.advance(1);
  expect(store.find('a')).toBeUndefined();
});

test('a closed store is empty', async () => {
  const store = createMemoryPhraseStore(800, createFakeClock());
  store.keep('a', body(10));
  await store.close();
  expect([store.find('a'), store.bytes()]).toEqual([undefined, 0]);
});

test('whatever is kept, it is never more than the room, and the count is of what is there', () => {
  const action = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), length: fc.nat(200) });
  fc.assert(
    fc.property(
      fc.array(action, { maxLength: 60 }),
      fc.integer({ min: 0, max: 1500 }),
      (actions, capacity) => {
        const store = createMemoryPhraseStore(capacity, createFakeClock());
        const last = new Map<string, number>();
        for (const { key, length } of actions) {
          store.keep(key, body(length));
          if (length > 0 && length <= capacity / 8) last.set(key, length);
          expect(store.bytes()).toBeLessThanOrEqual(capacity);
        }
        const there = ['a', 'b', 'c', 'd', 'e'].flatMap((key) => {
          const found = store.find(key) as Uint8Array | undefined;
          if (found !== undefined) expect(found.length).toBe(last.get(key));
          return found === undefined ? [] : [found.length];
        });
        expect(store.bytes()).toBe(there.reduce((sum, length) => sum + length, 0));
        expect(store.phrases()).toBe(there.length);
      },
    ),
  );
});
