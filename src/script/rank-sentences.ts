// How much each sentence matters to the whole text. LexRank compares each with each, so it is done within sections of
// the text first and then among the best of them: the time is linear in the text, with a bounded square on top.
// At most SECTION² cosines for each SECTION sentences, and ACROSS² for all: about 100 for each sentence of a long text.

import { type SentenceVector, sentenceVectors, similarity } from './sentence-vectors.ts';
import type { SourceSentence } from './source-sentence.ts';

/** Sentences that are compared with each other: about ten pages. */
const SECTION = 200;
/** The best of all sections that are compared once more. */
const ACROSS = 500;
/** What opens a text or a section is often what it says; headings name what matters. */
const OPENING_BONUS = 0.25;
const NAMED_BONUS = 0.3;

export type Ranked = {
  /** By the number of the sentence; 0 for one that is not fit to be spoken. The mean of the others is about 1. */
  readonly weights: readonly number[];
  /** By the number of the sentence; empty for an unfit one. */
  readonly vectors: readonly SentenceVector[];
};

const NO_VECTOR: SentenceVector = new Map();

/** Sections of even length in the order of the text. */
function sections(numbers: readonly number[]): number[][] {
  const count = Math.ceil(numbers.length / SECTION);
  const length = Math.ceil(numbers.length / Math.max(1, count));
  return Array.from({ length: count }, (_, index) => numbers.slice(index * length, (index + 1) * length));
}

export function rankSentences(sentences: readonly SourceSentence[]): Ranked {
  const fit = sentences.filter((sentence) => sentence.unfit === undefined);
  const made = sentenceVectors(fit.map((sentence) => `${sentence.spoken} `));
  const vectors = sentences.map(() => NO_VECTOR);
  for (const [index, sentence] of fit.entries()) vectors[sentence.number] = made[index]!;

  const weights = sentences.map(() => 0);
  const groups = sections(fit.map((sentence) => sentence.number));
  for (const group of groups) {
    const ranks = lexRank(group.map((number) => vectors[number]!));
    for (const [index, number] of group.entries()) weights[number] = ranks[index]!;
  }
  if (groups.length > 1) {
    const best = groups
      .flatMap((group) =>
        [...group]
          .sort((a, b) => weights[b]! - weights[a]!)
          .slice(0, Math.max(1, Math.floor(ACROSS / groups.length))),
      )
      .slice(0, ACROSS);
    const ranks = lexRank(best.map((number) => vectors[number]!));
    for (const [index, number] of best.entries()) weights[number]! += ranks[index]!;
  }
  for (const sentence of fit) {
    const previous = sentences[sentence.number - 1];
    const opens = previous === undefined || previous.path !== sentence.path;
    const heading = sentence.path.at(-1)?.toLowerCase() ?? '';
    const named = heading !== '' && sentence.spoken.toLowerCase().includes(heading);
    weights[sentence.number]! += (opens ? OPENING_BONUS : 0) + (named ? NAMED_BONUS : 0);
  }
  return { weights, vectors };
}

const RESTART = 0.15;
/** A smaller similarity is chance. */
const MIN_COSINE = 0.08;
/** The error shrinks to 0.85 of itself each round: after 24, below two per cent. */
const ROUNDS = 24;

/**
 * LexRank (Erkan and Radev 2004): a sentence matters when sentences that matter resemble it. The stationary weights of a walk
 * along the cosines, with a small chance to begin anew anywhere. Their mean is 1. Time and memory go with the square of the
 * number of sentences; the caller bounds it.
 */
function lexRank(vectors: readonly SentenceVector[]): number[] {
  const size = vectors.length;
  const likeness = new Float64Array(size * size);
  const sums = new Float64Array(size);
  for (let a = 0; a < size; a += 1)
    for (let b = a + 1; b < size; b += 1) {
      const cosine = similarity(vectors[a]!, vectors[b]!);
      if (cosine < MIN_COSINE) continue;
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
