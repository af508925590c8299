// Admission against a simulated thread: it keeps below the knee whatever a turn costs here today, wastes little, and minds
// neither a pause of the collector nor a loop that is held.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import { createHeadroom } from '../../src/limits/headroom.ts';
import { simulateThread, type ThreadPlan } from '../support/simulated-thread.ts';
import '../support/property-seed.ts';

const BUSY_AT = 0.85;
const TURN_MS = 8000;
const UNIT = 0.004;

const threadOf = (plan: Partial<ThreadPlan> & { readonly seed: number }) =>
  simulateThread({ busyAt: BUSY_AT, unit: UNIT, base: 0.02, random: seededNumbers(plan.seed, 0), ...plan });
/** New callers a second that would fill the thread `times` over. */
const rateOf = (unit: number, times: number) => (times * 1000) / unit / TURN_MS;

const anyLoad = fc.record({
  unit: fc.double({ min: 0.003, max: 0.012, noNaN: true }),
  base: fc.double({ min: 0, max: 0.2, noNaN: true }),
  times: fc.double({ min: 1.2, max: 3, noNaN: true }),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
});

describe('a thread that is asked for more than it has time for', () => {
  it('is never filled past its limit by more than a little, and not left idle', () => {
    fc.assert(
      fc.property(anyLoad, ({ unit, base, times, seed }) => {
        const thread = threadOf({ unit, base, seed });
        thread.run(10_000, rateOf(unit, times), TURN_MS);
        let sum = 0;
        for (let second = 0; second < 40; second++) {
          thread.run(1000, rateOf(unit, times), TURN_MS);
          sum += thread.share();
        }
        expect(thread.seen.mostShare).toBeLessThan(BUSY_AT + 0.07);
        expect(thread.seen.mostBehindMs).toBe(0);
        expect(sum / 40).toBeGreaterThan(BUSY_AT - 0.12);
      }),
      { numRuns: 12 },
    );
  });

  it('tells each that is refused another time, within five seconds', () => {
    const thread = threadOf({ seed: 7 });
    thread.run(30_000, rateOf(UNIT, 1.3), TURN_MS);
    const { retriesMs } = thread.seen;
    expect(retriesMs.length).toBeGreaterThan(50);
    expect(Math.min(...retriesMs)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...retriesMs)).toBeLessThanOrEqual(5000);
    expect(new Set(retriesMs).size).toBeGreaterThan(20);
  });

  it('takes whoever waits as soon as the others have left', () => {
    const thread = threadOf({ seed: 3 });
    thread.run(20_000, rateOf(UNIT, 2), TURN_MS);
    expect(thread.seen.refused).toBeGreaterThan(0);
    thread.forgetCallers();
    thread.hangUp();
    thread.run(1000, 0, TURN_MS);
    const { refused, admitted } = thread.seen;
    thread.run(1000, 50, TURN_MS);
    expect(thread.seen.refused).toBe(refused);
    expect(thread.seen.admitted).toBeGreaterThan(admitted + 20);
  });

  it('lets nobody wait for ever when there is room for all on average', () => {
    const thread = threadOf({ seed: 5 });
    thread.run(60_000, rateOf(UNIT, 0.7), TURN_MS);
    thread.run(10_000, 0, TURN_MS);
    expect(thread.waiting).toBe(0);
    expect(Math.max(...thread.seen.waitsMs)).toBeLessThan(20_000);
  });

  it('is calm again after a slower second than it was built for', () => {
    const thread = threadOf({ seed: 11 });
    thread.run(20_000, rateOf(UNIT, 1.3), TURN_MS);
    for (let tick = 0; tick < 200; tick++) thread.headroom.ticked(40);
    thread.run(20_000, rateOf(UNIT, 1.3), TURN_MS);
    expect(thread.share()).toBeGreaterThan(BUSY_AT - 0.15);
  });
});

describe('a thread with time left', () => {
  it('refuses nobody, whatever a turn costs', () => {
    fc.assert(
      fc.property(anyLoad, ({ unit, base, seed }) => {
        const thread = threadOf({ unit, base, seed });
        thread.run(30_000, rateOf(unit, 0.5), TURN_MS);
        expect(thread.seen.refused).toBe(0);
      }),
      { numRuns: 8 },
    );
  });

  it('refuses nobody because its loop is held for 50 ms twice a second', () => {
    const thread = threadOf({ seed: 2, heldMs: 50 });
    thread.run(60_000, rateOf(UNIT, 0.35), TURN_MS);
    expect(thread.seen.refused).toBe(0);
  });

  it('refuses nobody because of one long pause', () => {
    const headroom = createHeadroom(BUSY_AT);
    for (let turn = 0; turn < 9; turn++) headroom.take(1, 0).began(0);
    for (let look = 1; look <= 10; look++) {
      for (let tick = 0; tick < 40; tick++) headroom.ticked(1);
      headroom.look(look * 200, 0.3);
    }
    headroom.ticked(900);
    headroom.look(2900, 1);
    expect(headroom.retryMsIfFull('session', 1, 2900)).toBeUndefined();
    headroom.look(3100, 0.9);
    expect(headroom.retryMsIfFull('session', 1, 3100)).toBeUndefined();
  });
});

describe('headroom', () => {
  const full = (usedShare: number, latenessMs = 1) => {
    const headroom = createHeadroom(BUSY_AT);
    const places = Array.from({ length: 100 }, () => headroom.take(1, -9000));
    for (const place of places) place.began(-9000);
    for (let look = 1; look <= 25; look++) {
      for (let tick = 0; tick < 40; tick++) headroom.ticked(latenessMs);
      headroom.look(look * 200 - 4000, usedShare);
    }
    return { headroom, places };
  };

  it('lets turns of open sessions in when new sessions have to wait, and nobody beyond', () => {
    const { headroom } = full(0.86);
    expect(headroom.retryMsIfFull('session', 1, 2000)).toBeGreaterThan(0);
    expect(headroom.retryMsIfFull('turn', 1, 2000)).toBeUndefined();
    expect(full(0.91).headroom.retryMsIfFull('turn', 1, 2000)).toBeGreaterThan(0);
  });

  it('refuses by lateness, too: a thread that is not run says that it is idle', () => {
    expect(full(0.2, 12).headroom.retryMsIfFull('session', 1, 2000)).toBeGreaterThan(0);
    expect(full(0.2, 12).headroom.retryMsIfFull('turn', 1, 2000)).toBeUndefined();
    expect(full(0.2, 20).headroom.retryMsIfFull('turn', 1, 2000)).toBeGreaterThan(0);
  });

  it('takes nobody again before a little more than one place is free', () => {
    const { headroom } = full(0.86);
    expect(headroom.retryMsIfFull('session', 1, 2000)).toBeDefined();
    const looks = (usedShare: number, fromMs: number) => {
      for (let look = 0; look < 5; look++) headroom.look(fromMs + look * 200, usedShare);
    };
    looks(0.835, 2000);
    expect(headroom.retryMsIfFull('session', 1, 3000)).toBeDefined();
    looks(0.8, 3000);
    expect(headroom.retryMsIfFull('session', 1, 4000)).toBeUndefined();
    looks(0.835, 4000);
    expect(headroom.retryMsIfFull('session', 1, 5000)).toBeUndefined();
  });

  it('counts what it has taken before that shows, and not for ever', () => {
    const { headroom } = full(0.75);
    for (let caller = 0; caller < 400; caller++) {
      if (headroom.retryMsIfFull('session', 1, 2000) !== undefined) break;
      headroom.expect(2000);
      headroom.take(1, 2000);
    }
    expect(headroom.retryMsIfFull('session', 1, 2000)).toBeDefined();
    expect(headroom.free(2000)).toBeLessThan(0.04);
    expect(headroom.retryMsIfFull('session', 1, 4100)).toBeUndefined(); // they wait for somebody else
  });

  it('refuses nobody where hardly anybody speaks, whoever uses the thread', () => {
    const { headroom, places } = full(1);
    expect(headroom.retryMsIfFull('session', 1, 1000)).toBeDefined();
    for (const place of places.slice(4)) place.leave(1000);
    expect(headroom.retryMsIfFull('session', 1, 3000)).toBeDefined();
    places[0]!.leave(3000);
    expect(headroom.retryMsIfFull('session', 1, 3000)).toBeUndefined();
  });

  it('refuses nobody when it is told so', () => {
    const headroom = createHeadroom(Number.POSITIVE_INFINITY);
    for (let turn = 0; turn < 9; turn++) headroom.take(1, 0).began(0);
    for (let look = 1; look <= 9; look++) headroom.look(look * 200, 1);
    expect(headroom.retryMsIfFull('session', 1, 2000)).toBeUndefined();
    expect(headroom.retryMsIfFull('turn', 100, 2000)).toBeUndefined();
    expect(headroom.free(2000)).toBe(0);
  });
});
