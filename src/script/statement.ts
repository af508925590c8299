// What in a source is a statement that can be spoken, and what only stands on its pages: commands, comments and code,
// tables of contents, lists of references. And which of its statements carry a point by themselves.

import { withoutEnd } from '../base/without-end.ts';
import type { LanguageReader } from './language-reader.ts';
import type { SourceSentence } from './source-sentence.ts';

/** A comment, a prompt, a macro of a manual page, a tag: the whole line is for a machine. */
const CODE_OPENING = /^(?:#|\/\/|\/\*|\*\/|;;|[$%>]\s|--|\.[A-Z]{2}\b|<[a-z!/]|@\w)/u;
/** A macro of TeX or a formula in its signs cannot be said. */
const MACRO = /\\[a-zA-Z]{2,}|\\[#{}[\]()$]/u;
const BETWEEN_DOLLARS = /\$([^$]{1,120})\$/gu;
const CODE_WORD =
  /[=<>{}\\|`~^#]|[\p{L}\p{N}]_[\p{L}\p{N}]|\w\(\)|::|->|^--?[A-Za-z]|^\/\w|\w\/\w+\/|^\p{Ll}+\p{Lu}|^\.\w|^[$%@]\p{L}/u;
const MAX_CODE_SHARE = 0.2;
/** "Installing . . . . . 12" */
const DOT_LEADER = /(?:[.·]\s?){4,}|…{2,}|(?:\s\.){3,}/u;

const wordsIn = (text: string): string[] => text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
const isCodeWord = (word: string): boolean =>
  CODE_WORD.test(withoutEnd(word, /["'`”).,;:!?’]/u).replace(/^["'`“(‘]+/u, ''));

export const hasCodeWords = (text: string): boolean => wordsIn(text).some(isCodeWord);

const hasFormula = (text: string): boolean =>
  [...text.matchAll(BETWEEN_DOLLARS)].some(([, inside]) => /[\\^_{}=]|^\w$/u.test(inside!));

/** `text` is for a machine, or mostly so. */
export function isCode(text: string): boolean {
  if (CODE_OPENING.test(text) || /[{}]\s*$/u.test(text) || MACRO.test(text) || hasFormula(text)) return true;
  const words = wordsIn(text);
  return words.filter(isCodeWord).length > words.length * MAX_CODE_SHARE;
}

/** A line of a table of contents or of a list of sources. */
export const isContents = (text: string): boolean => DOT_LEADER.test(text) || SOURCE_ENTRY.test(text);

const CUT_OFF = /[,;:]\s*\d{1,2}\.$|(?<!\p{L})(?:i\.e|e\.g|cf|vs|d\. ?h|z\. ?B)\.$/u;
/** "3. Wheels of oak." */
const ENUMERATED = /^\(?\p{N}{1,2}[.)]\s/u;
/** "T. Author, A title, 2006." */
const SOURCE_ENTRY = /^\p{Lu}\.\s.*(?<!\d)(?:1[5-9]|20)\d{2}\.$/su;

/** A sentence that was cut in the middle of an aside or before a number ("…, and 5."), or that is an aside as a whole. */
export function isBroken(text: string): boolean {
  if (/^[(（][^()（）]*[)）][.。]?$/u.test(text) || CUT_OFF.test(text) || ENUMERATED.test(text)) return true;
  const count = (sign: RegExp) => text.match(sign)?.length ?? 0;
  if (count(/[([（［]/gu) !== count(/[)\]）］]/gu) || count(/[«「『]/gu) !== count(/[»」』]/gu)) return true;
  // German sets “ where English begins.
  const [opening, closing] = text.includes('„') ? [/„/gu, /[“”]/gu] : [/“/gu, /”/gu];
  if (/`[^`'’]*$/u.test(text)) return true;
  if (count(opening) !== count(closing) || count(/"/gu) % 2 === 1) return true;
  // Where ’ is an apostrophe as well, it tells nothing.
  if (!/\p{L}’\p{L}/u.test(text) && count(/‘/gu) !== count(/’/gu)) return true;
  // A quotation in single marks that ends here and began in a sentence before.
  if (/[.!?…]'$/u.test(text) && !/[`‘]|(?:^|\s)'/u.test(text)) return true;
  return /[.!?…]’$/u.test(text) && !text.includes('‘');
}

const WORDS_OF_CAPITALS = 4;

/** A heading's line, or a clause of a licence, in capitals nearly from end to end ("THE OLD MILL BY THE RIVER by A. Miller."). */
export function isCapitals(text: string): boolean {
  const capitals = text.match(/\p{Lu}[\p{Lu}’']+/gu)?.length ?? 0;
  return capitals >= WORDS_OF_CAPITALS && capitals > wordsIn(text).length / 2;
}

const MIN_LINES_OF_VERSE = 2;

/** "As I sweep Through the deep When the winds do blow." */
export function isVerse(text: string, { lineOpenings }: Pick<LanguageReader, 'lineOpenings'>): boolean {
  const inner = text.match(/(?<=[\p{L},;!—-]\s)\p{Lu}\p{Ll}*(?=\s)/gu) ?? [];
  return (
    inner.filter((word) => word !== 'I' && lineOpenings.has(word.toLowerCase())).length >= MIN_LINES_OF_VERSE
  );
}

/** How many quotations more a text opens than it closes. */
export const openQuotes = (text: string): number => {
  const count = (sign: RegExp) => text.match(sign)?.length ?? 0;
  const single = /\p{L}’\p{L}/u.test(text) ? 0 : count(/‘/gu) - count(/’/gu);
  return single + count(/“/gu) - count(/”/gu) + count(/«/gu) - count(/»/gu);
};

/** "Specifies the port.": the subject is a term that stands before it on the page. */
export function lacksSubject(spoken: string, { subjectless }: Pick<LanguageReader, 'subjectless'>): boolean {
  if (subjectless.test(spoken)) return true;
  // "f FILE Specifies a file.": the term has run into its explanation.
  for (const { index } of spoken.slice(0, 60).matchAll(/(?<=\s)\p{Lu}\p{Ll}/gu))
    if (subjectless.test(spoken.slice(index))) return true;
  return false;
}

export const asks = (text: string): boolean => /[?？؟]["”’»」』]*$/u.test(text);

/** "Words by an unknown hand." is a note, not a statement. */
const MIN_WORDS_OF_POINT = 6;

/** A sentence that is fit to be a point of its own: no item, no row, no question, no command, nothing that leans. */
export const isStatement = (
  { kind, spoken, text, unfit, leans, words }: SourceSentence,
  reader: Pick<LanguageReader, 'commands'>,
): boolean =>
  kind === 'sentence' &&
  unfit === undefined &&
  !leans &&
  words >= MIN_WORDS_OF_POINT &&
  !asks(text) &&
  !reader.commands.test(spoken) &&
  !hasCodeWords(spoken);
