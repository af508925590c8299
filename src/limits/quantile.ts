// Where most of a few measured values lie.

/** The smallest value that at least `share` of them do not exceed (nearest rank); undefined without values. */
export function quantileOf(values: readonly number[], share: number): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)];
}
