// A set of measured values in the few numbers that a table shows.

import { nearestRank } from '../../src/limits/quantile.ts';

export type Spread = {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
};

/** Each NaN without values. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => nearestRank(sorted, share) ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

export const medianOf = (values: readonly number[]): number => spreadOf(values).p50;

/** Headings and cells of a table of spreads. */
export const SPREAD_COLUMNS = ['ms', 'count', 'p50', 'p90', 'p99', 'max'] as const;
export const spreadRow = (name: string, { count, p50, p90, p99, max }: Spread): readonly string[] => [
  name,
  String(count),
  ...[p50, p90, p99, max].map((ms) => (Number.isNaN(ms) ? '–' : ms.toFixed(2))),
];
