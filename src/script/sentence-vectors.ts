// Sentences as vectors: how often a term stands in a sentence, times how rare it is among the sentences (TF-IDF), at
// length one, so that the product of two is the cosine of their angle.

import { comparedTerms } from './words.ts';

export type SentenceVector = ReadonlyMap<number, number>;

/** A term in more than this share of the sentences joins everything with everything and says nothing. */
const MAX_SHARE = 0.5;

export function sentenceVectors(texts: readonly string[]): SentenceVector[] {
  const numbers = new Map<string, number>();
  const sentencesWith: number[] = [];
  const counted = texts.map((text) => {
    const counts = new Map<number, number>();
    for (const term of comparedTerms(text)) {
      let number = numbers.get(term);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(term, number);
        sentencesWith.push(0);
      }
      const count = counts.get(number) ?? 0;
      if (count === 0) sentencesWith[number]! += 1;
      counts.set(number, count + 1);
    }
    return counts;
  });
  const most = Math.max(1, texts.length * MAX_SHARE);
  return counted.map((counts) => {
    const vector = new Map<number, number>();
    let squares = 0;
    for (const [term, count] of counts) {
      const within = sentencesWith[term]!;
      if (within > most) continue;
      const weight = (1 + Math.log(count)) * Math.log(1 + texts.length / within);
      vector.set(term, weight);
      squares += weight * weight;
    }
    const length = Math.sqrt(squares) || 1;
    for (const [term, weight] of vector) vector.set(term, weight / length);
    return vector;
  });
}

export function similarity(a: SentenceVector, b: SentenceVector): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [term, weight] of few) sum += weight * (many.get(term) ?? 0);
  return sum;
}
