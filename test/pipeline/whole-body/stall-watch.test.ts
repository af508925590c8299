// When a body that brings nothing is held to have stalled.
import { describe, expect, it } from 'vitest';
import { createStallWatch } from '../../../src/pipeline/whole-body/stall-watch.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const watched = () => {
  const clock = createFakeClock(0);
  const stalledAt: number[] = [];
  const watch = createStallWatch(clock, () => stalledAt.push(clock.now()));
  return { clock, watch, stalledAt };
};

describe('a stall', () => {
  it('is certain when nothing came in time', () => {
    const { clock, watch, stalledAt } = watched();
    watch.within(500);
    clock.advance(400);
    expect(watch.leftMs()).toBe(100);
    clock.advance(1000);
    expect(stalledAt).toEqual([500]);
  });

  it('is put off by what comes, up to so long from then', () => {
    const { clock, watch, stalledAt } = watched();
    watch.within(500);
    clock.advance(400);
    watch.earn(5000, 600);
    clock.advance(5000);
    expect(stalledAt).toEqual([1000]);
  });

  it('counts from when something came, not from when it was read', () => {
    const { clock, watch, stalledAt } = watched();
    watch.within(900);
    clock.advance(800);
    watch.earn(5000, 600, 350);
    clock.advance(5000);
    expect(stalledAt).toEqual([950]);
  });

  it('is none of what came before anything was awaited', () => {
    const { clock, watch, stalledAt } = watched();
    watch.within(500);
    watch.rest();
    clock.advance(30_000);
    watch.within(2000);
    watch.earn(5000, 2000, 100);
    clock.advance(1900);
    expect(stalledAt).toEqual([]);
    clock.advance(100);
    expect(stalledAt).toEqual([32_000]);
  });

  it('is none while nothing is awaited', () => {
    const { clock, watch, stalledAt } = watched();
    watch.within(500);
    watch.rest();
    clock.advance(1000);
    expect([stalledAt, clock.timers]).toEqual([[], 0]);
  });
});
