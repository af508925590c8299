// How well a text was read from a page: sentences that are whole, and words beside each other that never were.

import { plainMarks, proseOf } from '../read-fixture.ts';

/** Paragraphs of our own text about lighthouses, as a keyboard has them. */
export const PARAGRAPHS: readonly string[] = proseOf('lighthouses.md')
  .paragraphs.map(plainMarks)
  .map((text) => text.replace(/–|—/g, '-'))
  .filter((text) => /^[\x20-\x7e]+$/.test(text))
  .slice(0, 14);

const SENTENCE = /(?<=[.!?]["')]?)\s+(?=["'(]?[A-Z])/;

export const SENTENCES: readonly string[] = PARAGRAPHS.flatMap((text) => text.split(SENTENCE));

const plain = (text: string): string => plainMarks(text).replace(/–|—/g, '-');

/** How many of them stand in `text` as they were. */
export const wholeIn = (text: string, sentences: readonly string[] = SENTENCES): number => {
  const read = plain(text);
  return sentences.filter((sentence) => read.includes(sentence)).length;
};

const wordsOf = (text: string): string[] => plain(text).match(/[\p{L}\p{N}'-]+/gu) ?? [];

/** Within sentences: whether one begins a paragraph, a page need not tell. */
const pairsOf = (texts: readonly string[]): string[] =>
  texts
    .flatMap((text) => plain(text).split(SENTENCE))
    .flatMap((sentence) => {
      const words = wordsOf(sentence);
      return words.slice(1).map((word, i) => `${words[i]} ${word}`);
    });

/** Words beside each other in a sentence of `blocks` that stand so nowhere in `source`. */
export function strangePairs(blocks: readonly string[], source: readonly string[] = PARAGRAPHS): string[] {
  const known = new Set(pairsOf(source));
  return [...new Set(pairsOf(blocks))].filter((pair) => !known.has(pair));
}

/** What `pdftotext` writes, with its lines joined as a person would. */
export const joinedLines = (text: string): string =>
  text.replace(/(\p{Ll})-\n(\p{Ll})/gu, '$1$2').replace(/\s+/g, ' ');
