// Running text without what was there for the eye only: addresses, marks of notes and sources, soft hyphens,
// ligatures, invisible characters. Words are never changed otherwise; ² and ³ of a unit stay.

import { normalized } from './stream-safe.ts';

/** Characters that only typesetting needs. The joiners U+200C and U+200D stay: Persian and Hindi are spelt with them. */
const INVISIBLE =
  /[\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffd]|[\ufe0e\ufe0f]/g;
const PRIVATE = /[\p{Co}\p{Cs}]/gu;
/** Ligatures and the Arabic presentation forms: the only compatibility characters whose plain form says the same. */
const JOINED = /[\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]/g;

const plainForms = new Map<string, string>();
/** Each is looked up in Unicode's tables once; there are some 900. */
function plainForm(char: string): string {
  const plain = plainForms.get(char) ?? char.normalize('NFKC');
  plainForms.set(char, plain);
  return plain;
}

/** What looks ahead goes no further than what then matches, so that nothing is looked through twice. */
const SCHEME = String.raw`(?:https?|ftp|file|mailto|tel|doi|urn|isbn):(?=[^\s<>«»“”"]*[\w/])`;
const ADDRESS = new RegExp(
  [
    String.raw`${SCHEME}[^\s<>«»“”"]+`,
    String.raw`\bwww\d?\.[^\s<>«»“”"]+`,
    // A name of a host with a path: example.org/page.
    // From its beginning only: a line of letters and hyphens is not tried from each of them.
    String.raw`(?<!\w-?)(?=[a-z\d])(?:[a-z\d-]{1,63}\.){1,5}[a-z]{2,12}\/[^\s<>«»“”"]*`,
    String.raw`\b10\.\d{4,9}\/[^\s<>«»“”"]+`,
    // Only from its beginning: a line of two million letters is not tried from each of them.
    String.raw`(?<![\w.+%-])[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,5}[a-z]{2,24}\b`,
  ].join('|'),
  'giu',
);
/** What leads to an address and says nothing without it. */
const LEAD =
  /[\s:]*(?:\b(?:(?:online|available|retrieved|accessed|see|read more|more)\s+)?(?:at|from|on|via|see|to|under|unter|auf|an|siehe|sur|voir|à|chez|en|url|doi|link|e-?mail|web))?[\s:]*$/i;
/** Longer than any such words; a longer run of blanks and colons keeps its beginning. */
const MAX_LEAD_CHARS = 80;
/** A sentence of no more words than these was there for the address in it. */
const MIN_OWN_WORDS = 9;

/** Where an address was, while the text is being cleaned: a private character, of which none is left by then. */
const GAP = '\ue000';

const CITATION =
  /\s?\[(?:\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20}|[a-z]|(?:note|nb|anm\.?|fn\.?)\s?\d{1,3}|citation needed|edit|sic!?|\^|↩|↑)\](?!\()/gi;
const UNIT_BEFORE = /(?:^|[\s\d(/·])(?:[kcdmµ]?m|ft|in|yd|mi|s|x|y|r|[a-z])$/i;
const RAISED = /[¹²³⁰⁴-⁹]+/g;
const MARKS = /[†‡⁂※↩↑⏎]\ufe0e?/g;
/** An asterisk that hangs on a word, not one that stands between two. */
const ASTERISK = /(?<=[\p{L}\p{N}.,;:!?)»”"'])\*{1,3}(?=$|[\s.,;:!?)])/gu;
/** One that stands before a word, whose other one this is: both are signs of the text. */
const OPEN_ASTERISK = /(?:^|[\s("'“‘«])\*{1,3}[\p{L}\p{N}][^*]*$/u;
const MAX_STARRED_CHARS = 80;

/** White space and control characters of any sort and number as one space: what follows is not linear in them. */
export const collapse = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ');

/** One line in letters as a keyboard has them; a ligature may become as many as 18 of them. */
export const plainLetters = (text: string): string =>
  normalized(collapse(text).replace(INVISIBLE, '').replace(PRIVATE, '').replace(JOINED, plainForm));

/** One line of clean text; empty when nothing of it is to be read. */
export const cleanText = (text: string): string => withoutClutter(plainLetters(text));

/** Of plain letters, what is to be read. */
export function withoutClutter(text: string): string {
  return (
    withoutAddresses(text)
      .replace(CITATION, '')
      .replace(RAISED, (digits, at: number, whole: string) =>
        keepPower(digits, whole.slice(Math.max(0, at - 6), at)),
      )
      .replace(MARKS, '')
      .replace(ASTERISK, (mark, at: number, whole: string) =>
        OPEN_ASTERISK.test(whole.slice(Math.max(0, at - MAX_STARRED_CHARS), at)) ? mark : '',
      )
      // Single blanks first: empty brackets are looked for by the square of the blanks in them.
      .replace(/\s+/g, ' ')
      .replace(/\( ?[,;.]* ?\)|\[ ?\]|< ?>/g, '')
      .replace(/\s+/g, ' ')
      .replace(/ ([,.)\]](?!\d))/g, (_, mark: string) => mark)
      .replace(/([([]) /g, '$1')
      .trim()
  );
}

/** `m²` and `10⁶` are read aloud; `word²` and `end.³` are marks of notes. */
function keepPower(digits: string, before: string): string {
  const isSquare = /^[²³]$/.test(digits) && UNIT_BEFORE.test(before);
  return isSquare || /(?:^|\D)10$/.test(before) ? digits : '';
}

/**
 * Takes each address out with its brackets or the word that leads to it, and with the whole sentence where that was
 * only about the address.
 */
function withoutAddresses(text: string): string {
  const marked = text.replace(ADDRESS, (address) => GAP + closingMarks(address));
  if (!marked.includes(GAP)) return text;
  return sentencesOf(marked)
    .filter((sentence) => !isAboutAddress(sentence))
    .map(withoutGaps)
    .join('');
}

const CLOSING = new Set(').,;:!?»]');

/** The punctuation at its end, which belongs to the sentence around it. */
function closingMarks(address: string): string {
  let from = address.length;
  while (from > 0 && CLOSING.has(address[from - 1]!)) from--;
  return address.slice(from);
}

const STOPS = /[.!?…]+[)»”"]*/gu;

/** Each with the blanks behind it. A run of stops is looked at once. */
function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let from = 0;
  for (const { 0: stops, index } of text.matchAll(STOPS)) {
    let end = index + stops.length;
    if ((index === from && !/^[.!?…]{2}/.test(stops)) || (end < text.length && !/\s/.test(text[end]!)))
      continue;
    while (end < text.length && /\s/.test(text[end]!)) end++;
    sentences.push(text.slice(from, end));
    from = end;
  }
  if (from < text.length) sentences.push(text.slice(from));
  return sentences;
}

/** Without its addresses and what leads to each; only the end before an address is looked at. */
function withoutGaps(sentence: string): string {
  const [first = '', ...rest] = sentence.split(GAP);
  const kept: string[] = [];
  let end = first;
  for (const next of rest) {
    kept.push(end.slice(0, -MAX_LEAD_CHARS));
    end = end.slice(-MAX_LEAD_CHARS).replace(LEAD, ' ') + next;
  }
  return kept.join('') + end;
}

/** In brackets an address is an aside, whatever the sentence is about. */
const isAboutAddress = (sentence: string): boolean =>
  sentence.includes(GAP) &&
  !hasAside(sentence) &&
  (sentence.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) < MIN_OWN_WORDS;

/** Whether a bracket opens before an address and has not closed by then. */
function hasAside(sentence: string): boolean {
  for (
    let gap = sentence.indexOf(GAP), from = 0;
    gap !== -1;
    from = gap, gap = sentence.indexOf(GAP, gap + 1)
  ) {
    const since = sentence.slice(from, gap);
    if (since.lastIndexOf('(') > since.lastIndexOf(')')) return true;
  }
  return false;
}

/** True when nothing in it could be spoken. */
export const isBlank = (text: string): boolean => !/[\p{L}\p{N}]/u.test(text);
