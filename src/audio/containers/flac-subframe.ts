// One block of 16-bit samples as a FLAC subframe (RFC 9639, 9.2): constant, fixed prediction of order 0–4, or
// verbatim, whichever is shortest. No linear prediction: on speech it saves a few percent for several times the work.

import type { BitWriter } from './bit-writer.ts';

const MAX_ORDER = 4;
const SAMPLE_BITS = 16;
/** Subframe types, 6 bits; a fixed predictor's order is added to its own. */
const CONSTANT = 0b000000;
const VERBATIM = 0b000001;
const FIXED = 0b001000;

/** Writes the first `length` samples, at least 1 and at most `blockLength`, in no more than 8 + 16 · length bits. */
export function createSubframeWriter(
  blockLength: number,
): (samples: Int32Array, length: number, to: BitWriter) => void {
  /** The residual of order n is the nth difference: [n][i] = [n − 1][i] − [n − 1][i − 1]. */
  const differences = Array.from({ length: MAX_ORDER + 1 }, () => new Int32Array(blockLength));
  const planRice = createRicePlanner();

  /** The order with the least sum of magnitudes, judged where all orders have a residual. */
  const bestOrder = (samples: Int32Array, length: number): number => {
    const most = Math.min(MAX_ORDER, length - 1);
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let order = 0; order <= most; order++) {
      const current = differences[order]!;
      const previous = differences[order - 1];
      if (previous === undefined) current.set(samples.subarray(0, length));
      else for (let i = order; i < length; i++) current[i] = previous[i]! - previous[i - 1]!;
      let sum = 0;
      for (let i = most; i < length; i++) sum += Math.abs(current[i]!);
      if (sum >= least) continue;
      least = sum;
      best = order;
    }
    return best;
  };

  /** A zero bit, the type, and no wasted bits. */
  const writeType = (type: number, to: BitWriter): void => to.bits(type << 1, 8);
  const writeSamples = (samples: Int32Array, count: number, to: BitWriter): void => {
    for (let i = 0; i < count; i++) to.bits(samples[i]!, SAMPLE_BITS);
  };

  return (samples, length, to) => {
    if (isConstant(samples, length)) {
      writeType(CONSTANT, to);
      return writeSamples(samples, 1, to);
    }
    const order = bestOrder(samples, length);
    const plan = planRice(differences[order]!, order, length);
    if (order * SAMPLE_BITS + plan.bits >= length * SAMPLE_BITS) {
      writeType(VERBATIM, to);
      return writeSamples(samples, length, to);
    }
    writeType(FIXED + order, to);
    writeSamples(samples, order, to);
    plan.write(to);
  };
}

function isConstant(samples: Int32Array, length: number): boolean {
  for (let i = 1; i < length; i++) if (samples[i] !== samples[0]) return false;
  return true;
}

type RicePlan = {
  /** The block has 2 to the power of this many partitions. */
  readonly partitionOrder: number;
  /** Upper bound of what `write` takes. */
  readonly bits: number;
  write(to: BitWriter): void;
};

/** Finer than eight partitions of at most 20 ms gains less than its parameters cost. */
const MAX_PARTITION_ORDER = 3;
/** 15 is the escape code of 4-bit parameters. A block that wanted more goes out verbatim. */
const MAX_PARAMETER = 14;

/** −1, 1, −2, 2 … → 1, 2, 3, 4 …, so that small residuals of either sign are small numbers. */
const fold = (residual: number): number => (residual << 1) ^ (residual >> 31);

/**
 * How the residual of a block is cut into partitions and which Rice parameter each gets (RFC 9639, 9.2.7). Chosen from sums
 * alone: Σ floor(uᵢ / 2ᵏ) ≤ floor(Σ uᵢ / 2ᵏ), so the cost that decides is never below the true one. Plans blocks one after the
 * other; a plan is good until the next one is made.
 */
function createRicePlanner(): (residual: Int32Array, order: number, length: number) => RicePlan {
  // A binary tree in one array: the partitions of order p are the nodes 2ᵖ … 2ᵖ⁺¹ − 1, the children of n 2n and 2n + 1.
  const sums = new Float64Array(2 << MAX_PARTITION_ORDER);
  const parameters = new Uint8Array(2 << MAX_PARTITION_ORDER);

  /** Chooses the node's parameter and says what its partition costs, its 4-bit parameter included. */
  const settle = (node: number, count: number): number => {
    const sum = sums[node]!;
    let parameter = 0;
    let cost = count + sum;
    let shifted = sum;
    for (let next = 1; next <= MAX_PARAMETER; next++) {
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
    while (finest < MAX_PARTITION_ORDER && isSplittable(length, finest + 1, order)) finest++;

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
