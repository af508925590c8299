// Faults of an engine as they are typed on its command line.

import { systemClock } from '../../src/base/clock.ts';
import type { FaultPlan } from '../../src/engine/fault-plan.ts';
import { createFaultPlan, type FaultPlanOptions } from '../../testkit/faults/fault-plan.ts';
import { readFault } from '../../testkit/faults/fault-table.ts';

const faultOf = (given: string) => {
  const reading = readFault(given);
  if (!reading.ok) throw new Error(reading.wrong);
  return reading.fault;
};

/** Seed 0 and the clocks of this machine unless others are given. */
export const typedFaults = (
  given: readonly string[],
  options: Partial<Omit<FaultPlanOptions, 'faults'>> = {},
): FaultPlan =>
  createFaultPlan({ faults: given.map(faultOf), seed: 0, clock: systemClock, unixMs: Date.now, ...options });
