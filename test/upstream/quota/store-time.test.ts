// The shared store's time as one instance knows it, against a store whose true time the test knows.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStoreTime } from '../../../src/upstream/quota/store-time.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const AHEAD_MS = 1_700_000_000_000;

/** An answer of a store that is ahead of `clock` by so much, so long on its way there and back. */
function exchange({ aheadMs = AHEAD_MS, thereMs = 0, backMs = 0 }, clock = createFakeClock(5_000)) {
  const time = createStoreTime(clock);
  const hear = (next: {
    aheadMs?: number;
    thereMs?: number;
    backMs?: number;
    epoch?: string;
    shiftMs?: number;
  }) => {
    const askedAtMs = clock.now();
    clock.advance(next.thereMs ?? 0);
    const storeMs = Math.floor(clock.now() + (next.aheadMs ?? AHEAD_MS));
    clock.advance(next.backMs ?? 0);
    return time.learn({ epoch: next.epoch ?? 'e', storeMs, shiftMs: next.shiftMs ?? 0 }, askedAtMs);
  };
  const jumpMs = hear({ aheadMs, thereMs, backMs });
  return { time, clock, hear, jumpMs };
}
const way = fc.integer({ min: 0, max: 3_000 });

describe('the time of a store', () => {
  it('is the own clock until the store was heard', () => {
    const clock = createFakeClock(5_000);
    const time = createStoreTime(clock);
    expect([time.isKnown(), time.now(), time.latest()]).toEqual([false, 5_000, 5_000]);
  });

  it('is told with the jump that it is to the own clock', () => {
    const { time, jumpMs } = exchange({ thereMs: 20, backMs: 30 });
    expect([time.isKnown(), jumpMs]).toEqual([true, AHEAD_MS - 30]);
  });

  it('lies between its bounds, however long the answers were on their way', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(way, way, way), { minLength: 1, maxLength: 20 }), (ways) => {
        const { time, clock, hear } = exchange({ thereMs: 3_000, backMs: 3_000 });
        for (const [thereMs, backMs, restMs] of ways) {
          hear({ thereMs, backMs });
          clock.advance(restMs);
          expect(time.now()).toBeLessThanOrEqual(clock.now() + AHEAD_MS);
          expect(time.latest()).toBeGreaterThanOrEqual(clock.now() + AHEAD_MS);
        }
      }),
    );
  });

  it('is not blurred by an answer that is late', () => {
    const { time, clock, hear } = exchange({ thereMs: 2, backMs: 2 });
    hear({ thereMs: 900, backMs: 900 });
    expect(clock.now() + AHEAD_MS - time.now()).toBeLessThanOrEqual(5);
    expect(time.latest() - clock.now() - AHEAD_MS).toBeLessThanOrEqual(6);
  });

  it.each([
    ['an epoch begins', { epoch: 'f' }],
    ['its clock is shifted', { shiftMs: -10 }],
  ])('is never ahead of a store that goes back by less than a round trip, when %s', (_why, how) => {
    const { time, clock, hear } = exchange({ thereMs: 1, backMs: 1 });
    hear({ aheadMs: AHEAD_MS - 10, thereMs: 20, backMs: 20, ...how });
    expect(time.now()).toBeLessThanOrEqual(clock.now() + AHEAD_MS - 10);
    expect(time.latest()).toBeGreaterThanOrEqual(clock.now() + AHEAD_MS - 10);
  });

  it('follows a clock that runs a little faster or slower', () => {
    for (const drift of [1e-4, -1e-4]) {
      const { time, clock, hear } = exchange({ thereMs: 1, backMs: 1 });
      const aheadMs = () => AHEAD_MS + clock.now() * drift;
      for (let i = 0; i < 400; i++) {
        clock.advance(250);
        hear({ aheadMs: aheadMs(), thereMs: 1, backMs: 1 });
        expect(Math.abs(time.now() - clock.now() - aheadMs())).toBeLessThanOrEqual(3);
      }
    }
  });

  it.each([5_000, -5_000])('follows a jump of %i ms at once', (stepMs) => {
    const { time, clock, hear } = exchange({ thereMs: 2, backMs: 2 });
    hear({ aheadMs: AHEAD_MS + stepMs, thereMs: 40, backMs: 40 });
    expect(clock.now() + AHEAD_MS + stepMs - time.now()).toBeLessThanOrEqual(41);
    expect(time.now()).toBeLessThanOrEqual(clock.now() + AHEAD_MS + stepMs);
  });
});
