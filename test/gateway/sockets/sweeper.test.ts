import { describe, expect, it } from 'vitest';
import { createSweeper } from '../../../src/gateway/sockets/sweeper.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

describe('the sweeper', () => {
  it('looks once a second until there is nothing to look at, and again when started again', () => {
    const clock = createFakeClock(0);
    const looks: number[] = [];
    const sweeper = createSweeper(clock, (nowMs) => {
      looks.push(nowMs);
      return looks.length < 3 ? 'more' : 'none';
    });
    sweeper.start();
    sweeper.start();
    clock.advance(10_000);
    expect([looks, clock.timers]).toEqual([[1000, 2000, 3000], 0]);
    sweeper.start();
    clock.advance(1000);
    expect(looks.length).toBe(4);
  });

  it('leaves out the look that comes late, and takes the next', () => {
    const clock = createFakeClock(0);
    let heldUpMs = 0;
    const looks: number[] = [];
    const slow = { ...clock, now: () => clock.now() + heldUpMs };
    const sweeper = createSweeper(slow, (nowMs) => {
      looks.push(nowMs);
      return 'more';
    });
    sweeper.start();
    heldUpMs = 30_000;
    clock.advance(1000);
    expect(looks).toEqual([]);
    clock.advance(1000);
    expect(looks).toEqual([32_000]);
    sweeper.stop();
    expect(clock.timers).toBe(0);
  });
});
