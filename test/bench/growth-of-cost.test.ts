import { describe, expect, it } from 'vitest';
import { type CostStep, growthOfCost, isWorseThanLinear } from '../../bench/growth-of-cost.ts';

const stepsOf = (costOf: (work: number) => number): CostStep[] =>
  [1, 10, 100, 1000, 5000, 10_000].map((work) => ({ work, cost: costOf(work) }));

describe('growthOfCost', () => {
  it('finds the power by which a cost grows', () => {
    for (const power of [0.5, 1, 1.5, 2])
      expect(growthOfCost(stepsOf((work) => 3 * work ** power))!.exponent).toBeCloseTo(power, 9);
  });

  it('tells what a unit costs at ten and at the most', () => {
    const { least, most } = growthOfCost(stepsOf((work) => 50 + 2 * work))!;
    expect(least).toEqual({ work: 10, cost: 7 });
    expect(most).toEqual({ work: 10_000, cost: 2.005 });
  });

  it('calls a square worse than linear, and a fixed cost beside a linear one not', () => {
    expect(isWorseThanLinear(growthOfCost(stepsOf((work) => work + work ** 2 / 1000))!)).toBe(true);
    expect(isWorseThanLinear(growthOfCost(stepsOf((work) => 50 + 2 * work))!)).toBe(false);
  });

  it('fits the upper steps alone: what is dear at the beginning does not hide what comes', () => {
    const cost = (work: number) => (work < 1000 ? 1000 : work ** 2 / 1000);
    expect(growthOfCost(stepsOf(cost))!.exponent).toBeCloseTo(2, 9);
  });

  it('takes two steps that lie far apart', () => {
    const { exponent } = growthOfCost([
      { work: 10, cost: 10 },
      { work: 1000, cost: 1000 },
    ])!;
    expect(exponent).toBeCloseTo(1, 9);
  });

  it('looks at no step that costs less than what it is measured with', () => {
    const steps = stepsOf((work) => (work < 1000 ? 0.5 : work));
    expect(growthOfCost(steps, 1)!.least.work).toBe(1000);
    expect(growthOfCost(steps, 20_000)).toBeUndefined();
  });

  it('says nothing of a single step, of few units or of no cost', () => {
    expect(growthOfCost([])).toBeUndefined();
    expect(growthOfCost(stepsOf(() => 0))).toBeUndefined();
    expect(growthOfCost(stepsOf((work) => work).slice(0, 2))).toBeUndefined();
  });
});
