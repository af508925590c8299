// The brackets and quotations that are open while a sentence is read: a short one is kept together by early
// cuts, and the sentences of a bracket within a sentence do not end that one.

import {
  isCloseBracket,
  isOpenBracket,
  isOpenQuote,
  isQuote,
  isQuoteBracket,
  isSpace,
  isUnspaced,
} from '../character-class.ts';
import { characterAt, characterBefore } from '../code-points.ts';

export type OpenUnit = {
  brackets: number;
  /** Where the outermost of them opened in the middle of a sentence, or -1, and whether it holds direct speech. */
  asideAt: number;
  asideIsQuote: boolean;
  quoted: boolean;
  /** A quotation that opened right behind a word, without colon or comma: it is a part of that sentence. */
  inlineQuote: boolean;
  /** Words there were when the open bracket or quotation began. */
  sinceWords: number;
};

/** A bracket or quotation is kept together for this many words by early cuts, a bracket this long by sentence ends. */
const SHORT_UNIT_WORDS = 4;
const MAX_ASIDE = 200;
/** Only where letters have no case: elsewhere the case of what follows a quotation tells. */
const FOLLOWS_A_WORD = /(?![\u0300-\u036f])[\p{Lo}\p{M}]\s*$/u;
const MAX_BLANKS = 4;

export const noOpenUnit = (): OpenUnit => ({
  brackets: 0,
  asideAt: -1,
  asideIsQuote: false,
  quoted: false,
  inlineQuote: false,
  sinceWords: 0,
});

/** Which of two like marks opens is told by what stands before it; languages set the same marks either way round. */
const opensQuotation = (char: string, before: string): boolean =>
  before === '' || isSpace(before) || isOpenBracket(before) || (isUnspaced(before) && isOpenQuote(char));

/** Follows a bracket or quotation mark at `at`; `words` were read before it, undefined: nothing that is spoken. */
export function readUnitMark(unit: OpenUnit, text: string, at: number, words: number | undefined): void {
  const char = characterAt(text, at);
  if (isOpenBracket(char)) {
    if (unit.brackets === 0) {
      unit.asideAt = words === undefined ? -1 : at;
      unit.asideIsQuote = isQuoteBracket(char);
    }
    unit.brackets += 1;
    unit.sinceWords = words ?? 0;
  } else if (isCloseBracket(char)) {
    unit.brackets = Math.max(0, unit.brackets - 1);
    if (unit.brackets === 0) unit.asideAt = -1;
  } else if (isQuote(char)) {
    unit.quoted = opensQuotation(char, characterBefore(text, at));
    unit.inlineQuote = unit.quoted && FOLLOWS_A_WORD.test(text.slice(Math.max(0, at - MAX_BLANKS), at));
    unit.sinceWords = words ?? 0;
  }
}

export const isShortUnit = (unit: OpenUnit, words: number): boolean =>
  (unit.quoted || unit.brackets > 0) && words - unit.sinceWords < SHORT_UNIT_WORDS;

/** A terminal at `at` whose closers stand in `closers` belongs to an aside, not to the sentence around it. */
export function endsInAside(unit: OpenUnit, at: number, closers: string): boolean {
  if (unit.inlineQuote && unit.quoted && [...closers].some(isQuote)) return true;
  if (unit.asideAt < 0 || at - unit.asideAt > MAX_ASIDE) return false;
  let open = unit.brackets;
  for (const char of closers) if (isCloseBracket(char)) open -= 1;
  return open > 0 || !unit.asideIsQuote;
}
