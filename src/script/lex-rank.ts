// LexRank (Erkan and Radev 2004): a sentence matters when sentences that matter resemble it. The stationary weights of a
// walk along the cosines, with a small chance to begin anew anywhere.

import { type SentenceVector, similarity } from './sentence-vectors.ts';

const RESTART = 0.15;
/** Fainter likeness is chance. */
const LEAST_COSINE = 0.08;
/** The error shrinks to 0.85 of itself each round: after 24, below two per cent. */
const ROUNDS = 24;

/** Weights whose mean is 1. Time and memory go with the square of the number of sentences; the caller bounds it. */
export function lexRank(vectors: readonly SentenceVector[]): number[] {
  const size = vectors.length;
  const likeness = new Float64Array(size * size);
  const sums = new Float64Array(size);
  for (let a = 0; a < size; a += 1)
    for (let b = a + 1; b < size; b += 1) {
      const cosine = similarity(vectors[a]!, vectors[b]!);
      if (cosine < LEAST_COSINE) continue;
      likeness[a * size + b] = cosine;
      likeness[b * size + a] = cosine;
      sums[a]! += cosine;
      sums[b]! += cosine;
    }
  let weights = new Float64Array(size).fill(1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = new Float64Array(size).fill(RESTART);
    for (let a = 0; a < size; a += 1) {
      const given = sums[a] === 0 ? 0 : ((1 - RESTART) * weights[a]!) / sums[a]!;
      if (given === 0) continue;
      for (let b = 0; b < size; b += 1) next[b]! += given * likeness[a * size + b]!;
    }
    weights = next;
  }
  return [...weights];
}
