// How a service is believed, by what happened and when; and when the next one is asked instead.
import { describe, expect, it } from 'vitest';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import {
  NEW_HEALTH,
  type ServiceHealth,
  standing,
  step,
} from '../../../src/upstream/health/service-health.ts';
import { createServiceWatch } from '../../../src/upstream/health/service-watch.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const stepped = (kinds: readonly ('spoke' | 'fault' | 'late' | 'tried')[], health = NEW_HEALTH, fromMs = 0) =>
  kinds.reduce<ServiceHealth>((now, kind, at) => step(now, { kind, atMs: fromMs + at }), health);

describe('health', () => {
  it('is lost after three faults in a row, and not after two', () => {
    expect(stepped(['fault', 'fault']).phase).toBe('suspect');
    expect(stepped(['fault', 'fault', 'spoke', 'fault', 'fault']).phase).toBe('suspect');
    expect(stepped(['fault', 'fault', 'fault']).phase).toBe('out');
  });
  it('does not suffer from being late once; four times in a row are no chance', () => {
    expect(stepped(['late'])).toMatchObject({ phase: 'healthy', faults: 0 });
    expect(stepped(['late', 'spoke', 'late', 'spoke', 'late']).phase).toBe('healthy');
    expect(stepped(['late', 'late', 'late', 'late']).phase).toBe('out');
  });
  it('is found out by one request at a time, first of work that nobody listens to', () => {
    const out = stepped(['fault', 'fault', 'fault']);
    expect(standing(out, 'nobody', 1_000)).toBe('last');
    expect(standing(out, 'nobody', 5_100)).toBe('try');
    expect(standing(out, 'listener', 5_100)).toBe('last');
    expect(standing(out, 'listener', 10_100)).toBe('try');
    const tried = step(out, { kind: 'tried', atMs: 10_100 });
    expect(standing(tried, 'listener', 10_200)).toBe('last');
  });
  it('comes back when it has held for half a minute', () => {
    let health = stepped(['fault', 'fault', 'fault']);
    for (let atMs = 6_000; atMs <= 30_000; atMs += 6_000) health = step(health, { kind: 'spoke', atMs });
    expect(health.phase).toBe('proving');
    health = step(health, { kind: 'spoke', atMs: 36_000 });
    expect(health.phase).toBe('healthy');
    // What fails again soon must hold twice as long.
    expect(stepped(['fault', 'fault', 'fault'], health, 60_000).provingMs).toBe(60_000);
  });
  it('waits longer and longer for the next trial while all fail', () => {
    let health = stepped(['fault', 'fault', 'fault']);
    const pauses: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      const atMs = health.tryAtMs;
      health = step(step(health, { kind: 'tried', atMs }), { kind: 'fault', atMs: atMs + 50 });
      pauses.push(Math.round((health.tryAtMs - atMs) / 1000));
    }
    expect(pauses).toEqual([10, 20, 40, 60, 60, 60]);
  });
});

describe('a service that comes and goes every 20 s for ten minutes', () => {
  for (const turnMs of [50, 500, 3_000])
    it(`changes what is preferred at most once a minute, with a turn every ${turnMs} ms`, () => {
      let health = NEW_HEALTH;
      const changes: number[] = [];
      let preferred = true;
      for (let atMs = 0; atMs < 600_000; atMs += turnMs) {
        const place = standing(health, 'listener', atMs);
        const isFirst = health.phase === 'healthy' || health.phase === 'suspect';
        if (isFirst !== preferred) changes.push(atMs);
        preferred = isFirst;
        if (place === 'last') continue;
        if (place === 'try') health = step(health, { kind: 'tried', atMs });
        const isUp = Math.floor(atMs / 20_000) % 2 === 1;
        health = step(health, { kind: isUp ? 'spoke' : 'fault', atMs: atMs + 20 });
      }
      for (const atMs of changes)
        expect(changes.filter((other) => other >= atMs && other < atMs + 60_000)).toHaveLength(1);
      expect(changes.length).toBeLessThanOrEqual(10);
    });
});

describe('what is known of a service', () => {
  /** Log-normal with the 95th percentile at 2.5 times the median. */
  const sigma = Math.log(2.5) / 1.6449;
  const normal = (u: number, v: number) => Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v);

  it('asks the next one needlessly in at most 2.5 % of all requests', () => {
    const random = seededNumbers(3, 0);
    const watch = createServiceWatch({ clock: createFakeClock(), onChange() {}, onRival() {}, onSpoke() {} });
    let asked = 0;
    for (let n = 0; n < 4_000; n += 1) {
      watch.asked();
      const speechMs = 400 * Math.exp(sigma * normal(random(), random()));
      if (speechMs > watch.askAfterMs('v')) asked += 1;
      watch.spoke('v', speechMs);
    }
    expect(asked / 4_000).toBeLessThanOrEqual(0.025);
    expect(watch.health()).toMatchObject({ phase: 'healthy', faults: 0 });
  });
  it('asks within the budget, and without it where the service is in trouble', () => {
    const rivals: string[] = [];
    const watch = createServiceWatch({
      clock: createFakeClock(),
      onChange() {},
      onRival: (result) => rivals.push(result),
      onSpoke() {},
    });
    for (let n = 0; n < 20; n += 1) {
      watch.asked();
      watch.spoke('v', 300);
    }
    expect([watch.mayAskNext('v'), watch.mayAskNext('v')]).toEqual([true, false]);
    expect(rivals).toEqual(['refused']);
    watch.late('v', 500);
    watch.late('v', 500);
    expect(watch.mayAskNext('v')).toBe(true);
  });
  it('is of the voice where it is the voice that fails', () => {
    const clock = createFakeClock();
    const watch = createServiceWatch({ clock, onChange() {}, onRival() {}, onSpoke() {} });
    for (let n = 0; n < 5; n += 1) {
      watch.failed('broken', 'upstream_bad_audio');
      watch.spoke('good', 200);
    }
    expect(watch.standing('broken', 'listener')).toBe('last');
    expect(watch.standing('good', 'listener')).toBe('in-order');
    expect(watch.health().phase).toBe('healthy');
  });
});
