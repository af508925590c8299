// A cheap test of whether a document may have enough text for a script, without false refusals: it runs before the language is
// detected and sentences are cut, which cost as much for an empty file as for a book.

import type { SourceBlock } from './source-document.ts';
import { isUnspaced, wordCount, wordsOf } from './words.ts';

/** Less cannot be talked about. */
export const MIN_SCRIPT_WORDS = 25;
/** Three sentences that are not one another's repetition say at least so many different things. */
const MIN_DIFFERENT = 8;

const textOf = (block: SourceBlock): string =>
  block.kind === 'row' ? block.cells.map(({ name, value }) => `${name} ${value}`).join(' ') : block.text;

/** How a sentence ends somewhere; a paragraph without it holds no whole one (`endsAsSentence`). */
const END = /[.!?…。！？؟۔।॥።፧]/u;

/**
 * False when no script can be written of `blocks`: fewer than `MIN_SCRIPT_WORDS` words in items, rows and paragraphs of
 * sentences, or the same few over and over. Linear, and over with the first page of a text.
 */
export function hasRunningText(blocks: readonly SourceBlock[]): boolean {
  const different = new Set<string>();
  let words = 0;
  for (const block of blocks) {
    if (block.kind === 'heading') continue;
    // The beginning of a paragraph says as much about it, and a line of two million letters is one word.
    const text = textOf(block).slice(0, 2_000);
    if (block.kind === 'paragraph' && !END.test(block.text)) continue;
    words += wordCount(text);
    for (const word of wordsOf(text))
      for (const part of isUnspaced(word) ? word : [word]) different.add(part);
    if (words >= MIN_SCRIPT_WORDS && different.size >= MIN_DIFFERENT) return true;
  }
  return false;
}
