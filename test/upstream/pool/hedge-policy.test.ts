import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHedgePolicy } from '../../../src/upstream/pool/hedge-policy.ts';

const learned = (...times: readonly number[]) => {
  const policy = createHedgePolicy();
  for (const ms of times) policy.learn(ms);
  return policy;
};
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('when a first byte is late', () => {
  it('is unknown before 20 times', () => {
    expect(learned(...range(201, 219)).afterMs()).toBeUndefined();
    expect(learned(...range(201, 220)).afterMs()).toBe(219);
  });
  it('is later than 19 of 20, and never before 100 ms', () => {
    expect(learned(...range(1, 200)).afterMs()).toBe(190);
    expect(learned(...range(1, 20)).afterMs()).toBe(100);
  });
  it('is known from the latest times only', () => {
    expect(learned(...range(1, 300).fill(5_000), ...range(1, 256).fill(150)).afterMs()).toBe(150);
  });
  it('equals the quantile of the last 256, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 100, max: 9_000 }), { minLength: 20, maxLength: 600 }),
        (times) => {
          const last = times.slice(-256).sort((a, b) => a - b);
          expect(learned(...times).afterMs()).toBe(last[Math.ceil(last.length * 0.95) - 1]);
        },
      ),
    );
  });
});

describe('the budget', () => {
  it('is a twentieth of the requests, and never a burst', () => {
    const policy = createHedgePolicy();
    expect(policy.tryHedge()).toBe(false);
    for (let i = 0; i < 20; i++) policy.request();
    expect([policy.tryHedge(), policy.tryHedge()]).toEqual([true, false]);
    for (let i = 0; i < 10_000; i++) policy.request();
    expect(range(1, 5).map(() => policy.tryHedge())).toEqual([true, true, true, false, false]);
    policy.giveBack();
    expect(policy.tryHedge()).toBe(true);
  });
  it('never exceeds a twentieth over any run from the start', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 400 }), (steps) => {
        const policy = createHedgePolicy();
        let requests = 0;
        let hedges = 0;
        for (const asks of steps) {
          policy.request();
          requests += 1;
          if (asks && policy.tryHedge()) hedges += 1;
          expect(hedges).toBeLessThanOrEqual(requests / 20 + 1e-6);
        }
      }),
    );
  });
});
