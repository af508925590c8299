// Randomness as an argument.

export type Random = {
  /** A whole number, 0 ≤ n < `limit` (limit ≤ 2^48). */
  below(limit: number): number;
  /** `bytes` random bytes as URL-safe text, for ids. */
  id(bytes: number): string;
};
