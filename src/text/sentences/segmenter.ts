// Cuts text into segments to be spoken: at sentence ends, at line breaks, and in run-on text at clause marks,
// words or characters, in that order. The cuts are a function of the text alone, however it was split into
// pushes: a place is judged once the look-ahead that it needs is there. Only `flush` and `idle` add cuts of
// their own. No character is looked at more than twice, so the time is linear in the text.

import type { Language } from '../../speech/language.ts';
import {
  isDigit,
  isGlue,
  isGraphemeBoundary,
  isLetter,
  isLineBreak,
  isLower,
  isSpace,
  isUnspaced,
  isWordCharacter,
} from '../character-class.ts';
import { characterAt, characterBefore } from '../code-points.ts';
import { type Boundary, isSpeakable, type Segment } from '../segment.ts';
import { isClauseMark, isDash, judgeClauseMark } from './clause-mark.ts';
import { endsInAbbreviation } from './dotted-word.ts';
import { createHeldText } from './held-text.ts';
import { sentenceRulesOf } from './language-rules.ts';
import { bondAt, isBoundByMark, isOpenCount, partsCount, readCount } from './number-bond.ts';
import { endsInAside, isShortUnit, readUnitMark } from './open-unit.ts';
import { freshScan } from './scan.ts';
import { isTerminal, judgeTerminal } from './sentence-end.ts';
import { type Ending, skipBlanks, skipSpaces, skipWhile } from './skip.ts';
import { lastWordStart } from './word-start.ts';

export type Cut = Pick<Segment, 'runs' | 'boundary'>;

/**
 * How long no text has come. `short`: what is complete enough is spoken. `long`: so is what is clearly unfinished, as it
 * stands.
 */
export type Pause = 'short' | 'long';

/** `first-clause`: the first segment may end early, at a clause mark or after some words, so that speech starts. */
export type Early = 'first-clause' | 'off';

export type Segmenter = {
  /** `text` stands at code point `start` of the caller's text and parts no surrogate pair. */
  push(text: string, start: number): void;
  /** A line ends here although the text has no line break (removed markup). */
  breakLine(): void;
  /** Everything held becomes segments. */
  flush(): void;
  /** No text has come for a while: what may be spoken after so long becomes segments. */
  idle(pause: Pause): void;
  /** Something is left out of the text here: sentences that have ended become segments, the rest goes on behind it. */
  gap(): void;
  /** UTF-16 units that wait for more text. */
  heldCharacters(): number;
};

// Lengths in UTF-16 units. A sentence of 250 is half again the longest that style guides allow, 20 seconds of
// speech; the character limit is far above any word.
const CLAUSE_FROM = 250;
const WORD_FROM = 500;
const CHARACTER_FROM = 1000;
/** Clusters that never end (hostile combining marks) are cut here. */
const CUT_ANYWAY = 1200;
const EARLY_CLAUSE_WORDS = 3;
const EARLY_WORDS = 8;
/** What is kept together beyond that (numbers, titles, a quotation) may grow to this many words and no further. */
const MAX_EARLY_WORDS = 12;
/** How far letters of a script without spaces that count one another may go on beyond a limit, in UTF-16 units. */
const MAX_UNSPACED_COUNT = 24;
/** Fewer words are not worth a segment of their own before something that belongs together. */
const MIN_WORDS_BEFORE = 3;
/** A word or a number that breaks off: "well-", "l'", "and/", "1,". The apostrophe may be its end, and waits in vain. */
const BREAKS_OFF = /[\p{L}\p{N}][-‐‑'’/&@_]$|\p{Nd}[.,:]$/u;
/** What may be an ordinal where those are written with a dot. */
const MAY_BE_ORDINAL = /(?:^|[^\p{Nd}.,:])\p{Nd}{1,3}\.\s*$/u;
const MAX_ORDINAL = 16;
/** Besides letters and numbers: what a word may begin with, so that none is parted from its punctuation. */
const OPENS_A_WORD = '([{"\'“‘«„‚¿¡$€£¥₹#@+';
/** What a letter of a script without spaces is of a word: words have two ideographs or kana, or about three Thai letters. */
const IDEOGRAPH_WORDS = 0.5;
const THAI_LETTER_WORDS = 0.375;

export function createSegmenter(
  options: { readonly language: Language | undefined; readonly early: Early },
  emit: (cut: Cut) => void,
): Segmenter {
  const rules = sentenceRulesOf(options.language);
  const held = createHeldText();
  let early = options.early;
  /** What stands before the held text: a sentence end, or a cut inside a sentence. */
  let continued = false;
  let scan = freshScan();

  function cut(end: number, boundary: Boundary) {
    if (scan.speaks) early = 'off';
    continued = boundary === 'clause' || boundary === 'words';
    scan = freshScan();
    emit({ runs: held.take(end), boundary });
  }

  const opening = () => {
    if (continued) return 'continued';
    const from = scan.firstLetterAt;
    const start = skipWhile(held.text(), from, scan.at - from, (char) => !isLetter(char));
    scan.firstLetterAt = start;
    return start < scan.at && isLower(characterAt(held.text(), start)) ? 'lower' : 'capital';
  };

  const wordsRead = () => Math.floor(scan.words + (scan.tokenSpeaks ? 1 : 0));
  const isEarlyAt = (words: number) =>
    early === 'first-clause' && wordsRead() >= words && !isShortUnit(scan.unit, wordsRead());

  const isOverdue = () => early === 'first-clause' && scan.words >= MAX_EARLY_WORDS;

  function readTo(end: number) {
    scan.at = end;
    return true;
  }

  function startToken(at: number) {
    scan.at = at;
    scan.tokenAt = at;
    scan.tokenSpeaks = false;
    scan.count = 'none';
    scan.bond = 'free';
  }

  /** A word ends at `end`, where a soft cut may fall unless it would part what belongs together. */
  function endWord(end: number, place: 'within' | 'word' | 'phrase', ending: Ending): boolean {
    const text = held.text();
    const token = text.slice(scan.tokenAt, scan.at);
    const count = readCount(scan.count, token, characterAt(text, end), rules.counts);
    const bond = bondAt(count, text, end, ending, rules.counts);
    if (bond === 'wait') return false;
    const isFree = place !== 'within' && bond === 'free';
    const phrase = place === 'phrase';
    const due = phrase
      ? isEarlyAt(EARLY_CLAUSE_WORDS) || end >= CLAUSE_FROM
      : isEarlyAt(EARLY_WORDS) || end >= WORD_FROM;
    if (isFree && due && end < text.length) {
      cut(end, phrase ? 'clause' : 'words');
      return true;
    }
    scan.words = wordsRead();
    if (isFree) [scan.wordEnd, scan.wordsToEnd] = [end, scan.words];
    if (scan.speaks && bond !== 'bound') scan.looseEnd = end;
    if (isFree && phrase) scan.clauseEnd = end;
    startToken(end);
    [scan.count, scan.bond] = [count, bond];
    return true;
  }

  /** Where an overdue cut falls whose turn it is before the token: there, or before the number that the token belongs to. */
  function overdueEnd(): number {
    if (scan.bond !== 'free' && scan.wordsToEnd >= MIN_WORDS_BEFORE) return scan.wordEnd;
    return scan.bond === 'bound' && scan.looseEnd > 0 ? scan.looseEnd : scan.tokenAt;
  }

  function readTerminal(ending: Ending): boolean {
    const verdict = judgeTerminal({
      text: held.text(),
      at: scan.at,
      tokenAt: scan.tokenAt,
      ending,
      rules,
      opening: opening(),
    });
    if (verdict === 'wait') return false;
    const { next, end } = verdict;
    if (end === undefined && held.text().slice(scan.at, next) === rules.wordMark)
      return next === held.text().length && ending === 'open'
        ? false
        : endWord(next, scan.speaks ? 'word' : 'within', ending);
    if (end === undefined || !scan.speaks) return readTo(next);
    const over = ending === 'closed' && end === held.text().length;
    if (!over && endsInAside(scan.unit, scan.at, held.text().slice(next, end))) return readTo(next);
    cut(end, isLineBreak(held.text()[end - 1]!) ? 'line' : 'sentence');
    return true;
  }

  function isBoundByClauseMark(clause: number): boolean {
    const text = held.text();
    const next = characterAt(text, clause);
    const token = text.slice(scan.tokenAt, scan.at);
    const count = token === '' ? scan.count : readCount(scan.count, token, next, rules.counts);
    return isBoundByMark(count, isDash(text[scan.at]!) ? 'dash' : 'other', next);
  }

  function readClauseMark(ending: Ending): boolean {
    const clause = judgeClauseMark(held.text(), scan.at, ending);
    if (clause === 'wait') return false;
    if (clause === undefined || !scan.speaks || isBoundByClauseMark(clause)) return readTo(scan.at + 1);
    scan.clauseEnd = clause;
    const over = ending === 'closed' && clause === held.text().length;
    if (over || !(isEarlyAt(EARLY_CLAUSE_WORDS) || clause >= CLAUSE_FROM)) return readTo(scan.at + 1);
    cut(clause, 'clause');
    return true;
  }

  function readLineBreak(char: string, ending: Ending): boolean {
    if (char === '\r' && scan.at + 1 === held.text().length && ending === 'open') return false;
    const end = skipSpaces(held.text(), scan.at);
    if (scan.speaks) cut(end, 'line');
    else startToken(end);
    return true;
  }

  function readSpace(char: string, ending: Ending): boolean {
    const text = held.text();
    const { end, after } = skipBlanks(text, scan.at);
    if (after === '' && ending === 'open') return false;
    const before = characterBefore(text, scan.at);
    const token = text.slice(scan.tokenAt, scan.at);
    if (scan.speaks && rules.finals.some((word) => token.endsWith(word))) {
      cut(end, 'sentence');
      return true;
    }
    const mayBreak =
      scan.speaks &&
      !isGlue(char) &&
      (after === '' || isWordCharacter(after) || OPENS_A_WORD.includes(after)) &&
      !(isDigit(before) && isDigit(after)) &&
      !endsInAbbreviation(token, rules);
    const isPhrase = rules.spaces === 'clause' && !isDigit(before) && !isDigit(after);
    return endWord(end, mayBreak ? (isPhrase ? 'phrase' : 'word') : 'within', ending);
  }

  /** Too long already, and no word begins near: but one that belongs to a number is worth a few letters more. */
  function isLongWithoutWord(isBound: (at: number) => boolean): boolean {
    if (!(scan.at >= WORD_FROM || isOverdue()) || !isGraphemeBoundary(held.text(), scan.at)) return false;
    const over = isOverdue() ? (scan.words - MAX_EARLY_WORDS) / THAI_LETTER_WORDS : scan.at - WORD_FROM;
    if (over >= MAX_UNSPACED_COUNT) return true;
    return (
      !isBound(scan.at) && lastWordStart(held.text(), scan.at, rules.neverFirst, () => false) === undefined
    );
  }

  function readUnspaced(char: string): boolean {
    if (isEarlyAt(EARLY_WORDS) || isOverdue() || scan.at >= WORD_FROM) {
      const text = held.text();
      const isBound = (at: number) => partsCount(text, at, scan.at + char.length, rules.counts);
      const end =
        lastWordStart(text, scan.at, rules.neverFirst, isBound) ??
        (isLongWithoutWord(isBound) ? scan.at : undefined);
      if (end !== undefined) {
        cut(end, 'words');
        return true;
      }
    }
    scan.words += char < '\u2e80' ? THAI_LETTER_WORDS : IDEOGRAPH_WORDS;
    scan.speaks = true;
    return readTo(scan.at + char.length);
  }

  function readCharacter(char: string): boolean {
    if (isUnspaced(char)) return readUnspaced(char);
    if (isWordCharacter(char) || isSpeakable(char)) {
      if (!scan.tokenSpeaks && scan.tokenAt > 0 && isOverdue()) {
        cut(overdueEnd(), 'words');
        return true;
      }
      scan.tokenSpeaks = true;
      scan.speaks = true;
    } else {
      readUnitMark(scan.unit, held.text(), scan.at, scan.speaks ? wordsRead() : undefined);
    }
    return readTo(scan.at + char.length);
  }

  /** Reads one character or cuts; false when more text must be seen first. */
  function step(ending: Ending): boolean {
    const char = characterAt(held.text(), scan.at);
    if (scan.at >= CHARACTER_FROM && (scan.at >= CUT_ANYWAY || isGraphemeBoundary(held.text(), scan.at))) {
      // Never far back, so that little is read again. A chain of numbers may be parted, a word that begins near is not.
      const before = scan.bond === 'bound' && scan.looseEnd >= WORD_FROM ? scan.looseEnd : scan.tokenAt;
      cut(before >= WORD_FROM ? before : scan.at, 'words');
      return true;
    }
    if (isLineBreak(char)) return readLineBreak(char, ending);
    if (isSpace(char)) return readSpace(char, ending);
    if (isTerminal(char, rules)) return readTerminal(ending);
    if (isClauseMark(char)) return readClauseMark(ending);
    return readCharacter(char);
  }

  function advance(ending: Ending) {
    while (scan.at < held.text().length && step(ending));
  }

  /** Reads what is held as if nothing followed; its length. */
  function readAll(): number {
    advance('closed');
    return held.text().length;
  }

  /** The same; how far that is complete enough to be spoken, 0: not at all. */
  function readFinished(): number {
    const mayBeOrdinal = rules.ordinals !== 'plain' && MAY_BE_ORDINAL.test(held.text().slice(-MAX_ORDINAL));
    if (!mayBeOrdinal) {
      const length = readAll();
      if (!isOpenAtEnd(held.text().slice(scan.tokenAt))) return length;
    }
    return Math.max(scan.clauseEnd, scan.wordsToEnd >= MIN_WORDS_BEFORE ? scan.wordEnd : 0);
  }

  /** The text, read to its end with `token` as its last one, clearly goes on. */
  function isOpenAtEnd(token: string): boolean {
    if (token === '') return scan.wordEnd < held.text().length;
    if (BREAKS_OFF.test(token) || endsInAbbreviation(token, rules)) return true;
    return isOpenCount(readCount(scan.count, token, '', rules.counts));
  }

  return {
    push(text, start) {
      held.push(text, start);
      advance('open');
    },
    breakLine() {
      advance('closed');
      if (scan.speaks) cut(held.text().length, 'line');
    },
    flush() {
      advance('closed');
      if (held.text() !== '') cut(held.text().length, 'end');
    },
    gap() {
      advance('closed');
      scan = freshScan();
      advance('open');
    },
    idle(pause) {
      const end = pause === 'long' ? readAll() : readFinished();
      if (end > 0 && scan.speaks) cut(end, end === scan.clauseEnd ? 'clause' : 'words');
      // What is left was read as if nothing followed it; now something may.
      scan = freshScan();
      advance('open');
    },
    heldCharacters: () => held.text().length,
  };
}
