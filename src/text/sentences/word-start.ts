// Where text without spaces between words may be cut: before a word, found by the dictionaries of ICU. Only the
// text before the place is looked at, so that no text must be waited for and every split gives the same place.

import { isUnspaced } from '../character-class.ts';
import { characterAt } from '../code-points.ts';

const WORDS = new Intl.Segmenter('und', { granularity: 'word' });
/** UTF-16 units looked back: several words of any of these languages; and how far back the cut may lie. */
const MAX_LOOK_BACK = 24;
const FARTHEST_BACK = 12;
/** A word is not parted from a Latin letter, a digit or an address before it. */
const ATTACHES = /[!-~]/;

/**
 * The start of the last word in `text` before `end` that may begin a segment, in UTF-16 units; undefined: none.
 * The word at `end` itself may still grow and counts as one that starts before it. `neverFirst`: what a segment
 * does not begin with, although a word may (particles). `isBound`: a place that would part what belongs together.
 */
export function lastWordStart(
  text: string,
  end: number,
  neverFirst: RegExp | undefined,
  isBound: (at: number) => boolean,
): number | undefined {
  let from = Math.max(0, end - MAX_LOOK_BACK);
  // A look back that begins between the halves of a pair would begin with half a character.
  if (from > 0 && text.charCodeAt(from) >= 0xdc00 && text.charCodeAt(from) <= 0xdfff) from += 1;
  const window = text.slice(from, end);
  let last: number | undefined;
  let lastWelcome: number | undefined;
  for (const { index, segment } of WORDS.segment(window)) {
    if (
      from + index < end - FARTHEST_BACK ||
      index === 0 ||
      !isUnspaced(characterAt(segment, 0)) ||
      ATTACHES.test(window[index - 1]!) ||
      isBound(from + index)
    )
      continue;
    last = from + index;
    if (neverFirst === undefined || !neverFirst.test(segment)) lastWelcome = last;
  }
  return lastWelcome ?? last;
}
