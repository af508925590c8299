// Look-ahead in held text with a bound, so that no text delays a judgement without end.

import { isLineBreak, isSpace } from '../character-class.ts';
import { characterAt } from '../code-points.ts';

/** `open`: more text may follow. `closed`: none will, or none is waited for. */
export type Ending = 'open' | 'closed';

export const MAX_SPACES = 64;

/** The end of the characters that pass `test` from `at`, at most `most` UTF-16 units on. */
export function skipWhile(text: string, at: number, most: number, test: (char: string) => boolean): number {
  const limit = Math.min(text.length, at + most);
  while (at < limit) {
    const char = characterAt(text, at);
    if (!test(char)) break;
    at += char.length;
  }
  return at;
}

/** Past the white space at `at`, a line break being the last of it. */
export function skipSpaces(text: string, at: number): number {
  const end = skipWhile(text, at, MAX_SPACES, (char) => isSpace(char) && !isLineBreak(char));
  if (end - at >= MAX_SPACES || !isLineBreak(characterAt(text, end))) return end;
  return text.startsWith('\r\n', end) ? end + 2 : end + 1;
}

/** The end of the white space at `at` within a line, and what follows it: a space when there is more than is looked at. */
export function skipBlanks(text: string, at: number): { readonly end: number; readonly after: string } {
  const end = skipWhile(text, at, MAX_SPACES, (char) => isSpace(char) && !isLineBreak(char));
  return { end, after: end - at >= MAX_SPACES ? ' ' : characterAt(text, end) };
}
