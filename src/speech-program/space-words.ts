// Thai is written without spaces and eSpeak NG reads word by word: spaces between the words of a Thai line, and the way
// back from what was spaced to what was written.

import type { Language } from '../speech/language.ts';
import { codePointLength } from '../text/code-points.ts';

const THAI_WORDS = new Intl.Segmenter('th', { granularity: 'word' });

const wordsOf = (text: string): string[] => [...THAI_WORDS.segment(text)].map((part) => part.segment);

/** Other languages are returned as they are. */
export const spaceWords = (text: string, language: Language): string =>
  language === 'thai' ? wordsOf(text).join(' ') : text;

/** For a code point of `spaceWords(text, language)`, which one of `text` it is; a new space is the next word's first. */
export function createUnspaced(text: string, language: Language): (codePoint: number) => number {
  if (language !== 'thai') return (codePoint) => codePoint;
  const places: number[] = [];
  let at = 0;
  for (const word of wordsOf(text)) {
    if (at > 0) places.push(at);
    for (const end = at + codePointLength(word); at < end; at += 1) places.push(at);
  }
  return (codePoint) => places[codePoint] ?? at;
}
