// Whether a place between two words parts a number from what it counts or names: "14.30 Uhr", "page 12", "3 May 2024",
// "14 h 30". A number keeps the word behind it, whatever that is; the language's lists tell the rest.

import { isDigit, isLetter, isSpace, isWordCharacter } from '../character-class.ts';
import { characterAt } from '../code-points.ts';
import type { CountWords, WordList } from './count-words.ts';
import { type Ending, skipWhile } from './skip.ts';

/**
 * What the words before a place are: `label` "page", `month` "May", `number` "12" or "5 million", `numeral` "five" or "page 12",
 * `date` "May 3", `counted` "14 h", `dated` "3 May", `year-next` "3 May," or "3 de mayo de".
 */
export type CountState =
  | 'none'
  | 'label'
  | 'month'
  | 'number'
  | 'numeral'
  | 'date'
  | 'counted'
  | 'dated'
  | 'year-next';

/** `digits`: two numbers side by side, which may be one ("10 000"). `wait`: more text must be seen first. */
export type Bond = 'free' | 'digits' | 'bound';

/** The end of a longer token says as much. */
const MAX_TOKEN = 32;
/** The longest word of the lists, with room. */
const MAX_WORD = 24;
const MAX_BEFORE = 16;
const MAX_AFTER = 8;
const OPENERS = /^[^\p{L}\p{N}\p{M}\p{Sc}№#§%‰°]+/u;
/** Marks behind which a number has nothing to count any more. */
const CLOSERS = /[,;:،؛፣፤፥、，；：)\]}»”"!?…]+$/u;
const COMMA = /^[,،፣]/u;
const DASHES = /^[-–—―~〜～]+$/u;
/** Between two numbers, or a measure and what it is for: "20 km / h". */
const OPERATORS = /^[/×÷+=*±]$/u;
const SIGN = /[\p{Sc}№#§]$/u;
const FRACTION = /^[\u00bc-\u00be\u2150-\u215e]/u;
const DIGITS = /[\p{Nd}\u00bc-\u00be\u2150-\u215e][.º°ª'’′″]{0,2}$/u;
/** "3rd", "5-й", "30kg": digits and up to seven letters. */
const SUFFIXED = /\p{Nd}[-‑.’':]?([\p{L}\p{M}]{1,7})\.?$/u;
/** "I" is a word of several languages. */
const ROMAN = /^(?:[IVX]{2,7}|[VX])\.?$/u;
/** "XXe", "IIIa". */
const ROMAN_SUFFIXED = /^[IVX]{1,7}(\p{Ll}{1,4})$/u;
const MAY_BE_NUMBER = /[\p{Nd}\u00bc-\u00be\u2150-\u215eIVX№#§\p{Sc}]/u;
const BEGINS_NUMBER = /^[\p{Nd}\u00bc-\u00be\u2150-\u215eIVX№#§+\p{Sc}]/u;
const LAST_DOT = /\.$/u;
const MARKS_BEHIND = /[.,;:،؛፣፤፥、，；：)\]}»”"!?…]+$/u;

const NUMBERS: ReadonlySet<CountState> = new Set(['number', 'numeral', 'date']);

const beginsInDigits = (next: string): boolean => isDigit(next) || FRACTION.test(next);

const bareWord = (token: string): string =>
  (isLetter(token.slice(0, 1)) ? token : token.replace(OPENERS, '')).replace(LAST_DOT, '');

/** The state behind `token`, which nothing but white space parts from `next` ('': the text ends). */
export function readCount(state: CountState, token: string, next: string, words: CountWords): CountState {
  const part = token.length > MAX_TOKEN ? token.slice(-MAX_TOKEN) : token;
  // Nearly all words are none of it.
  if (state === 'none' && !BEGINS_NUMBER.test(next) && !MAY_BE_NUMBER.test(part)) {
    const isWord = isWordCharacter(part.slice(-1)) || part.endsWith('.');
    return isWord && words.numerals.has(bareWord(part)) ? 'numeral' : 'none';
  }
  if (DASHES.test(part)) return NUMBERS.has(state) ? state : 'none';
  if (OPERATORS.test(part)) return state === 'none' ? 'none' : 'numeral';
  const core = part.replace(OPENERS, '');
  if (core === '') return 'none';
  const closers = CLOSERS.exec(core);
  if (closers === null) return readOpen(state, core, next, words);
  const read = readOpen(state, core.slice(0, closers.index), '', words);
  return COMMA.test(closers[0]) && (read === 'dated' || read === 'date') ? 'year-next' : 'none';
}

function readOpen(state: CountState, core: string, next: string, words: CountWords): CountState {
  const word = core.replace(LAST_DOT, '');
  if (MAY_BE_NUMBER.test(core)) {
    const behind = SUFFIXED.exec(core)?.[1];
    const ending = behind ?? ROMAN_SUFFIXED.exec(core)?.[1];
    const isOrdinal = ending !== undefined && words.ordinalEnds.has(ending);
    if (DIGITS.test(core) || (isOrdinal && behind !== undefined))
      return state === 'month' ? 'date' : state === 'label' ? 'numeral' : 'number';
    if (ROMAN.test(core) || isOrdinal) return 'numeral';
    if (behind !== undefined) return words.months.has(behind) ? 'dated' : 'counted';
  }
  if (NUMBERS.has(state) && words.links.has(word)) return state;
  if (words.numerals.has(word)) return 'numeral';
  const isSign = SIGN.test(core);
  if (NUMBERS.has(state)) {
    return words.months.has(word) ? 'dated' : 'counted';
  }
  if (state === 'dated' && words.links.has(word)) return 'year-next';
  if (state === 'counted' && words.tails.has(word)) return 'counted';
  if (isSign) return 'label';
  // Labels and months matter before a number only.
  if (!BEGINS_NUMBER.test(next)) return 'none';
  if (words.labels.has(word)) return 'label';
  return words.months.has(word) ? 'month' : 'none';
}

/** Whether the word at `at` is one of `list`. */
function listedAt(list: WordList, text: string, at: number, ending: Ending): Bond | 'wait' {
  const end = skipWhile(text, at, MAX_WORD, (char) => !isSpace(char));
  const word = text.slice(at, end).replace(OPENERS, '').replace(MARKS_BEHIND, '');
  if (end < text.length || end - at >= MAX_WORD) return list.has(word) ? 'bound' : 'free';
  if (!list.mayBecome(word)) return 'free';
  return ending === 'open' ? 'wait' : 'bound';
}

/** What holds the words before `at`, of which `state` is known, and the one that begins there together. */
export function bondAt(
  state: CountState,
  text: string,
  at: number,
  ending: Ending,
  words: CountWords,
): Bond | 'wait' {
  if (state === 'none') return 'free';
  const next = characterAt(text, at);
  const isNumber = beginsInDigits(next);
  if (state === 'number') return isNumber ? 'digits' : 'bound';
  // These may be complete as well.
  if (state === 'numeral' || state === 'date') return next === '' ? 'free' : 'bound';
  if (isNumber) return 'bound';
  if (state === 'label') return next === '' || BEGINS_NUMBER.test(next) ? 'bound' : 'free';
  if (next === '') return 'free';
  if (words.unspaced !== undefined)
    return words.unspaced.beginsTail.test(text.slice(at, at + MAX_AFTER)) ? 'bound' : 'free';
  if (state === 'counted') return listedAt(words.tails, text, at, ending);
  return state === 'dated' ? listedAt(words.links, text, at, ending) : 'free';
}

/** A comma or a dash stands behind `state`, and `next` behind that: "May 3, 2024", "5 – 7 km". */
export const isBoundByMark = (state: CountState, mark: 'dash' | 'other', next: string): boolean =>
  beginsInDigits(next) && (state === 'date' || (mark === 'dash' ? NUMBERS.has(state) : state === 'dated'));

/** A label that is made of words, of which `after` may be a part only: Thai "วัน|ที่" before the day. */
function isInLabel(before: string, after: string, labels: readonly string[]): boolean {
  return labels.some((label) => {
    for (let at = 1; at < label.length; at += 1) {
      const rest = label.slice(at);
      if (before.endsWith(label.slice(0, at)) && (after.startsWith(rest) || rest.startsWith(after)))
        return true;
    }
    return false;
  });
}

/** The same at a place between two letters; the text before `limit` may be looked at. */
export function partsCount(text: string, at: number, limit: number, { unspaced }: CountWords): boolean {
  const before = text.slice(Math.max(0, at - MAX_BEFORE), at);
  if (unspaced === undefined) return isDigit(before.trimEnd().slice(-1));
  if (unspaced.endsInNumber.test(before)) return true;
  const after = text.slice(at, Math.min(limit, at + MAX_AFTER));
  const isCounted = unspaced.endsInCounted.test(before);
  if (isCounted && unspaced.beginsTail.test(after)) return true;
  if (isInLabel(before, after, unspaced.labels)) return true;
  return (isCounted || unspaced.endsInLabel.test(before)) && unspaced.beginsNumber.test(after);
}

/** What is counted is most likely still to come. */
export const isOpenCount = (state: CountState): boolean => state === 'number' || state === 'label';
