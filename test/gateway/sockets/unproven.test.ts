// What is kept until it is proven received: given back from any place, in order, within its bound.
import { expect, it } from 'vitest';
import { Unproven } from '../../../src/gateway/sockets/unproven.ts';

const MAX = 65_536;
const frame = (value: number, bytes = 160) => Buffer.alloc(bytes, value);
const sent = (turn: string) => ({ turn, durationMs: 20 });

it('gives back messages and audio in order, the first frame from the byte that is asked for', () => {
  const unproven = new Unproven(MAX);
  expect(unproven.message('{"type":"ready"}')).toBe('{"type":"ready","n":1}');
  unproven.message('{"type":"started"}');
  unproven.audio(sent('a'), frame(1));
  unproven.audio(sent('a'), frame(2));
  unproven.message('{"type":"caption"}');
  unproven.audio(sent('a'), frame(3));
  const { exact, messages, ms } = unproven.missed({ after: 2, turn: 'a', received: 200 });
  expect(exact).toBe(true);
  expect(messages).toEqual([frame(2, 120), '{"type":"caption","n":3}', frame(3)]);
  expect(ms).toBeCloseTo(35);
  // What was given back is kept on.
  expect(unproven.missed({ after: 3, turn: 'a', received: 320 }).messages).toEqual([frame(3)]);
});

it('forgets what lies before a ping that is answered, and no more', () => {
  const unproven = new Unproven(MAX);
  unproven.message('{"type":"started"}');
  unproven.audio(sent('a'), frame(1));
  unproven.pinged(1);
  unproven.audio(sent('a'), frame(2));
  unproven.pinged(2);
  const before = unproven.bytes();
  unproven.proved(1);
  expect(unproven.bytes()).toBeLessThan(before);
  expect(unproven.missed({ after: 1, turn: 'a', received: 160 })).toMatchObject({
    exact: true,
    messages: [frame(2)],
  });
});

it('says so when what is asked for has been proven received', () => {
  const unproven = new Unproven(MAX);
  unproven.message('{"type":"started"}');
  unproven.audio(sent('a'), frame(1));
  unproven.pinged(1);
  unproven.audio(sent('a'), frame(2));
  unproven.proved(1);
  expect(unproven.missed({ after: 1, turn: 'a', received: 0 })).toMatchObject({
    exact: false,
    messages: [frame(2)],
  });
  // From then on both sides count what the client has got.
  expect(unproven.refusal({ after: 1, turn: 'a', received: 161 })?.code).toBe('invalid_request');
  expect(unproven.missed({ after: 1, turn: 'a', received: 160 })).toMatchObject({
    exact: true,
    messages: [],
  });
});

it('refuses a claim of more than was sent', () => {
  const unproven = new Unproven(MAX);
  unproven.message('{"type":"started"}');
  unproven.audio(sent('a'), frame(1));
  expect(unproven.refusal({ after: 2, turn: undefined, received: 0 })?.message).toMatch(/^after: /);
  expect(unproven.refusal({ after: 1, turn: 'a', received: 161 })?.message).toMatch(/^received: /);
  expect(unproven.refusal({ after: 1, turn: 'a', received: 160 })).toBeUndefined();
});

it('is full before its bound, and lets sound that cannot be held back go at it', () => {
  const unproven = new Unproven(MAX);
  unproven.message('{"type":"started"}');
  for (let n = 0; n < 1000; n += 1) {
    unproven.audio(sent('a'), frame(1));
    expect(unproven.bytes()).toBeLessThanOrEqual(MAX);
    if (n === 320) expect(unproven.isFull()).toBe(true);
  }
  expect(unproven.missed({ after: 1, turn: 'a', received: 160 }).exact).toBe(false);
});

it('keeps telephone audio of three seconds in 32 KB', () => {
  const unproven = new Unproven(MAX);
  for (let n = 0; n < 150; n += 1) unproven.audio(sent('a'), frame(1));
  expect(unproven.bytes()).toBeLessThan(32 * 1024);
});
