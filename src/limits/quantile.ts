// Where most of a few measured values lie, by nearest rank.

/** Of sorted values, the smallest that at least `share` of them do not exceed; undefined without values. */
export const nearestRank = (sorted: ArrayLike<number>, share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];

/** The same of values in any order. */
export const quantileOf = (values: readonly number[], share: number): number | undefined =>
  nearestRank(
    values.toSorted((a, b) => a - b),
    share,
  );
