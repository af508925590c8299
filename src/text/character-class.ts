// What a character is to the rules of this folder, for every script. ASCII is decided without a regular
// expression, since it is nearly all that is seen.

/** A test of one UTF-16 unit that is no half of a pair, for reading long texts: no string is made for it. */
function unitTest(test: (char: string) => boolean): (unit: number) => boolean {
  /** Of the basic plane: 0 unknown, 1 no, 2 yes. */
  let known: Uint8Array | undefined;
  return (unit) => {
    known ??= new Uint8Array(0x10000);
    if (known[unit] === 0) known[unit] = test(String.fromCharCode(unit)) ? 2 : 1;
    return known[unit] === 2;
  };
}

/**
 * A pattern for one character whose answers are remembered: a text is made of few different ones, and a pattern of Unicode
 * properties takes a hundred times as long as a table lookup.
 */
export function characterTest(pattern: RegExp): (char: string) => boolean {
  const ofUnit = unitTest((char) => pattern.test(char));
  return (char) => (char.length === 1 ? ofUnit(char.charCodeAt(0)) : pattern.test(char));
}

const LETTER_OR_NUMBER = characterTest(/[\p{L}\p{N}\p{M}]/u);
/** Anywhere in a text. */
export const UNSPACED_LETTER =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const UNSPACED = characterTest(UNSPACED_LETTER);
const UPPER = characterTest(/[\p{Lu}\p{Lt}]/u);
const LOWER = characterTest(/\p{Ll}/u);
const LETTER = characterTest(/\p{L}/u);
const CASELESS = characterTest(/[\p{Lo}\p{Lm}\p{M}]/u);
const WIDE = characterTest(/[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}]/u);
/** Final quotes too: they open in Swedish ”so” and German »so«. */
const OPENER = characterTest(/[\p{Ps}\p{Pi}\p{Pf}"'¿¡]/u);
/** Emphasis marks too: text whose markup is kept ends its sentences before them. */
const CLOSER = characterTest(/[\p{Pe}\p{Pf}\p{Pi}"'*_]/u);
/** Also what joins and varies them: variation selector 16, zero width joiner, enclosing keycap. */
const PICTOGRAPH = characterTest(
  /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\uFE0F|\u200D|\u20E3/u,
);
const LOW_QUOTES = '„‚';
/** White space as regular expressions have it. */
export const isWhite = characterTest(/\s/);
const DIGIT = characterTest(/\p{Nd}/u);
const OPEN_BRACKET = characterTest(/\p{Ps}/u);
const CLOSE_BRACKET = characterTest(/\p{Pe}/u);
const QUOTE = characterTest(/[\p{Pi}\p{Pf}]/u);
const OPEN_QUOTE = characterTest(/\p{Pi}/u);
const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** Clusters that people write are shorter than this many UTF-16 units (a family emoji has 11). */
const MAX_CLUSTER = 64;

export const isLineBreak = (char: string): boolean =>
  char === '\n' ||
  char === '\r' ||
  char === '\u2028' ||
  char === '\u2029' ||
  char === '\u0085' ||
  char === '\v' ||
  char === '\f';

/** White space, line breaks included. */
export const isSpace = (char: string): boolean =>
  char === ' ' || char === '\t' || isLineBreak(char) || (char > '\u007f' && isWhite(char));

export const isSpaceUnit = unitTest(isSpace);

/** White space that forbids a break (UAX #14 class GL): a number or a unit goes on behind it. */
export const isGlue = (char: string): boolean => char === '\u00a0' || char === '\u202f' || char === '\u2007';

export const isAsciiDigit = (char: string): boolean => char >= '0' && char <= '9' && char.length === 1;

/** A decimal digit of any script. */
export const isDigit = (char: string): boolean => isAsciiDigit(char) || (char > '\u007f' && DIGIT(char));

export const isWordCharacter = (char: string): boolean =>
  (char >= 'a' && char <= 'z') ||
  (char >= 'A' && char <= 'Z') ||
  isAsciiDigit(char) ||
  (char > '\u007f' && LETTER_OR_NUMBER(char));

/** Of a script that is written without spaces between words. */
export const isUnspaced = (char: string): boolean => char > '\u0dff' && LETTER(char) && UNSPACED(char);

export const isUnspacedUnit = unitTest(isUnspaced);

/** A letter, or a sign on one, of a script without capitals. */
export const isCaseless = (char: string): boolean => char > '\u036f' && CASELESS(char);

/** A letter of Chinese, Japanese or Korean: a mark beside it needs no space. */
export const isWide = (char: string): boolean => char > '\u10ff' && LETTER(char) && WIDE(char);

export const isUpper = (char: string): boolean => UPPER(char);
export const isLower = (char: string): boolean => LOWER(char);
export const isLetter = (char: string): boolean => LETTER(char);
export const isOpener = (char: string): boolean => OPENER(char);
export const isCloser = (char: string): boolean => CLOSER(char);
/** Low quotation marks are punctuation of that class too, but what closes them is not. */
export const isOpenBracket = (char: string): boolean =>
  char === '(' || (char !== '' && !LOW_QUOTES.includes(char) && OPEN_BRACKET(char));
export const isCloseBracket = (char: string): boolean => char === ')' || (char !== '' && CLOSE_BRACKET(char));
/** Corner brackets hold direct speech. */
export const isQuoteBracket = (char: string): boolean => '「『｢﹁﹃'.includes(char);
export const isQuote = (char: string): boolean =>
  char === '"' || (char > '\u00a0' && (LOW_QUOTES.includes(char) || QUOTE(char)));
export const isOpenQuote = (char: string): boolean => LOW_QUOTES.includes(char) || OPEN_QUOTE(char);
/** © and ® are pictographs by name only. */
export const isPictograph = (char: string): boolean => char > '\u00ff' && PICTOGRAPH(char);

/**
 * True when no grapheme cluster (UAX #29) spans the place before `at`. Looks back a bounded way and forward
 * one code point, so the answer is the same however the text was split.
 */
export function isGraphemeBoundary(text: string, at: number): boolean {
  const from = Math.max(0, at - MAX_CLUSTER);
  const window = text.slice(from, at + 2);
  return GRAPHEMES.segment(window).containing(at - from)?.index === at - from;
}
