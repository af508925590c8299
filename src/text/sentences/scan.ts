// What the segmenter knows of the text that it holds, as far as it has read it.

import type { Bond, CountState } from './number-bond.ts';
import { noOpenUnit, type OpenUnit } from './open-unit.ts';

export type Scan = {
  /** Everything before it has been judged. */
  at: number;
  /** Where the token that is being read begins, and whether it holds anything to say. */
  tokenAt: number;
  tokenSpeaks: boolean;
  /** Whole words so far, and fractions for letters of a script without spaces. */
  words: number;
  speaks: boolean;
  unit: OpenUnit;
  /** The first letter, or how far there has been none. */
  firstLetterAt: number;
  /** The last places where a cut may fall: after a clause, after a word, and how many words stand before it. 0: none. */
  clauseEnd: number;
  wordEnd: number;
  wordsToEnd: number;
  /** The last place between two words that parts no number from what it counts, although it may part other things. */
  looseEnd: number;
  /** What the words before the token are, and what holds them and the token together. */
  count: CountState;
  bond: Bond;
};

export const freshScan = (): Scan => ({
  at: 0,
  tokenAt: 0,
  tokenSpeaks: false,
  words: 0,
  speaks: false,
  unit: noOpenUnit(),
  firstLetterAt: 0,
  clauseEnd: 0,
  wordEnd: 0,
  wordsToEnd: 0,
  looseEnd: 0,
  count: 'none',
  bond: 'free',
});
