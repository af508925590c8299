import { describe, expect, it } from 'vitest';
import { Deadlines } from '../../src/base/deadlines.ts';
import { createFakeClock } from '../support/fake-clock.ts';

describe('deadlines', () => {
  it('expire each in its time, in any order of making, with one timer for all', async () => {
    const clock = createFakeClock();
    const deadlines = new Deadlines(clock);
    const fromMs = clock.now();
    const expired: string[] = [];
    for (const ms of [300, 100, 200, 100])
      deadlines.after(ms, () => expired.push(`${ms} at ${clock.now() - fromMs}`));
    expect(clock.timers).toBe(1);
    await clock.run(99);
    expect(expired).toEqual([]);
    await clock.run(1);
    expect([expired, clock.timers]).toEqual([['100 at 100', '100 at 100'], 1]);
    await clock.run(500);
    expect([expired.slice(2), clock.timers]).toEqual([['200 at 200', '300 at 300'], 0]);
  });

  it('do not expire when they are called off, even by one that expires at the same moment', async () => {
    const clock = createFakeClock();
    const deadlines = new Deadlines(clock);
    const expired: string[] = [];
    deadlines.after(50, () => callOff());
    const callOff = deadlines.after(50, () => expired.push('second'));
    const early = deadlines.after(10, () => expired.push('early'));
    early();
    early();
    await clock.run(100);
    expect([expired, clock.timers]).toEqual([[], 0]);
  });

  it('may be made by one that expires', async () => {
    const clock = createFakeClock();
    const deadlines = new Deadlines(clock);
    const fromMs = clock.now();
    const expired: number[] = [];
    deadlines.after(10, () => {
      deadlines.after(5, () => expired.push(clock.now() - fromMs));
    });
    deadlines.after(30, () => expired.push(clock.now() - fromMs));
    await clock.run(100);
    expect([expired, clock.timers]).toEqual([[15, 30], 0]);
  });
});
