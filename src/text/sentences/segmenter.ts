// Cuts text into segments to be spoken: at sentence ends, at line breaks, and in run-on text at clause marks,
// words or characters, in that order. The cuts are a function of the text alone, however it was split into
// pushes: a place is judged once the look-ahead that it needs is there. Only `flush` and `idle` add cuts of
// their own. Every character is looked at once, so the time is linear in the text.

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
import { isClauseMark, judgeClauseMark } from './clause-mark.ts';
import { endsInAbbreviation } from './dotted-word.ts';
import { createHeldText } from './held-text.ts';
import { sentenceRulesOf } from './language-rules.ts';
import { endsInAside, isShortUnit, noOpenUnit, type OpenUnit, readUnitMark } from './open-unit.ts';
import { isTerminal, judgeTerminal } from './sentence-end.ts';
import { type Ending, skipBlanks, skipSpaces, skipWhile } from './skip.ts';
import { lastWordStart } from './word-start.ts';

export type Cut = Pick<Segment, 'runs' | 'boundary'>;

/** `first-clause`: the first segment may end early, at a clause mark or after some words, so that speech starts. */
export type Early = 'first-clause' | 'off';

export type Segmenter = {
  /** `text` stands at code point `start` of the caller's text and parts no surrogate pair. */
  push(text: string, start: number): void;
  /** A line ends here although the text has no line break (removed markup). */
  breakLine(): void;
  /** Everything held becomes segments. */
  flush(): void;
  /** No text has come for a while: what is complete enough to be spoken becomes segments. */
  idle(): void;
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
const IDLE_WORDS = 3;
/** Besides letters and numbers: what a word may begin with, so that none is parted from its punctuation. */
const OPENS_A_WORD = '([{"\'“‘«„‚¿¡$€£¥₹#@+';
/** What a letter of a script without spaces is of a word: words have two ideographs or kana, or about three Thai letters. */
const IDEOGRAPH_WORDS = 0.5;
const THAI_LETTER_WORDS = 0.375;

type Scan = {
  /** Everything before it has been judged. */
  at: number;
  /** Where the token that is being read begins, and whether it holds anything to say. */
  tokenAt: number;
  tokenSpeaks: boolean;
  /** Whole words so far, and fractions for letters of a script without spaces. */
  words: number;
  speaks: boolean;
  unit: OpenUnit;
  /** The first letter, or how far there has been none. */
  firstLetterAt: number;
  /** The last places where `idle` may cut: after a clause, after a word. 0: none. */
  clauseEnd: number;
  wordEnd: number;
};

const freshScan = (): Scan => ({
  at: 0,
  tokenAt: 0,
  tokenSpeaks: false,
  words: 0,
  speaks: false,
  unit: noOpenUnit(),
  firstLetterAt: 0,
  clauseEnd: 0,
  wordEnd: 0,
});

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
  }

  /** A word ends at `end`, where a soft cut may fall unless it would part what belongs together. */
  function endWord(end: number, place: 'within' | 'word' | 'phrase'): boolean {
    const phrase = place === 'phrase';
    const due = phrase
      ? isEarlyAt(EARLY_CLAUSE_WORDS) || end >= CLAUSE_FROM
      : isEarlyAt(EARLY_WORDS) || end >= WORD_FROM;
    if (place !== 'within' && due && end < held.text().length) {
      cut(end, phrase ? 'clause' : 'words');
      return true;
    }
    scan.words = wordsRead();
    if (place !== 'within') scan.wordEnd = end;
    if (phrase) scan.clauseEnd = end;
    startToken(end);
    return true;
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
        : endWord(next, scan.speaks ? 'word' : 'within');
    if (end === undefined || !scan.speaks) return readTo(next);
    const over = ending === 'closed' && end === held.text().length;
    if (!over && endsInAside(scan.unit, scan.at, held.text().slice(next, end))) return readTo(next);
    cut(end, isLineBreak(held.text()[end - 1]!) ? 'line' : 'sentence');
    return true;
  }

  function readClauseMark(ending: Ending): boolean {
    const clause = judgeClauseMark(held.text(), scan.at, ending);
    if (clause === 'wait') return false;
    if (clause === undefined || !scan.speaks) return readTo(scan.at + 1);
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
    return endWord(end, mayBreak ? (isPhrase ? 'phrase' : 'word') : 'within');
  }

  function readUnspaced(char: string): boolean {
    if (isEarlyAt(EARLY_WORDS) || isOverdue() || scan.at >= WORD_FROM) {
      const isLong = (scan.at >= WORD_FROM || isOverdue()) && isGraphemeBoundary(held.text(), scan.at);
      const end = lastWordStart(held.text(), scan.at, rules.neverFirst) ?? (isLong ? scan.at : undefined);
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
        cut(scan.tokenAt, 'words');
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
      cut(scan.at, 'words');
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
    idle() {
      const before = held.text().length;
      advance('closed');
      if (held.text().length === before) {
        if (scan.clauseEnd > 0) cut(scan.clauseEnd, 'clause');
        else if (scan.wordEnd > 0 && scan.words >= IDLE_WORDS) cut(scan.wordEnd, 'words');
      }
      // What is left was read as if nothing followed it; now something may.
      scan = freshScan();
      advance('open');
    },
    heldCharacters: () => held.text().length,
  };
}
