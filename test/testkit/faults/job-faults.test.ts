// What faults do to the seed of a job: pure, so that the clock and the keys are the test's own.
import { describe, expect, it } from 'vitest';
import { MAX_DRAWN_SEED } from '../../../src/speech/speech-request.ts';
import type { FaultEffect } from '../../../testkit/faults/fault.ts';
import { modelUpdateFault, seedIgnoredFault, seedPerKeyFault } from '../../../testkit/faults/job-faults.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const mannerOf = (seed: number) => ({ seed, speed: 1 });

function changing(effect: FaultEffect, number = () => 0.5) {
  const clock = createFakeClock();
  if (effect.at !== 'job') throw new Error('not a fault of the job');
  const change = effect.createChange({ clock, unixMs: () => 0, number });
  const seedOf = (seed: number, keyNumber = 1) => change(mannerOf(seed), { keyNumber }).seed;
  return { clock, seedOf };
}

describe('seed-per-key', () => {
  it('is a function of seed and key, and another seed for nearly every pair', () => {
    const { seedOf } = changing(seedPerKeyFault);
    const seeds = [0, 1, 7, MAX_DRAWN_SEED].flatMap((seed) => [1, 2, 3].map((key) => seedOf(seed, key)));
    expect(new Set(seeds).size).toBe(12);
    expect(changing(seedPerKeyFault).seedOf(7, 2)).toBe(seeds[7]);
    for (const seed of seeds) {
      expect(Number.isInteger(seed)).toBe(true);
      expect(seed >= 0 && seed <= MAX_DRAWN_SEED).toBe(true);
    }
  });
});

describe('seed-ignored', () => {
  it('draws anew', () => {
    const drawn = [0, 1];
    const { seedOf } = changing(seedIgnoredFault, () => drawn.shift()!);
    expect([seedOf(5), seedOf(5)]).toEqual([0, MAX_DRAWN_SEED]);
  });
});

describe('model-update', () => {
  it('happens after so many seconds of the clock, for every seed at once', () => {
    const { clock, seedOf } = changing(modelUpdateFault(60, 'seconds'));
    clock.advance(59_999);
    expect([seedOf(5), seedOf(6)]).toEqual([5, 6]);
    clock.advance(1);
    const [five, six] = [seedOf(5), seedOf(6)];
    expect(new Set([5, 6, five, six]).size).toBe(4);
    clock.advance(1e6);
    expect([seedOf(5), seedOf(6, 2)]).toEqual([five, six]);
  });

  it('or after so many requests', () => {
    const { seedOf } = changing(modelUpdateFault(2, 'requests'));
    expect([seedOf(5), seedOf(5), seedOf(5) === 5]).toEqual([5, 5, false]);
  });

  it('after nothing is another model from the beginning', () => {
    expect(changing(modelUpdateFault(0, 'requests')).seedOf(5)).not.toBe(5);
    expect(changing(modelUpdateFault(0, 'seconds')).seedOf(5)).not.toBe(5);
  });
});
