// Whether a sentence ends at a terminal: one judgement, made from the text around it and never before the
// look-ahead that it needs is there. Intl.Segmenter is not used: it ends sentences after "Dr." and inside
// addresses, and it cannot say that it does not know yet.

import {
  isCaseless,
  isCloseBracket,
  isCloser,
  isDigit,
  isLineBreak,
  isLower,
  isOpener,
  isPictograph,
  isUpper,
  isWide,
} from '../character-class.ts';
import { characterAt, characterBefore } from '../code-points.ts';
import {
  type Answer,
  judgeDottedWord,
  startsSentence,
  type TerminalPlace,
  tokenBefore,
} from './dotted-word.ts';
import type { SentenceRules } from './sentence-rules.ts';
import { MAX_SPACES, skipBlanks, skipSpaces, skipWhile } from './skip.ts';

/** `next`: where reading goes on. `end`: the sentence ends before it, closers and white space included. */
export type SentenceVerdict = { readonly next: number; readonly end: number | undefined };

const SENTENCE_TERMINAL = /\p{Sentence_Terminal}/u;
/** These end a sentence only before white space (or where a capital shows that the space was forgotten). */
const SPACED = '.!?…‼⁇⁈⁉;\u037e';
/** What abbreviates a word: the last two are the Urdu stop and the full-width one. */
const DOTS = '.۔．';
const DASHES = '-–—―';
const ELLIPSIS = /^(\.{2,}|…+|۔{2,})$/;
/** A sentence that begins in lower case: "'s Avonds", "'n Man", and with the capital inside the word "uThemba". */
const SMALL_START = /^(['’‘ʼ]\p{Ll}\s\p{Lu}|.\p{Ll}{1,3}\p{Lu})/u;
const MAX_SMALL_START = 5;
/** The longest runs looked through; more is taken as it is, so that no text makes the judgement wait for ever. */
const MAX_TERMINALS = 32;
const MAX_CLOSERS = 16;

export const isTerminal = (char: string, rules: SentenceRules): boolean =>
  char === '.' ||
  char === '!' ||
  char === '?' ||
  char === '…' ||
  rules.moreTerminals.includes(char) ||
  char === rules.wordMark ||
  (char > '\u007f' && SENTENCE_TERMINAL.test(char));

const isAddress = (token: string): boolean => /[/@\\]|^\P{L}*www\.|[?&=]./iu.test(token);

/** The closers at `at`, those too that the language sets behind a space. */
function skipClosers(text: string, at: number, rules: SentenceRules): number {
  const isPart = (char: string) => isCloser(char) || isPictograph(char);
  const end = skipWhile(text, at, MAX_CLOSERS, isPart);
  if (rules.spacedClosers === '' || end - at >= MAX_CLOSERS) return end;
  const blanks = skipBlanks(text, end);
  if (blanks.after === '' || !rules.spacedClosers.includes(blanks.after)) return end;
  return skipWhile(text, blanks.end, MAX_CLOSERS, isPart);
}

/** No white space after the terminal: an address, a number, a file name — or a forgotten space. */
function judgeUnspaced(place: TerminalPlace, run: string, closed: string, at: number): Answer {
  const next = characterAt(place.text, at);
  const token = tokenBefore(place);
  if (run === '.' && isDigit(next)) return 'goes on';
  if (closed === '' && isCaseless(next)) {
    const before = characterBefore(place.text, place.at);
    const parts = run === '.' ? isWide(before) && isWide(next) : isCaseless(before) && !/^[.…]/.test(run);
    return parts && !/:\/\/|www\./.test(token) ? 'ends' : 'goes on';
  }
  if ((next === '¿' || next === '¡') && !isAddress(token)) return 'ends';
  if (!isUpper(next) || isAddress(token)) return 'goes on';
  if (run !== '.') return /^[.…]/.test(run) || token === '' ? 'goes on' : 'ends';
  return /^["'“‘(]*(\p{Lu}?\p{Ll}{2,}|\d+)$/u.test(token) && place.rules.starters.size > 0
    ? startsSentence(place, at)
    : 'goes on';
}

/** Behind a dash after direct speech a small letter goes on with who said it: "– Kommst du? – fragte er." */
function judgeDash({ text, ending }: TerminalPlace, at: number): Answer {
  const dashEnd = skipWhile(text, at, MAX_CLOSERS, (char) => DASHES.includes(char));
  const { end, after } = skipBlanks(text, dashEnd);
  if (after === '' && end === text.length && ending === 'open') return 'wait';
  return isLower(after) ? 'goes on' : 'ends';
}

/** The next word, at `at`, begins in lower case, yet it may be the first of a sentence. */
function judgeSmall({ text, ending }: TerminalPlace, at: number): Answer {
  const start = text.slice(at - 1, at - 1 + MAX_SMALL_START);
  if (SMALL_START.test(start)) return 'ends';
  return start.length < MAX_SMALL_START && ending === 'open' ? 'wait' : 'goes on';
}

/** Whether what stands at `at` is one of the beginnings with which a sentence goes on. */
function judgeBeginning({ text, ending }: TerminalPlace, at: number, beginnings: readonly string[]): Answer {
  for (const beginning of beginnings) {
    if (text.startsWith(beginning, at)) return 'goes on';
    if (ending === 'open' && beginning.startsWith(text.slice(at, at + beginning.length))) return 'wait';
  }
  return 'ends';
}

/** White space after the terminal: the case of what follows, and the word before a dot, decide. */
function judgeSpaced(place: TerminalPlace, run: string, closed: string, at: number): Answer {
  const { text, ending, opening, rules } = place;
  const first = skipWhile(text, at, MAX_CLOSERS, (char) => isOpener(char) || isPictograph(char));
  if (first - at >= MAX_CLOSERS) return 'ends';
  if (first === text.length && ending === 'open') return 'wait';
  const next = characterAt(text, first);
  if (run === '.') {
    const answer = judgeDottedWord(place, first);
    // "(ca. 5 Std.) Weg": in a bracket the dot is the abbreviation's alone.
    const inBracket = [...closed].some(isCloseBracket);
    if (answer !== undefined && (closed === '' || inBracket)) return inBracket ? 'goes on' : answer;
    if (next === '.') return 'goes on'; // An ellipsis set with spaces.
  }
  if (closed !== '') {
    const answer = judgeBeginning(place, first, rules.afterQuote);
    if (answer !== 'ends') return answer;
  }
  const caseless = closed === '' && isCaseless(characterBefore(text, place.at));
  if (caseless && ELLIPSIS.test(run)) return 'goes on';
  if (next !== '' && DASHES.includes(next)) {
    if (closed !== '') return 'goes on';
    return run === '.' ? 'ends' : judgeDash(place, first);
  }
  if (!isLower(next) || caseless) return 'ends';
  // Someone who never writes capitals still ends sentences, but "Why?" she asked is one.
  if (opening === 'lower' && closed === '' && !/^(\.{2,}|…)/.test(run)) return 'ends';
  return judgeSmall(place, first);
}

/** Angle brackets hold the title of a book, which is part of a sentence: 《怎么办？》. */
const isTitle = (closed: string): boolean => closed.includes('》') || closed.includes('〉');

/** A terminal that needs no white space after it: of a script without spaces, or a danda. */
function judgeWide(place: TerminalPlace, run: string, closed: string, closersEnd: number): Answer {
  const { text, at, rules } = place;
  const after = characterAt(text, closersEnd);
  if (closed !== '')
    return isTitle(closed)
      ? 'goes on'
      : judgeBeginning(place, skipSpaces(text, closersEnd), rules.afterQuote);
  if (run === rules.wordMark || ELLIPSIS.test(run)) return 'goes on';
  if (run.length === 1 && DOTS.includes(run)) {
    if (isDigit(characterBefore(text, at)) && isDigit(after)) return 'goes on';
    return judgeDottedWord(place, skipSpaces(text, closersEnd)) ?? 'ends';
  }
  return judgeBeginning(place, closersEnd, rules.afterOutcry);
}

/** Judges the terminal at `place.at`. The answer for a text is the same for every way it was split. */
export function judgeTerminal(place: TerminalPlace): SentenceVerdict | 'wait' {
  const { text, at, ending, rules } = place;
  const waits = (end: number, most: number) => end === text.length && ending === 'open' && end < most;

  const next = skipWhile(text, at, MAX_TERMINALS, (char) => isTerminal(char, rules));
  if (waits(next, at + MAX_TERMINALS)) return 'wait';
  const closersEnd = skipClosers(text, next, rules);
  if (closersEnd - next >= MAX_CLOSERS) return { next, end: undefined };
  if (waits(closersEnd, next + MAX_CLOSERS)) return 'wait';

  const run = text.slice(at, next);
  const closed = text.slice(next, closersEnd);
  const after = characterAt(text, closersEnd);
  const end = skipSpaces(text, closersEnd);
  const broken = end > closersEnd && isLineBreak(text[end - 1]!);
  if (broken) {
    const returnAlone = text[end - 1] === '\r' && end === text.length && ending === 'open';
    return returnAlone ? 'wait' : { next, end };
  }
  const spaced = [...run].every((char) => SPACED.includes(char));
  if (end - closersEnd >= MAX_SPACES) return { next, end };
  if (waits(end, closersEnd + MAX_SPACES)) return 'wait';
  const answer = !spaced
    ? judgeWide(place, run, closed, closersEnd)
    : end === closersEnd && after !== ''
      ? judgeUnspaced(place, run, closed, closersEnd)
      : judgeSpaced(place, run, closed, end);
  return answer === 'wait' ? 'wait' : { next, end: answer === 'ends' ? end : undefined };
}
