// Randomness as an argument.

import { randomBytes, randomInt } from 'node:crypto';

export type Random = {
  /** A whole number, 0 ≤ n < `limit` (limit ≤ 2^48). */
  below(limit: number): number;
  /** `bytes` random bytes as URL-safe text, for ids. */
  id(bytes: number): string;
};

export const systemRandom: Random = {
  below: (limit) => randomInt(limit),
  id: (bytes) => randomBytes(bytes).toString('base64url'),
};
