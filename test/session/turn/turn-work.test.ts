import { expect, test } from 'vitest';
import { TurnWork } from '../../../src/session/turn/turn-work.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const SPEAKER = { tenant: 'anna', session: 's-1' };
const setUp = (remaining = 0, freeAtMs = 0) => {
  const clock = createFakeClock();
  const work = new TurnWork({
    speaker: SPEAKER,
    clock,
    freeAtMs,
    remainingMs: () => remaining,
    waitsUntilMs: () => 0,
  });
  return { work, nowMs: clock.now() };
};

test('the first words of a turn are due in a second', () => {
  const { work, nowMs } = setUp();
  expect(work.next('first')).toMatchObject({ class: 'first', ...SPEAKER, deadlineMs: nowMs + 1000 });
});

test('those of a turn made ahead are due when the turns before it have been heard', () => {
  const { work, nowMs } = setUp(0, 60_000 + 1e9);
  expect(work.next('ahead')).toMatchObject({ class: 'next', ...SPEAKER, deadlineMs: 60_000 + 1e9 });
  expect(nowMs).toBeLessThan(1e9);
});

test('what still waits of a turn made ahead becomes first words when its time has come', () => {
  const { work, nowMs } = setUp(0, 1e9);
  const asked = work.next('ahead');
  let told = 0;
  const stop = asked.onRise?.(() => {
    told += 1;
  });
  work.rise();
  expect([told, asked.class, asked.deadlineMs]).toEqual([1, 'first', nowMs + 1000]);
  stop?.();
  work.rise();
  expect(told).toBe(1);
  expect('onRise' in work.next('first')).toBe(false);
});

test('a turn that never was ahead has nothing to rise', () => {
  const { work } = setUp();
  work.next('first');
  expect(() => work.rise()).not.toThrow();
});

test('later words are due a first byte before the listener runs dry, and never in the past', () => {
  const rich = setUp(3000);
  rich.work.next('first');
  expect(rich.work.next('first')).toMatchObject({ class: 'next', ...SPEAKER, deadlineMs: rich.nowMs + 2500 });
  const dry = setUp(100);
  dry.work.next('first');
  expect(dry.work.next('first').deadlineMs).toBe(dry.nowMs);
});

test('what goes on with a break is due when the listener runs dry', () => {
  const { work, nowMs } = setUp(1234);
  expect(work.resume()).toMatchObject({ class: 'resume', ...SPEAKER, deadlineMs: nowMs + 1234 });
});
