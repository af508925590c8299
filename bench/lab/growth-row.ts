// One kind of work of which there is more and more, as `bench growth` measures it.

import type { BenchRun } from '../bench.ts';
import type { CostStep } from '../growth-of-cost.ts';

export const GROWTH_ROWS = ['streams', 'sessions', 'length'] as const;
export type GrowthRowName = (typeof GROWTH_ROWS)[number];

export type GrowthStep = {
  readonly name: string;
  readonly work: number;
  /** Of all threads: in a second where work goes on, in all where it ends. */
  readonly cpuMs: number;
  readonly residentBytes: number;
  /** p99, where something is heard in real time. */
  readonly latenessMs?: { readonly tick: number; readonly frame: number };
  /** More than the gateway can carry: shown, and in no fit. */
  readonly state: 'carried' | 'overloaded';
};

export type GrowthRow = {
  /** Of a gateway that has been used a little and has nothing to do. */
  readonly idleBytes: number;
  /** Ascending by work. */
  readonly steps: readonly GrowthStep[];
  /** Why there are no more steps, if there should be. */
  readonly notes: readonly string[];
  readonly faults: readonly string[];
};

export type MeasureGrowth = (run: BenchRun) => Promise<GrowthRow>;

/** Those below `most`, and `most` itself. */
export const stepsUpTo = (most: number, steps: readonly number[]): readonly number[] => [
  ...steps.filter((step) => step < most),
  most,
];

/**
 * More than the process needs without the work. It gives back what its start has left when it pleases, so that is the least
 * that it was ever seen to hold.
 */
export const overIdleOf = ({ idleBytes, steps }: GrowthRow): ((step: GrowthStep) => number) => {
  const leastBytes = Math.min(idleBytes, ...steps.map(({ residentBytes }) => residentBytes));
  return ({ residentBytes }) => residentBytes - leastBytes;
};

export const costsOf = ({ steps }: GrowthRow, costOf: (step: GrowthStep) => number): readonly CostStep[] =>
  steps.filter(({ state }) => state === 'carried').map((step) => ({ work: step.work, cost: costOf(step) }));
