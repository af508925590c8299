// How many words a text will have, counted as it arrives and before it is cut: the basis of a session's memory estimate.

import { isSpaceUnit, isUnspacedUnit } from './character-class.ts';

/** What a letter of a script without spaces is of a word there: most words have two. */
const UNSPACED_SHARE = 0.6;
/** No text has more words than so many for each of its UTF-16 units, and one. */
export const MAX_WORDS_PER_UNIT = UNSPACED_SHARE;

export class WordCount {
  private spaced = 0;
  private unspaced = 0;
  private place: 'between' | 'word' = 'between';

  /** Reads what comes behind the text before. */
  read(text: string): void {
    let { spaced, unspaced, place } = this;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code <= 32 || (code > 0x7f && isSpaceUnit(code))) place = 'between';
      else if (code > 0xdff && isUnspacedUnit(code)) unspaced += 1;
      else if (place === 'between') {
        place = 'word';
        spaced += 1;
      }
    }
    this.spaced = spaced;
    this.unspaced = unspaced;
    this.place = place;
  }
  words(): number {
    return this.spaced + Math.ceil(this.unspaced * UNSPACED_SHARE);
  }
}
