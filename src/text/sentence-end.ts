// Whether a sentence ends at a terminal: one judgement, made from the text around it and never before the
// look-ahead that it needs is there. Intl.Segmenter is not used: it ends sentences after "Dr." and inside
// addresses, and it cannot say that it does not know yet.

import {
  isAsciiDigit,
  isCloser,
  isLetter,
  isLineBreak,
  isLower,
  isOpener,
  isPictograph,
  isSpace,
  isUpper,
} from './character-class.ts';
import { characterAt } from './code-points.ts';
import { isListed, type SentenceRules } from './sentence-rules.ts';

/** `open`: more text may follow. `closed`: none will, or none is waited for. */
export type Ending = 'open' | 'closed';

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

/** `next`: where reading goes on. `end`: the sentence ends before it, closers and white space included. */
export type SentenceVerdict = { readonly next: number; readonly end: number | undefined };

const SENTENCE_TERMINAL = /\p{Sentence_Terminal}/u;
/** These end a sentence only before white space (or where a capital shows that the space was forgotten). */
const SPACED = '.!?…‼⁇⁈⁉;\u037e';
const INITIALS = /^\p{Lu}$|^(\p{L}\.)+\p{L}$/u;
const DASHES = '-–—―';
/** The longest runs looked through; more is taken as it is, so that no text makes the judgement wait for ever. */
const MOST_TERMINALS = 32;
const MOST_CLOSERS = 16;
const MOST_SPACES = 64;
const LONGEST_WORD = 24;
const LONGEST_TOKEN = 256;

export const isTerminal = (char: string, rules: SentenceRules): boolean =>
  char === '.' ||
  char === '!' ||
  char === '?' ||
  char === '…' ||
  rules.moreTerminals.includes(char) ||
  (char > '\u007f' && SENTENCE_TERMINAL.test(char));

/** The end of the characters that pass `test` from `at`, at most `most` UTF-16 units on. */
export function skipWhile(text: string, at: number, most: number, test: (char: string) => boolean): number {
  const limit = Math.min(text.length, at + most);
  while (at < limit) {
    const char = characterAt(text, at);
    if (!test(char)) break;
    at += char.length;
  }
  return at;
}

/** Past the white space at `at`, a line break being the last of it. */
export function skipSpaces(text: string, at: number): number {
  const end = skipWhile(text, at, MOST_SPACES, (char) => isSpace(char) && !isLineBreak(char));
  if (end - at >= MOST_SPACES || !isLineBreak(characterAt(text, end))) return end;
  return text.startsWith('\r\n', end) ? end + 2 : end + 1;
}

/** The end of the white space at `at` within a line, and what follows it: a space when there is more than is looked at. */
export function skipBlanks(text: string, at: number): { readonly end: number; readonly after: string } {
  const end = skipWhile(text, at, MOST_SPACES, (char) => isSpace(char) && !isLineBreak(char));
  return { end, after: end - at >= MOST_SPACES ? ' ' : characterAt(text, end) };
}

const isAddress = (token: string): boolean => /[/@\\]|^\P{L}*www\.|[?&=]./iu.test(token);

/** The word before a dot without the brackets, quotes and slashes in front of it. */
const lastWord = (token: string): string => token.replace(/^.*[\s\p{Ps}\p{Pi}"'/—–]/su, '');

/** The word at `at`, or undefined while it may still grow. */
function wordAt(place: TerminalPlace, at: number): string | undefined {
  const { text, ending } = place;
  const end = skipWhile(text, at, LONGEST_WORD, (char) => isLetter(char) || char === "'" || char === '’');
  if (end === text.length && ending === 'open' && end - at < LONGEST_WORD) return undefined;
  // An initial is no word: "J. A. Smith".
  return text[end] === '.' && end - at === 1 ? '' : text.slice(at, end).replaceAll('’', "'");
}

/** True for a token such as "Dr.", "U.S." or "J.", which belongs to what follows it. */
export function endsInAbbreviation(token: string, rules: SentenceRules): boolean {
  if (!token.endsWith('.')) return false;
  const word = lastWord(token.slice(-LONGEST_WORD, -1));
  return (
    INITIALS.test(word) ||
    [rules.never, rules.sometimes, rules.beforeNumber].some((list) => isListed(list, word))
  );
}

type Answer = 'ends' | 'goes on' | 'wait';

function startsSentence(place: TerminalPlace, at: number): Answer {
  const word = wordAt(place, at);
  if (word === undefined) return 'wait';
  return place.rules.starters.has(word) ? 'ends' : 'goes on';
}

/** After a single dot: what kind of word stands before it decides what the next one, at `at`, means. */
function judgeAbbreviation(place: TerminalPlace, at: number): Answer | undefined {
  const { text, tokenAt, rules } = place;
  const token = text.slice(Math.max(tokenAt, place.at - LONGEST_TOKEN), place.at);
  const word = lastWord(token);
  const next = characterAt(text, at);
  // The number or letter of a list item stands where a sentence begins.
  const first = place.opening !== 'continued' && text.slice(0, tokenAt).trim() === '';
  if (first && next !== '' && /^(\d{1,3}|[a-z]|[ivx]{1,4})$/i.test(word))
    return word === 'I' && rules.starters.size > 0 ? startsSentence(place, at) : 'goes on';
  if (isListed(rules.never, word)) return 'goes on';
  if (isListed(rules.beforeNumber, word)) return isAsciiDigit(next) ? 'goes on' : undefined;
  if (isListed(rules.usually, word)) return isUpper(next) || next === '' ? 'ends' : 'goes on';
  const ordinal = rules.ordinals === 'dotted' && /^\d{1,2}$/.test(word);
  if (!INITIALS.test(word) && !ordinal && !isListed(rules.sometimes, word)) return undefined;
  if (next === '') return 'ends';
  // Without a list of starters a name is the better guess after "J." or "3.", a new sentence after the rest.
  if (rules.starters.size === 0) return word.length === 1 || ordinal || !isUpper(next) ? 'goes on' : 'ends';
  return isUpper(next) ? startsSentence(place, at) : 'goes on';
}

/** No white space after the terminal: an address, a number, a file name — or a forgotten space. */
function judgeUnspaced(place: TerminalPlace, run: string, at: number): Answer {
  const next = characterAt(place.text, at);
  const token = place.text.slice(Math.max(place.tokenAt, place.at - LONGEST_TOKEN), place.at);
  if (!isUpper(next) || isAddress(token)) return 'goes on';
  if (run !== '.') return /^[.…]/.test(run) || token === '' ? 'goes on' : 'ends';
  return /^["'“‘(]*(\p{Lu}?\p{Ll}{2,}|\d+)$/u.test(token) && place.rules.starters.size > 0
    ? startsSentence(place, at)
    : 'goes on';
}

/** White space after the terminal: the case of what follows, and the word before a dot, decide. */
function judgeSpaced(place: TerminalPlace, run: string, closed: string, at: number): Answer {
  const { text, ending, opening } = place;
  const first = skipWhile(text, at, MOST_CLOSERS, (char) => isOpener(char) || isPictograph(char));
  if (first - at >= MOST_CLOSERS) return 'ends';
  if (first === text.length && ending === 'open') return 'wait';
  const next = characterAt(text, first);
  if (run === '.' && closed === '') {
    const answer = judgeAbbreviation(place, first);
    if (answer !== undefined) return answer;
  }
  if (run === '.' && next === '.') return 'goes on'; // An ellipsis set with spaces.
  if (closed !== '' && next !== '' && DASHES.includes(next)) return 'goes on';
  if (!isLower(next)) return 'ends';
  // Someone who never writes capitals still ends sentences, but "Why?" she asked is one.
  return opening === 'lower' && closed === '' && !/^(\.{2,}|…)/.test(run) ? 'ends' : 'goes on';
}

/** Judges the terminal at `place.at`. The answer for a text is the same for every way it was split. */
export function judgeTerminal(place: TerminalPlace): SentenceVerdict | 'wait' {
  const { text, at, ending, rules } = place;
  const waits = (end: number, most: number) => end === text.length && ending === 'open' && end < most;

  const next = skipWhile(text, at, MOST_TERMINALS, (char) => isTerminal(char, rules));
  if (waits(next, at + MOST_TERMINALS)) return 'wait';
  const closersEnd = skipWhile(text, next, MOST_CLOSERS, (char) => isCloser(char) || isPictograph(char));
  if (closersEnd - next >= MOST_CLOSERS) return { next, end: undefined };
  if (waits(closersEnd, next + MOST_CLOSERS)) return 'wait';

  const run = text.slice(at, next);
  const after = characterAt(text, closersEnd);
  const end = skipSpaces(text, closersEnd);
  const broken = end > closersEnd && isLineBreak(text[end - 1]!);
  if (broken) {
    const returnAlone = text[end - 1] === '\r' && end === text.length && ending === 'open';
    return returnAlone ? 'wait' : { next, end };
  }
  const spaced = [...run].every((char) => SPACED.includes(char));
  if (!spaced) {
    const continues = closersEnd > next && after !== '' && rules.afterQuote.includes(after);
    if (continues) return { next, end: undefined };
    return waits(end, closersEnd + MOST_SPACES) ? 'wait' : { next, end };
  }
  if (end - closersEnd >= MOST_SPACES) return { next, end };
  if (waits(end, closersEnd + MOST_SPACES)) return 'wait';
  const answer =
    end === closersEnd && after !== ''
      ? judgeUnspaced(place, run, closersEnd)
      : judgeSpaced(place, run, text.slice(next, closersEnd), end);
  return answer === 'wait' ? 'wait' : { next, end: answer === 'ends' ? end : undefined };
}
