// The one way in which a sentence of the source may be changed before it is spoken: words are left out where the sentence
// stays whole without them. So what is said is always in the source, in the same order.

import { withoutEnd } from '../base/without-end.ts';
import { isUnspaced } from './words.ts';

/** Within a word ("colou(r)") a parenthesis belongs to it; elsewhere it is an aside. Nested ones take two rounds. */
const ASIDE =
  /(?<![\p{L}\p{N}])\s*(?:\([^()]*\)|\[[^[\]]*\])(?![\p{L}\p{N}])|（[^（）]*）|［[^［］]*］|【[^【】]*】/gu;
const CITATION_MARK = /(?:(?<![¹²³⁰⁴-⁹])[¹²³⁰⁴-⁹]+|(?<=\p{L}[.,;]?)[*†‡]+)(?=[\s.,;:]|$)/gu;
/** A mark without a space before it, and the number of a note behind the last stop. */
const GLUED_MARK = /(?<=\p{L}{3})\[(?:\d{1,3}(?:[,–-] ?\d{1,3})*|\p{Lu}[\w.:-]{1,20})\](?=[\s.,;:]|$)/gu;
/** How plain text stresses a word. */
const STRESS_MARK = /(?<=^|\s)[*_]+(?=\p{L})|(?<=\p{L}[.,;]?)_+(?=[\s.,;:!?]|$)/gu;
const NOTE_AT_END = /(?<=\p{Ll}{3}[.!?]["”’»]?)\d{1,3}(?:[,–-]\d{1,3})*$/u;
const BRACKETED = /\[[^[\]]*\]|［[^［］]*］/gu;
/** As much of the text before a mark as its last words take. */
const CHARACTERS_BEFORE_MARK = 40;
/** From the first of them. */
const SPACE_BEFORE_STOP = /(?<!\s)\s+(?=[.,;…。，；、])/gu;
const DOUBLED_STOP = /([,;])(?:\s*[,;])+/g;

const withoutAsides = (text: string): string => text.replace(ASIDE, '').replace(ASIDE, '');

/** `text` with a capital where it began with one. */
const capitalised = (text: string): string => {
  const first = text.match(/\p{L}/u)?.[0];
  return first === undefined ? text : text.replace(first, first.toLocaleUpperCase('und'));
};

/** "However, it rains." → "It rains.", where the connective is one of `connective` and a comma follows. */
function withoutConnective(text: string, connective: RegExp): string {
  const match = connective.exec(text);
  if (match === null) return text;
  const rest = text.slice(match[0].length).match(/^\s*[,，、،]\s*(.+)$/su)?.[1];
  return rest === undefined || rest.length < text.length / 3 ? text : capitalised(rest);
}

/** `connective` matches at the start only. What would be left without a word is returned as it was. */
export function spokenForm(text: string, connective: RegExp): string {
  const plain = withoutAsides(text)
    .replace(GLUED_MARK, '')
    .replace(NOTE_AT_END, '')
    .replace(CITATION_MARK, '')
    .replace(STRESS_MARK, '')
    .replace(SPACE_BEFORE_STOP, '')
    .replace(DOUBLED_STOP, '$1')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^[-–—•·▪*]+\s*/u, '');
  const spoken = withoutConnective(plain, connective);
  return /\p{L}/u.test(spoken) ? spoken : text;
}

/**
 * "As shown in [4], …" and "[4] shows …": without the mark they are no sentences. `binding` matches words that need
 * another behind them at the end of a text.
 */
export function needsItsCitation(text: string, binding: RegExp): boolean {
  for (const { index } of text.matchAll(BRACKETED)) {
    const before = text.slice(Math.max(0, index - CHARACTERS_BEFORE_MARK), index);
    if (index < 3 && /^[\s\p{P}]*$/u.test(before)) return true;
    if (!/[.!?;:]\s*$/u.test(before) && binding.test(before)) return true;
  }
  return false;
}

const ENDS = /[.!?…。！？؟۔।॥።፧]["'”’»)\]」』“]*$/u;

export const endsAsSentence = (text: string): boolean => ENDS.test(text);

/** An item as it is said in the middle of its list. */
export const withComma = (text: string): string => {
  const bare = withoutEnd(text, /[\s.。।]/u);
  if (/\p{sc=Arabic}/u.test(bare)) return `${bare}،`;
  return `${bare}${isUnspaced(bare) && !/\p{sc=Thai}/u.test(bare) ? '、' : ','}`;
};

/** A list's item or a table's line as a sentence. */
export const withFullStop = (text: string): string => {
  if (endsAsSentence(text)) return text;
  const bare = withoutEnd(text, /[\s,;:،、，；：]/u);
  if (/\p{sc=Devanagari}|\p{sc=Bengali}/u.test(bare)) return `${bare}।`;
  return `${bare}${isUnspaced(bare) && !/\p{sc=Thai}/u.test(bare) ? '。' : '.'}`;
};
