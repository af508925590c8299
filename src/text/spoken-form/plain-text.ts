// What is done for every language before anything is looked for: digits of all scripts become those that the engine
// reads as one number, and what is never said is removed.

import { type MappedText, mapText, type Replacement, replaceMapped } from './mapped-text.ts';

/** Zeros of the decimal digits that people write numbers with (Unicode Nd, living scripts and full width). */
const ZEROS = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50,
  0x0ed0, 0x0f20, 0x1040, 0x17e0, 0x1810, 0xff10,
];
const digitOf = new Map(
  ZEROS.flatMap((zero) =>
    [...'0123456789'].map((digit, value) => [String.fromCodePoint(zero + value), digit]),
  ),
);
const FOREIGN_DIGIT = new RegExp(`[${[...digitOf.keys()].join('')}]`, 'gu');
const FULL_WIDTH_SIGN = /[％＋＝＄￥＆＃＠／：．～－](?=\d)|(?<=\d)[％：．／～－＋＝]/gu;
const FULL_WIDTH: Readonly<Record<string, string>> = { '￥': '¥' };
const FULL_WIDTH_OFFSET = 0xfee0;

/** Characters without a sound that part a word for the engine. Joiners stay: Indic and Arabic scripts need them. */
const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
const KEYCAP = /[0-9#*]\ufe0f?\u20e3/g;
/** Pictographs by property that are signs or punctuation to a reader. */
const SIGN = '[\\u00a9\\u00ae\\u2122\\u203c\\u2049\\u2139\\u2190-\\u21ff\\u3030\\u303d\\u3297\\u3299]';
const PICTOGRAPH = `(?!${SIGN})\\p{Extended_Pictographic}|\\p{Regional_Indicator}|\\p{Emoji_Modifier}`;
/** Variation selectors, keycap, joiner, tags of regional flags. */
const JOINING = '[\\ufe0e\\ufe0f]|\\u20e3|\\u200d|[\\u{e0020}-\\u{e007f}]';
const EMOJI = new RegExp(` ?(?:(?:${PICTOGRAPH})(?:${JOINING})*)+`, 'gu');
const NEEDS_NO_SPACE = /^(?:[\s\p{P}]|$)/u;
const MEANT_AS_SIGN = /\ufe0f/g;

const narrow = (sign: string) =>
  FULL_WIDTH[sign] ?? String.fromCodePoint(sign.codePointAt(0)! - FULL_WIDTH_OFFSET);

const deleted = () => '';

/** In the order in which they are done, each to the whole text. */
const REPLACEMENTS: readonly Replacement[] = [
  { pattern: UNSEEN, say: deleted },
  { pattern: KEYCAP, say: (keycap) => keycap.slice(0, 1) },
  {
    pattern: EMOJI,
    say: (emoji, at, text) =>
      NEEDS_NO_SPACE.test(text.slice(at + emoji.length, at + emoji.length + 2)) ? '' : ' ',
  },
  { pattern: MEANT_AS_SIGN, say: deleted },
  { pattern: FOREIGN_DIGIT, say: (digit) => digitOf.get(digit)! },
  { pattern: /(?<=\d)٫(?=\d)/g, say: () => '.' },
  { pattern: /(?<=\d)٬(?=\d)/g, say: () => ',' },
  { pattern: /٪/g, say: () => '%' },
  { pattern: FULL_WIDTH_SIGN, say: narrow },
];

/** Emoji and unseen characters gone, digits in ASCII, their Arabic and full-width marks too. Nothing else changes. */
export function toPlainText(text: string): string {
  return REPLACEMENTS.reduce((plain, { pattern, say }) => plain.replace(pattern, say), text);
}

/** The same text, and what each of its characters came from. */
export function toMappedPlainText(text: string): MappedText {
  return REPLACEMENTS.reduce(replaceMapped, mapText(text));
}
