import { describe, expect, it } from 'vitest';
import { TimeBudget } from '../../src/limits/time-budget.ts';

describe('a budget of time', () => {
  it('lets work be done until the burst is spent, and then what comes back', () => {
    const budget = new TimeBudget(100, 50);
    for (let n = 0; n < 10; n += 1) {
      expect(budget.waitMs(0)).toBe(0);
      budget.charge(0, 5);
    }
    expect(budget.waitMs(0)).toBe(1);
    budget.charge(0, 5);
    expect(budget.waitMs(0)).toBe(50);
    expect(budget.waitMs(40)).toBeCloseTo(10);
    expect(budget.waitMs(51)).toBe(0);
  });

  it('keeps no more than the burst', () => {
    const budget = new TimeBudget(100, 50);
    expect(budget.waitMs(0)).toBe(0);
    expect(budget.waitMs(3_600_000)).toBe(0);
    for (let n = 0; n < 6; n += 1) budget.charge(3_600_000, 10);
    expect(budget.waitMs(3_600_000)).toBe(100);
  });

  it('does not charge one that was held up once, however long', () => {
    const budget = new TimeBudget(100, 200);
    budget.charge(0, 5000);
    expect(budget.waitMs(0)).toBe(0);
    budget.charge(10_001, 5000);
    expect(budget.waitMs(10_001)).toBe(0);
  });

  it('charges the second that takes long, and for ten seconds at most', () => {
    const budget = new TimeBudget(100, 200);
    budget.charge(0, 400);
    budget.charge(1000, 400);
    expect(budget.waitMs(1000)).toBeCloseTo(2000);
    budget.charge(1000, 60_000);
    expect(budget.waitMs(1000)).toBeCloseTo(10_000);
  });
});
