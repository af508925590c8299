// How much each sentence matters to the whole text. LexRank compares each with each, so it is done within stretches of
// the text first and then among the best of them: the time is linear in the text, with a bounded square on top.
// At most STRETCH² cosines for each STRETCH sentences, and ACROSS² for all: about 100 for each sentence of a long text.

import { lexRank } from './lex-rank.ts';
import { type SentenceVector, sentenceVectors } from './sentence-vectors.ts';
import type { SourceSentence } from './source-sentence.ts';

/** Sentences that are compared with each other: about ten pages. */
const STRETCH = 200;
/** The best of all stretches that are compared once more. */
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

/** Stretches of even length in the order of the text. */
function stretches(numbers: readonly number[]): number[][] {
  const count = Math.ceil(numbers.length / STRETCH);
  const length = Math.ceil(numbers.length / Math.max(1, count));
  return Array.from({ length: count }, (_, index) => numbers.slice(index * length, (index + 1) * length));
}

export function rankSentences(sentences: readonly SourceSentence[]): Ranked {
  const fit = sentences.filter((sentence) => sentence.unfit === undefined);
  const made = sentenceVectors(fit.map((sentence) => `${sentence.spoken} `));
  const vectors = sentences.map(() => NO_VECTOR);
  for (const [index, sentence] of fit.entries()) vectors[sentence.number] = made[index]!;

  const weights = sentences.map(() => 0);
  const groups = stretches(fit.map((sentence) => sentence.number));
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
