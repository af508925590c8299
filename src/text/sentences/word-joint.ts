// What holds two neighbouring words of a written text together, for whoever breaks it into lines: captions know abbreviations,
// initials, ordinals and what a number counts by the same rules and lists as the segmenter, which cuts the same text for
// speech.

import type { Language } from '../../speech/language.ts';
import {
  isCaseless,
  isCloser,
  isDigit,
  isLetter,
  isLower,
  isOpener,
  isPictograph,
  isSpace,
  isUpper,
} from '../character-class.ts';
import { characterAt, characterBefore } from '../code-points.ts';
import { dottedKind, type TerminalPlace } from './dotted-word.ts';
import { sentenceRulesOf } from './language-rules.ts';
import { bondAt, type CountState, partsCount, readCount } from './number-bond.ts';
import { endsInAside, noOpenUnit, readUnitMark } from './open-unit.ts';
import { isTerminal, judgeTerminal } from './sentence-end.ts';
import { MAX_SPACES, skipWhile } from './skip.ts';

/**
 * `sentence`: one ends between them. `one-thing`: an abbreviation and what it stands before ("Dr. Ahlgren", "z. B.", "p. 47").
 * `counted`: a number and what it counts or names ("12 men", "page 12", "3 May"). `goes-on`: the mark between them ends nothing. `free`: nothing
 * is known that holds them together.
 */
export type Joint = 'sentence' | 'one-thing' | 'counted' | 'goes-on' | 'free';

/** Punctuation belongs to the word that it stands beside. */
export type JointWords = {
  readonly word: string;
  readonly next: string;
  /** White space stands between them. */
  readonly spaces: 0 | 1;
};

/** UTF-16 units of a sentence that are kept to judge its next word by; a longer one has other words to tell. */
const MAX_BEFORE = 96;
const MAX_NEXT = 64;
/** Closing marks behind a word that are looked at, and terminals before those. */
const MAX_MARKS = 32;
const ENDS_IN_NUMBER = /\p{Nd}$/u;

/** Reads the words of one line in their order; each is judged once, so the time is linear in the text. */
export class WordJoints {
  private readonly rules;
  /** The sentence so far, or the end of it. */
  private before = '';
  private opening: 'capital' | 'continued' = 'capital';
  private count: CountState = 'none';
  private unit = noOpenUnit();

  constructor(language: Language | undefined) {
    this.rules = sentenceRulesOf(language);
  }

  /** Another text, paragraph or sentence begins; `continued`: what is read next is not the first word of it. */
  begin(opening: 'capital' | 'continued' = 'capital'): void {
    this.before = '';
    this.opening = opening;
    this.count = 'none';
    this.unit = noOpenUnit();
  }
  /** What is between `word`, the next of the text, and the one behind it. */
  read({ word, next, spaces }: JointWords): Joint {
    const space = spaces === 1 ? ' ' : '';
    const ahead = next.slice(0, MAX_NEXT);
    const ended = this.endOf(word, space, ahead);
    const counted = this.countOf(word, space, ahead);
    if (ended === 'sentence') this.begin();
    else this.keep(word + space);
    return ended === 'one-thing' || ended === 'sentence' || counted === 'free' ? ended : counted;
  }

  private keep(text: string): void {
    this.before += text;
    if (this.before.length <= MAX_BEFORE) return;
    const cut = this.before.length - (MAX_BEFORE >> 1);
    this.before = this.before.slice(cut);
    if (this.unit.asideAt >= 0) this.unit.asideAt -= cut;
    if (this.unit.asideAt < 0) this.unit.asideAt = -1;
    this.opening = 'continued';
  }
  private endOf(word: string, space: string, next: string): Joint {
    const { rules, unit } = this;
    const tokenAt = this.before.length;
    const text = this.before + word;
    let closersAt = text.length;
    while (closersAt > tokenAt && text.length - closersAt < MAX_MARKS) {
      const char = characterBefore(text, closersAt);
      if (!isCloser(char) && !isPictograph(char) && !isSpace(char)) break;
      closersAt -= char.length;
    }
    let at = closersAt;
    while (at > tokenAt && closersAt - at < MAX_MARKS && isTerminal(text[at - 1]!, rules)) at -= 1;
    this.readUnits(text, tokenAt, at);
    if (at === closersAt) {
      this.readUnits(text, at, text.length);
      return space !== '' && rules.finals.some((final) => word.endsWith(final)) ? 'sentence' : 'free';
    }
    const opening = this.opening === 'continued' ? this.opening : openingOf(text);
    const place = { text: text + space + next, at, tokenAt, ending: 'closed', rules, opening } as const;
    const verdict = judgeTerminal(place);
    if (verdict !== 'wait' && verdict.end !== undefined)
      if (next === '' || !endsInAside(unit, at, text.slice(closersAt))) return 'sentence';
    this.readUnits(text, at, text.length);
    const isDotted = text[at] === '.' && at + 1 === text.length;
    return isDotted && isHeld(place, next) ? 'one-thing' : 'goes-on';
  }
  /** Brackets and quotations from `from` to `to`. */
  private readUnits(text: string, from: number, to: number): void {
    const words = text.slice(0, from).trim() === '' && this.opening === 'capital' ? undefined : 1;
    for (let at = from; at < to; at += 1)
      if (isCloser(text[at]!) || isOpener(text[at]!)) readUnitMark(this.unit, text, at, words);
  }
  private countOf(word: string, space: string, next: string): Joint {
    const { counts } = this.rules;
    if (counts.unspaced !== undefined && space === '')
      return partsCount(word + next, word.length, word.length + next.length, counts) ? 'counted' : 'free';
    const first = characterAt(next, 0);
    this.count = readCount(this.count, word, first, counts);
    if (this.count === 'none') return 'free';
    return bondAt(this.count, next, 0, 'closed', counts) === 'free' ? 'free' : 'counted';
  }
}

/** Of a sentence, as the segmenter tells it: one that begins in lower case is not expected to have capitals. */
const openingOf = (text: string): 'lower' | 'capital' =>
  isLower(
    characterAt(
      text,
      skipWhile(text, 0, MAX_BEFORE, (char) => !isLetter(char)),
    ),
  )
    ? 'lower'
    : 'capital';

/** The dotted word at `place`, which ends no sentence, belongs to `next`. */
function isHeld(place: TerminalPlace, next: string): boolean {
  const kind = dottedKind(place);
  if (kind === 'never' || ENDS_IN_NUMBER.test(place.text.slice(place.tokenAt, place.at))) return true;
  const first = characterAt(next, skipWhile(next, 0, MAX_SPACES, isOpener));
  if (kind === 'before-number') return isDigit(first);
  return kind !== undefined && kind !== 'usually' && (isUpper(first) || isDigit(first) || isCaseless(first));
}
