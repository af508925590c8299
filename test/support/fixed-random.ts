// Randomness that a test can foretell.

import type { Random } from '../../src/base/random.ts';

/**
 * `below(limit)` gives the whole part of `limit` × the next of `shares` (each 0 ≤ share < 1), over and over;
 * `id` counts up: id-0, id-1, …
 */
export function fixedRandom(...shares: readonly number[]): Random {
  let drawn = 0;
  let ids = 0;
  return {
    below: (limit) => Math.floor(limit * (shares.length === 0 ? 0 : shares[drawn++ % shares.length]!)),
    id: () => `id-${ids++}`,
  };
}
