// What the word before a dot says about the sentence: an abbreviation, an initial or an ordinal belongs to what
// follows it, unless what follows can only begin a sentence. Which words those are is the language's data.

import { isCaseless, isDigit, isLetter, isLower, isUpper } from '../character-class.ts';
import { characterAt } from '../code-points.ts';
import { type AbbreviationKind, abbreviationKind, type SentenceRules } from './sentence-rules.ts';
import { type Ending, skipWhile } from './skip.ts';

export type TerminalPlace = {
  readonly text: string;
  /** Where the terminal stands, and where the unbroken token that it belongs to begins. */
  readonly at: number;
  readonly tokenAt: number;
  readonly ending: Ending;
  readonly rules: SentenceRules;
  /** `continued`: `text` begins inside a sentence; `lower`: with a sentence that begins in lower case. */
  readonly opening: 'capital' | 'lower' | 'continued';
};

export type Answer = 'ends' | 'goes on' | 'wait';

/** "J", "U.S", "J.-P", and in scripts without case, where a letter carries its vowel signs, "ד", "पी.एच", "พ.ศ". */
const INITIALS =
  /^(\p{L}{1,3}-)?\p{Lu}$|^[\p{sc=Hebrew}\p{sc=Arabic}]$|^(\p{L}\.-?)+\p{L}$|^([\p{Lo}\p{M}]{1,5}\.)+[\p{Lo}\p{M}]{1,5}$/u;
const ANY_LETTER = /^\p{L}$/u;
/** The number or letter of a list item. */
const ITEM = /^(\p{Nd}{1,3}|[a-z]|[ivx]{1,4}|[\p{Lu}\p{sc=Hebrew}\p{sc=Arabic}])$/iu;
/** A number that may be counted by ("3.", "II.") or stand for a day ("3.5."). */
const ORDINAL = /^(\d{1,2}\.)?\d{1,3}$/;
const ROMAN = /^[IVX]{1,6}$/;
const YEAR = /^\d{4}$/;
/** The parts of an abbreviation that was set with spaces, before its last one. */
const PARTS_BEFORE = /(?<![\p{L}\p{M}\p{N}.۔])((?:\p{L}[\p{L}\p{M}]{0,4}[.۔]\s?){1,2})$/u;
const MAX_PARTS = 16;
/** The next part of one: a short word and, when it is dotted too, its dot. */
const PART_AFTER = /^(\p{L}[\p{L}\p{M}]{0,4})([.۔])?/u;
const MAX_PART = 5;
const NUMBER_BEFORE = /(\p{Nd}|(?<!\p{L})[IVXLC]+)\s+$/u;
const YEAR_BEFORE = /(\d{3,4}|[IVXLC]+)\s+$/u;
/** "2024. 5." before the day. */
const NUMERIC_DATE = /\d\.\s*$/;
/** A date that opens a sentence leads on into it: "В 1812 г. Наполеон …". */
const LEAD_WORDS = 3;
const MAX_WORD = 24;
const MAX_TOKEN = 256;

/** The part of the token before the terminal that matters. */
export const tokenBefore = (place: TerminalPlace): string =>
  place.text.slice(Math.max(place.tokenAt, place.at - MAX_TOKEN), place.at);

/** The word before a dot without the brackets, quotes and slashes in front of it; Hebrew writes quotes within words. */
const lastWord = (token: string): string =>
  token.replace(/^.*(?:[\s\p{Ps}\p{Pi}/—–۔]|(?<!\p{sc=Hebrew})["'’])/su, '');

/** The word at `at`, or undefined while it may still grow. */
function wordAt(place: TerminalPlace, at: number): string | undefined {
  const { text, ending } = place;
  const end = skipWhile(text, at, MAX_WORD, (char) => isLetter(char) || char === "'" || char === '’');
  if (end === text.length && ending === 'open' && end - at < MAX_WORD) return undefined;
  // An initial is no word: "J. A. Smith".
  return text[end] === '.' && end - at === 1 ? '' : text.slice(at, end).replaceAll('’', "'");
}

/** True for a token such as "Dr.", "U.S." or "J.", which belongs to what follows it. */
export function endsInAbbreviation(token: string, rules: SentenceRules): boolean {
  if (!token.endsWith('.')) return false;
  const word = lastWord(token.slice(-MAX_WORD, -1));
  const kind = abbreviationKind(rules, word);
  return ANY_LETTER.test(word) || INITIALS.test(word) || (kind !== undefined && kind !== 'usually');
}

/** How the dotted word before the dot at `place.at` is listed, its parts before it included; `initial`: a letter or more of a name. */
export function dottedKind(place: TerminalPlace): AbbreviationKind | 'initial' | undefined {
  const token = lastWord(tokenBefore(place));
  const word = token.slice(/^\p{Nd}[\p{Nd}.,]*(?=\p{L})/u.exec(token)?.[0].length ?? 0);
  const kind = kindOf(place.rules, partsBefore(place, word), word);
  return kind ?? (ANY_LETTER.test(word) || INITIALS.test(word) ? 'initial' : undefined);
}

export function startsSentence(place: TerminalPlace, at: number): Answer {
  const before = place.text[at - 1];
  if (before === '¿' || before === '¡') return 'ends';
  const word = wordAt(place, at);
  if (word === undefined) return 'wait';
  const { starters } = place.rules;
  // "L'" is listed for every word that it is elided before.
  const elided = word.slice(0, word.indexOf("'") + 1);
  return starters.has(word) || (elided !== '' && starters.has(elided)) ? 'ends' : 'goes on';
}

const mayBegin = (next: string): boolean => next === '' || isUpper(next) || isCaseless(next);

/** The dotted parts right before the word, joined: "z." before "B.". */
const partsBefore = ({ text, tokenAt, at }: TerminalPlace, word: string): string => {
  const end = Math.max(tokenAt, at - word.length);
  return PARTS_BEFORE.exec(text.slice(Math.max(0, end - MAX_PARTS), end))?.[1]?.replaceAll(/\s/gu, '') ?? '';
};

/** "z. B." and "и т. д." are listed without their spaces; the longest reading counts. */
function kindOf(rules: SentenceRules, parts: string, word: string): AbbreviationKind | undefined {
  const { abbreviations } = rules;
  const joined =
    parts === '' ? undefined : (abbreviations.get(parts + word) ?? abbreviations.get(lastPart(parts) + word));
  return joined ?? abbreviationKind(rules, word);
}

const lastPart = (parts: string): string => parts.replace(/^[^.۔]*[.۔](?=.)/u, '');

/** The next word, at `at`, is dotted too and completes a listed abbreviation: "a. C.". */
function isCompleted(place: TerminalPlace, parts: string, word: string, at: number): boolean | 'wait' {
  const { text, ending, rules } = place;
  const { abbreviations, abbreviationParts } = rules;
  const inChain = rules.starters.size === 0 && abbreviationKind(rules, word) === 'sometimes';
  if (!inChain && !abbreviationParts.has(word) && !abbreviationParts.has(parts + word)) return false;
  const ahead = text.slice(at, at + MAX_PART + 1);
  const [whole = '', next = '', dot] = PART_AFTER.exec(ahead) ?? [];
  if (whole !== '' && dot === undefined && at + whole.length === text.length && ending === 'open')
    return whole.length <= MAX_PART ? 'wait' : false;
  if (dot === undefined) return false;
  if (abbreviations.has(`${parts}${word}.${next}`) || abbreviations.has(`${word}.${next}`)) return true;
  const kind = inChain ? abbreviationKind(rules, next) : undefined;
  return kind === 'never' || kind === 'sometimes';
}

/** Few words stand between the beginning of the sentence and the token. */
function isLead({ text, tokenAt, opening }: TerminalPlace): boolean {
  return (
    opening !== 'continued' && text.slice(0, tokenAt).trim().split(/\s+/u, LEAD_WORDS).length < LEAD_WORDS
  );
}

function judgeUnit(place: TerminalPlace, digits: string, at: number): Answer {
  const { text, tokenAt } = place;
  const before = text.slice(Math.max(0, tokenAt - MAX_PARTS), tokenAt);
  if ((digits === '' && !NUMBER_BEFORE.test(before)) || !mayBegin(characterAt(text, at))) return 'goes on';
  return YEAR_BEFORE.test(before) && isLead(place) ? startsSentence(place, at) : 'ends';
}

/** After an ordinal the sentence goes on; after a plain number it says nothing. */
function judgeNumber(place: TerminalPlace, word: string, at: number): Answer | undefined {
  const { ordinals, ordinalHeads } = place.rules;
  const isRoman = ROMAN.test(word);
  const isYear = YEAR.test(word);
  if (ordinals === 'plain' || !(isRoman || isYear || ORDINAL.test(word))) return undefined;
  const next = characterAt(place.text, at);
  if (isDigit(next)) return 'goes on';
  if (isYear && isLower(next)) {
    // "2024. május 3."
    const following = wordAt(place, at);
    if (following === undefined) return 'wait';
    if (place.rules.counts.months.has(following)) return 'goes on';
  }
  if (isYear && !(ordinals === 'dotted-years' && isLead(place))) return undefined;
  if (isLower(next)) return 'goes on';
  if (!isUpper(next))
    return NUMERIC_DATE.test(place.text.slice(Math.max(0, place.tokenAt - MAX_PARTS), place.tokenAt))
      ? 'goes on'
      : undefined;
  if (isRoman || isYear || ordinals === 'dotted-nouns') return startsSentence(place, at);
  const following = wordAt(place, at);
  if (following === undefined) return ordinalHeads.size > 0 ? 'wait' : undefined;
  return ordinalHeads.has(following) ? 'goes on' : undefined;
}

/** Judges the single dot at `place.at` when `at` is where the next word begins; undefined: its word says nothing. */
export function judgeDottedWord(place: TerminalPlace, at: number): Answer | undefined {
  const { text, tokenAt, rules } = place;
  const token = lastWord(tokenBefore(place));
  const next = characterAt(text, at);
  // The number or letter of a list item stands where a sentence begins.
  const first = place.opening !== 'continued' && text.slice(0, tokenAt).trim() === '';
  if (first && next !== '' && ITEM.test(token))
    return token === 'I' && rules.starters.size > 0 ? startsSentence(place, at) : 'goes on';

  const digits = /^\p{Nd}[\p{Nd}.,]*(?=\p{L})/u.exec(token)?.[0] ?? '';
  const word = token.slice(digits.length);
  const parts = partsBefore(place, word);
  const kind = kindOf(rules, parts, word);
  if (kind === 'never') return 'goes on';
  if (kind === 'before-number' && isDigit(next)) return 'goes on';
  if (kind === 'usually') return mayBegin(next) ? 'ends' : 'goes on';
  if (kind === 'after-number') return judgeUnit(place, digits, at);
  const completed = mayBegin(next) && isCompleted(place, parts, word, at);
  if (completed === 'wait') return 'wait';
  if (completed) return 'goes on';
  const number = judgeNumber(place, word, at);
  if (number !== undefined) return number;
  if (kind !== 'sometimes' && !INITIALS.test(word)) return undefined;
  if (next === '') return 'ends';
  if (isUpper(next)) return startsSentence(place, at);
  // Without capitals a listed word that is also an ordinary one is trusted in a chain only.
  return kind === 'sometimes' && rules.starters.size === 0 && parts === '' ? undefined : 'goes on';
}
