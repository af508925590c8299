import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRetryBudget } from '../../src/limits/retry-budget.ts';

const options = { share: 0.2, least: 3, windowMs: 10_000 };
const spend = (budget: ReturnType<typeof createRetryBudget>, nowMs: number) => {
  let retries = 0;
  while (budget.tryRetry(nowMs)) retries += 1;
  return retries;
};

it('allows the least amount without traffic, and again in the next window', () => {
  const budget = createRetryBudget(options);
  expect(spend(budget, 5)).toBe(3);
  expect(spend(budget, 9_000)).toBe(0);
  expect(spend(budget, 11_000)).toBe(3);
});

it('allows a fifth of the traffic', () => {
  const budget = createRetryBudget(options);
  for (let i = 0; i < 100; i++) budget.request(i);
  expect(spend(budget, 100)).toBe(20);
  expect(spend(budget, 10_500)).toBe(3);
});

// The retry that is asked for used not to count: 17 requests allowed four retries, a share of 0.235.
it('counts the retry that is asked for', () => {
  const budget = createRetryBudget(options);
  for (let request = 0; request < 17; request++) budget.request(0);
  const allowed = Array.from({ length: 6 }, () => budget.tryRetry(0)).filter(Boolean);
  expect(allowed).toHaveLength(3);
});

it('never exceeds its share over a whole run of an outage', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 10, maxLength: 200 }), (gaps) => {
      const budget = createRetryBudget(options);
      const sent: number[] = [];
      let nowMs = 0;
      for (const gap of gaps) {
        nowMs += gap;
        budget.request(nowMs);
        for (let retry = 0; retry < 2; retry++) if (budget.tryRetry(nowMs)) sent.push(nowMs);
        const recent = sent.filter((at) => at > nowMs - 9_000).length;
        if (recent > Math.max(3, 0.2 * gaps.length)) return false;
      }
      return true;
    }),
  );
});
