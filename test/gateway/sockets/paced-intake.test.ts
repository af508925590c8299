// What a client may take of the thread's time. Handling takes as long as a frame says: the clock is moved on meanwhile.
import { describe, expect, it } from 'vitest';
import { PacedIntake, textBytes } from '../../../src/gateway/sockets/paced-intake.ts';
import { createTimeShares, type TimeShare } from '../../../src/gateway/sockets/time-shares.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';

type Frame = { readonly name: string; readonly takesMs: number };
const LIMITS = { connectionTimeMs: 100, userTimeMs: 300 };

function open(share: TimeShare, clock: FakeClock) {
  // The work of a frame moves time on, and runs nobody's timers.
  let workedMs = 0;
  const handled: string[] = [];
  const told = { spentMs: 0, slowed: 0, overflows: 0 };
  const intake = new PacedIntake<Frame>({
    clock: { ...clock, now: () => clock.now() + workedMs },
    ...share,
    handle({ name, takesMs }) {
      handled.push(name);
      workedMs += takesMs;
    },
    toKeep: (frame) => frame,
    isUrgent: ({ name }) => name === 'cancel',
    onSpent(ms) {
      told.spentMs += ms;
    },
    onSlowed() {
      told.slowed += 1;
    },
    onOverflow() {
      told.overflows += 1;
    },
  });
  const send = (name: string, takesMs: number, bytes = 100) => intake.take({ name, takesMs }, bytes);
  return { intake, handled, told, send };
}

function start(limits = LIMITS) {
  const clock = createFakeClock();
  const shareOf = createTimeShares(limits);
  return { clock, connect: (user: string) => open(shareOf(user), clock) };
}

describe('the intake of a client', () => {
  it('handles at once what costs next to nothing, and keeps nothing', () => {
    const { clock, connect } = start();
    const { handled, intake, send } = connect('ann');
    for (let n = 0; n < 1000; n += 1) {
      send(`${n}`, 0.02);
      clock.advance(1);
      expect(handled).toHaveLength(n + 1);
    }
    expect(intake.waitingBytes()).toBe(0);
    expect(clock.timers).toBe(0);
  });

  it('handles what came at once in slices, in order', () => {
    const { clock, connect } = start();
    const { handled, send, told } = connect('ann');
    const names = Array.from({ length: 30 }, (_, n) => `${n}`);
    for (const name of names) send(name, 1);
    expect(handled.length).toBeLessThanOrEqual(5);
    clock.advance(100);
    expect(handled).toEqual(names);
    expect(told.slowed).toBe(0);
    expect(told.spentMs).toBeCloseTo(30);
    expect(clock.timers).toBe(0);
  });

  it('gives a client beyond its budget its share, and no frame is lost', () => {
    const { clock, connect } = start();
    const { handled, told, send } = connect('ann');
    for (let n = 0; n < 300; n += 1) send(`${n}`, 4);
    clock.advance(3000);
    // The burst of 500 ms, and 100 ms each second.
    expect(handled.length).toBeGreaterThan(150);
    expect(handled.length).toBeLessThan(260);
    expect(told.slowed).toBe(1);
    clock.advance(10_000);
    expect(handled).toHaveLength(300);
    expect(handled.at(-1)).toBe('299');
    expect(told.overflows).toBe(0);
    expect(clock.timers).toBe(0);
  });

  it('does not multiply what a user has by connections', () => {
    const { clock, connect } = start();
    const many = Array.from({ length: 50 }, () => connect('ann'));
    for (let second = 0; second < 20; second += 1) {
      for (const { send } of many) for (let n = 0; n < 20; n += 1) send('x', 1);
      clock.advance(1000);
    }
    const spentMs = many.reduce((sum, { told }) => sum + told.spentMs, 0);
    expect(spentMs).toBeGreaterThan(0.7 * 20 * LIMITS.userTimeMs);
    expect(spentMs).toBeLessThan(27.5 * LIMITS.userTimeMs);
    const { handled, send } = connect('bob');
    send('x', 1);
    expect(handled).toEqual(['x']);
  });

  it('does not give a user a new budget for a new connection', () => {
    const { clock, connect } = start({ connectionTimeMs: 0, userTimeMs: 10 });
    const first = connect('ann');
    for (let n = 0; n < 6; n += 1) first.intake.charge(clock.now(), 10);
    first.intake.close();
    clock.advance(500); // what is for moments is back
    const second = connect('ann');
    second.send('y', 1);
    expect(second.handled).toEqual([]);
  });

  it('is not slowed by one frame that was held up', () => {
    const { clock, connect } = start();
    const { handled, told, send } = connect('ann');
    send('held up', 900);
    for (let n = 0; n < 200; n += 1) {
      send(`${n}`, 0.05);
      clock.advance(1);
    }
    expect(handled).toHaveLength(201);
    expect(told).toMatchObject({ slowed: 0, overflows: 0 });
  });

  it('lets a cancel through, and handles it again in its turn', () => {
    const { clock, connect } = start();
    const { handled, intake, send } = connect('ann');
    for (let n = 0; n < 60; n += 1) intake.charge(clock.now(), 9);
    send('next', 1);
    send('cancel', 0.1);
    expect(handled).toEqual(['cancel']);
    clock.advance(20_000);
    expect(handled).toEqual(['cancel', 'next', 'cancel']);
  });

  it('handles a cancel in its turn while there is time left', () => {
    const { clock, connect } = start();
    const { handled, send } = connect('ann');
    for (let n = 0; n < 10; n += 1) send('x', 2);
    send('cancel', 0.1);
    expect(handled).not.toContain('cancel');
    clock.advance(1000);
    expect(handled.filter((name) => name === 'cancel')).toHaveLength(1);
    expect(handled.at(-1)).toBe('cancel');
  });

  it('lets no flood of cancels past the budget', () => {
    const { clock, connect } = start();
    const { handled, intake, send } = connect('ann');
    for (let n = 0; n < 60; n += 1) intake.charge(clock.now(), 9);
    for (let n = 0; n < 1000; n += 1) send('cancel', 0.1);
    expect(handled.filter((name) => name === 'cancel')).toHaveLength(10);
  });

  it.each([
    ['frames', 100, 10_001],
    ['bytes', 200_000, 6],
  ])('lets a client go that has too many %s wait', (_what, bytes, times) => {
    const { clock, connect } = start();
    const { handled, told, intake, send } = connect('ann');
    for (let n = 0; n < 60; n += 1) intake.charge(clock.now(), 9);
    for (let n = 0; n < times; n += 1) send('x', 1, Math.min(bytes, 200_000));
    expect(told.overflows).toBe(1);
    expect(intake.waitingBytes()).toBe(0);
    const before = handled.length;
    send('x', 1);
    clock.advance(60_000);
    expect(handled).toHaveLength(before);
    expect(clock.timers).toBe(0);
  });

  it('does not let go one that sends much at once and has time left', () => {
    const { clock, connect } = start();
    const { handled, told, send } = connect('ann');
    for (let n = 0; n < 40; n += 1) send('x', 1, 100_000);
    clock.advance(200);
    expect(handled).toHaveLength(40);
    expect(told.overflows).toBe(0);
  });

  it('lets one go whose user has too much wait in all connections', () => {
    const { connect } = start();
    const many = Array.from({ length: 20 }, () => connect('ann'));
    many[0]!.send('long', 300);
    for (const { send } of many) for (let n = 0; n < 5; n += 1) send('x', 10, 200_000);
    const overflows = () => many.reduce((sum, { told }) => sum + told.overflows, 0);
    expect(overflows()).toBeGreaterThan(0);
    expect(overflows()).toBeLessThan(20);
    for (const { intake } of many) intake.close();
    const { told, send } = connect('ann');
    send('x', 1, 200_000);
    expect(told.overflows).toBe(0);
  });

  it('counts what is done for a client later on', () => {
    const { clock, connect } = start();
    const { handled, intake, send } = connect('ann');
    for (let n = 0; n < 60; n += 1) intake.charge(clock.now(), 9);
    send('x', 1);
    expect(handled).toEqual([]);
    clock.advance(1100);
    expect(handled).toEqual(['x']);
  });
});

describe('what a text takes in memory', () => {
  it('is a byte for each letter of ASCII, and two of all else', () => {
    expect(textBytes('plain', 5)).toBe(5);
    expect(textBytes('schön', 6)).toBe(10);
  });
});
