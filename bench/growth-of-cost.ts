// How a cost grows with the work that makes it: what one unit costs when there is little and when there is much, and the
// exponent of the power law through the upper steps. 1 is linear; a fixed cost makes it smaller, never larger.

import { lineThrough } from './lab/line-through.ts';

export type CostStep = { readonly work: number; readonly cost: number };

export type CostGrowth = {
  /** The smallest step of ten units or more that says something, and the largest; costs are of one unit. */
  readonly least: CostStep;
  readonly most: CostStep;
  /** Of a straight line through the logarithms of the steps from a tenth of the largest on. */
  readonly exponent: number;
};

/** Less says nothing of a unit: what the first one warms up is in it. */
const LEAST_WORK = 10;
const UPPER = 0.1;
/** Beyond this it is called worse than linear: a tenth is what two runs differ by. */
const WORST_EXPONENT = 1.1;

/**
 * Steps ascend by work. What costs no more than `noise` says nothing of how it grows. Undefined when fewer than two steps of
 * ten units or more are left.
 */
export function growthOfCost(steps: readonly CostStep[], noise = 0): CostGrowth | undefined {
  const told = steps.filter(({ work, cost }) => work >= LEAST_WORK && cost > noise);
  const [least, most] = [told[0], told.at(-1)];
  if (least === undefined || most === undefined || least === most) return undefined;
  const upper = told.filter(({ work }) => work >= most.work * UPPER);
  const perUnit = ({ work, cost }: CostStep): CostStep => ({ work, cost: cost / work });
  return {
    least: perUnit(least),
    most: perUnit(most),
    exponent: lineThrough(
      (upper.length > 1 ? upper : [least, most]).map(({ work, cost }) => [Math.log(work), Math.log(cost)]),
    ).slope,
  };
}

export const isWorseThanLinear = ({ exponent }: CostGrowth): boolean => exponent > WORST_EXPONENT;
