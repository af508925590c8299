// Whether two sentences say the same to a listener: nearly all of their words in common, and the same numbers.

import { comparedTerms, wordsOf } from '../words.ts';

/** Of the words of both (Dice 1945). Two of three words in common are a parallel, four of five a repetition. */
const MIN_COMMON = 0.8;
const MIN_TERMS = 3;

const numbersIn = (text: string): string =>
  wordsOf(text)
    .filter((word) => /^\p{N}/u.test(word))
    .join(' ');

export function saysTheSame(one: string, other: string): boolean {
  const a = new Set(comparedTerms(one));
  const b = new Set(comparedTerms(other));
  if (Math.min(a.size, b.size) < MIN_TERMS || numbersIn(one) !== numbersIn(other)) return false;
  let common = 0;
  for (const term of a) if (b.has(term)) common += 1;
  return (2 * common) / (a.size + b.size) >= MIN_COMMON;
}
