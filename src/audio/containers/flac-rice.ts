// How the residual of a FLAC block is cut into partitions and which Rice parameter each gets (RFC 9639, 9.2.7).
// Chosen from sums alone: Σ floor(uᵢ / 2ᵏ) ≤ floor(Σ uᵢ / 2ᵏ), so the cost that decides is never below the true one.

import type { BitWriter } from './bit-writer.ts';

export type RicePlan = {
  /** The block has 2 to the power of this many partitions. */
  readonly partitionOrder: number;
  /** Upper bound of what `write` takes. */
  readonly bits: number;
  write(to: BitWriter): void;
};

/** Finer than eight partitions of at most 20 ms gains less than its parameters cost. */
const MOST_PARTITION_ORDER = 3;
/** 15 is the escape code of 4-bit parameters. A block that wanted more goes out verbatim. */
const MOST_PARAMETER = 14;

/** −1, 1, −2, 2 … → 1, 2, 3, 4 …, so that small residuals of either sign are small numbers. */
const fold = (residual: number): number => (residual << 1) ^ (residual >> 31);

/** Plans blocks one after the other; a plan is good until the next one is made. */
export function createRicePlanner(): (residual: Int32Array, order: number, length: number) => RicePlan {
  // A binary tree in one array: the partitions of order p are the nodes 2ᵖ … 2ᵖ⁺¹ − 1, the children of n 2n and 2n + 1.
  const sums = new Float64Array(2 << MOST_PARTITION_ORDER);
  const parameters = new Uint8Array(2 << MOST_PARTITION_ORDER);

  /** Chooses the node's parameter and says what its partition costs, its 4-bit parameter included. */
  const settle = (node: number, count: number): number => {
    const sum = sums[node]!;
    let parameter = 0;
    let cost = count + sum;
    let shifted = sum;
    for (let next = 1; next <= MOST_PARAMETER; next++) {
      shifted = Math.floor(shifted / 2);
      const nextCost = count * (next + 1) + shifted;
      if (nextCost >= cost) break;
      parameter = next;
      cost = nextCost;
    }
    parameters[node] = parameter;
    return 4 + cost;
  };

  return (residual, order, length) => {
    let finest = 0;
    while (finest < MOST_PARTITION_ORDER && isSplittable(length, finest + 1, order)) finest++;

    const finestLength = length >> finest;
    for (let part = 0, i = order; part < 1 << finest; part++) {
      let sum = 0;
      for (const end = (part + 1) * finestLength; i < end; i++) sum += fold(residual[i]!);
      sums[(1 << finest) + part] = sum;
    }
    for (let node = (1 << finest) - 1; node > 0; node--) sums[node] = sums[2 * node]! + sums[2 * node + 1]!;

    let bits = Number.POSITIVE_INFINITY;
    let partitionOrder = 0;
    for (let level = 0; level <= finest; level++) {
      let cost = 6; // method and partition order
      for (let part = 0; part < 1 << level; part++)
        cost += settle((1 << level) + part, (length >> level) - (part === 0 ? order : 0));
      if (cost >= bits) continue;
      bits = cost;
      partitionOrder = level;
    }

    return {
      partitionOrder,
      bits,
      write(to) {
        to.bits(0, 2); // parameters of 4 bits
        to.bits(partitionOrder, 4);
        const partLength = length >> partitionOrder;
        for (let part = 0, i = order; part < 1 << partitionOrder; part++) {
          const parameter = parameters[(1 << partitionOrder) + part]!;
          to.bits(parameter, 4);
          for (const end = (part + 1) * partLength; i < end; i++) to.rice(fold(residual[i]!), parameter);
        }
      },
    };
  };
}

/** Partitions are of equal length, and the first one has to be longer than the warm-up samples that it lacks. */
const isSplittable = (length: number, partitionOrder: number, order: number): boolean =>
  length % (1 << partitionOrder) === 0 && length >> partitionOrder > order;
