// Timed words as what a cue is made of: each with the punctuation around it, and with what it would mean to end a line behind
// it. A word that is longer than a line, or that is said for longer than a cue may stand, is several of them.

import type { Language } from '../speech/language.ts';
import { type Joint, WordJoints } from '../text/sentences/word-joint.ts';
import { needsNext, opensClause } from './clause-openers.ts';
import { CUE_LIMITS, type CueScript, cueScriptOf, MAX_CUE_MS } from './cue-limits.ts';
import type { TimedWord } from './word-timeline.ts';

/** What stands between a token and the next, from the best end of a cue to the worst. */
export type Boundary =
  | 'speaker'
  | 'paragraph'
  | 'sentence'
  | 'clause'
  | 'opener'
  | 'plain'
  /** The token leans on the next: an article, a preposition, a sign of arithmetic. */
  | 'leaning'
  /** A number, and a word that it may count. */
  | 'counted'
  | 'inside-word'
  /** A number and its unit, an abbreviation and what it stands before, or the number of a list and its entry. */
  | 'one-thing';

export type CueToken = {
  readonly text: string;
  /** Code points. */
  readonly chars: number;
  /** Whole ms, never going back. */
  readonly startMs: number;
  readonly endMs: number;
  readonly speaker: 1 | 2 | undefined;
  readonly script: CueScript;
  readonly after: Boundary;
  /** 1: a space stands behind it where the next is on the same line. */
  readonly spaces: 0 | 1;
  readonly isListNumber: boolean;
  /** Index of its word, and whether the word ends with it. */
  readonly word: number;
  readonly endsWord: boolean;
};

/** An empty line, or the mark of a list's next entry. */
const PARAGRAPH_END = /\n[^\S\n]*\n|\n\s*(?:[-+*•]|\d{1,3}[.)])\s/;
/** Behind these a line may break also where the sentence goes on: "Why?" she asked. */
const OUTCRY = /[!?…！？؟]["'”’»）)\]」』]*\s*$/u;
const CLAUSE_END = /[,;:—–،؛、，；：፣፤]["'”’»）)\]」』]*\s*$/u;
const LIST_NUMBER = /^\(?(?:\p{Nd}{1,3}|\p{L}|[ivx]{1,4})[.)]$/u;
const LIST_SIGN = /^[-+*•]\s+$/;
const LIST_MARK = /\n\s*[-+*•]\s+/g;
/** `3. Oktober`, where no pause tells of the end of a sentence. */
const ORDINAL = /^\p{Nd}{1,2}\.$/u;
const MIN_SENTENCE_PAUSE_MS = 150;
const NUMBER = /\p{Nd}[\p{Nd}.,'’:/]*$/u;
const UNIT =
  /^(?:[%‰°]|[€$£¥₹]|(?:[kMGTmcµμnd]?(?:g|m|s|l|L|W|Wh|V|A|Hz|J|Pa|B|bit|mol)|km\/h|ms|min|h|t|ha|dB|px|kcal)[²³]?(?![\p{L}\p{N}]))/u;
const CURRENCY = /^[€$£¥₹§#№]$|^No\.$/u;
const OPERATOR = /^[*+=<>/|±×÷−^~&@#\\-]+$/u;
/** What opens, where no space sets it apart from the text before it. */
const OPENING = /[\p{Ps}\p{Pi}¿¡]+$/u;
const ADJOINING = /(?:(?!\[)[\p{Ps}\p{Pi}¿¡])+$/u;
/** Signs before the first word of a paragraph: a dash of a dialogue, a quotation mark. */
const OPENING_OF_LINE = /(?:^|\n)[^\S\n]*([^\p{L}\p{N}\n]*)$/u;
const MAX_OPENING = 12;
/** Of the text behind a word, for what holds the two together. */
const AHEAD_CHARS = 64;
/**
 * Of what stands between two words, from each of its ends: nobody reads more signs than that in a cue, and the patterns above
 * take time with the square of what they are given.
 */
const MAX_GAP_CHARS = 256;

/** Letters between two words are the mark of a turn, or the address of a link; the signs are those of markup. */
const UNSPOKEN = /[\p{L}\p{N}*_#>`~|[\]\\]/u;
const UNSPOKEN_LETTERS = /[\p{L}\p{N}]/u;
const MARKUP = /[*_#>`~|[\]\\]+/g;

export const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Enough of a text to know its script. */
const SAMPLE_CHARS = 4000;

type QuotedLine = { readonly text: string; readonly points: readonly string[]; readonly script: CueScript };

/** The texts that cues quote, as code points; a text that has not changed is not read again. */
export class QuotedLines {
  private readonly known: QuotedLine[] = [];

  at(lines: readonly string[], line: number): QuotedLine {
    const text = lines[line] ?? '';
    const before = this.known[line];
    if (before?.text === text) return before;
    const script = cueScriptOf(text.slice(0, SAMPLE_CHARS));
    const read = { text, points: [...text], script };
    this.known[line] = read;
    return read;
  }
}

/** What of the text between two words belongs to the first and what to the second. */
type Gap = { readonly tail: string; readonly lead: string; readonly raw: string };

function gapOf(raw: string, before: 'word' | 'nothing'): Gap {
  const plain = raw.replace(LIST_MARK, '\n');
  let shown = plain.replace(MARKUP, '');
  if (UNSPOKEN_LETTERS.test(plain)) {
    const signs = plain.slice(0, plain.search(UNSPOKEN));
    // Of a word that is not known yet: what opens before it is that word's.
    shown = (before === 'nothing' ? signs.replace(OPENING, '') : signs) + (/\s/.test(plain) ? ' ' : '');
  }
  if (before === 'nothing') return { tail: shown, lead: '', raw };
  const lineAt = shown.lastIndexOf('\n') + 1;
  const lead = lineAt > 0 ? shown.slice(lineAt).trimStart() : (OPENING.exec(shown)?.[0] ?? '');
  return { tail: shown.slice(0, lineAt > 0 ? lineAt : shown.length - lead.length), lead, raw };
}

/** The text from one word to the next, or to the end of the text; of a long one its two ends. */
function gapText(points: readonly string[], from: number, to: number | undefined): string {
  const end = to ?? Math.min(points.length, from + MAX_GAP_CHARS);
  if (end - from <= 2 * MAX_GAP_CHARS) return points.slice(from, end).join('');
  const head = points.slice(from, from + MAX_GAP_CHARS);
  return [...head, ...points.slice(end - MAX_GAP_CHARS, end)].join('');
}

/** What belongs to a word and stands before it, where no word before it is known. */
function leadOf(points: readonly string[], charStart: number): string {
  const from = Math.max(0, charStart - MAX_OPENING);
  const before = points.slice(from, charStart).join('');
  const opening = from === 0 || before.includes('\n') ? OPENING_OF_LINE.exec(before)?.[1] : undefined;
  if (opening === undefined) return ADJOINING.exec(before)?.[0] ?? '';
  return LIST_SIGN.test(opening) ? '' : opening.replace(MARKUP, '').trimStart();
}

type Piece = { readonly text: string; readonly chars: number };

/** A part of a word that is said for too long. */
const PIECE_MS = 5000;
/** Where an address or a compound may break. */
const BREAKABLE = /[-/_.?&=:,;+@]/;
const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** A text in pieces of at most `most` characters, and of at least `least` pieces where it has so many characters. */
function piecesOf(text: string, most: number, least: number): Piece[] {
  const whole = [...text].length;
  if (whole <= most && least <= 1) return [{ text, chars: whole }];
  const aim = Math.max(1, Math.min(most, Math.ceil(whole / least)));
  const pieces: Piece[] = [];
  let open: { readonly text: string; readonly chars: number }[] = [];
  const close = (upTo: number) => {
    const taken = open.slice(0, upTo);
    open = open.slice(upTo);
    if (taken.length === 0) return;
    pieces.push({
      text: taken.map((one) => one.text).join(''),
      chars: taken.reduce((sum, one) => sum + one.chars, 0),
    });
  };
  for (const { segment } of GRAPHEMES.segment(text)) {
    // A letter under a tower of accents is cut as well.
    const units = [...segment];
    for (let at = 0; at < units.length; at += aim) {
      const unit = units.slice(at, at + aim);
      const chars = open.reduce((sum, one) => sum + one.chars, 0);
      if (chars + unit.length > aim) {
        const good = open.findLastIndex((one) => BREAKABLE.test(one.text));
        close(good >= open.length >> 1 ? good + 1 : open.length);
      }
      open.push({ text: unit.join(''), chars: unit.length });
    }
  }
  close(open.length);
  return pieces;
}

/** What is known of the place behind a word: the text around it, and how it holds together there. */
type Place = { readonly shown: string; readonly gap: Gap; readonly joint: Joint };

function boundaryAfter(word: TimedWord, next: TimedWord, { shown: text, gap, joint }: Place): Boundary {
  const shown = text.length > MAX_GAP_CHARS ? text.slice(-MAX_GAP_CHARS) : text;
  if (next.speaker !== word.speaker) return 'speaker';
  if (next.line !== word.line || PARAGRAPH_END.test(gap.raw)) return 'paragraph';
  const isOrdinal = ORDINAL.test(shown) && next.startMs - word.endMs < MIN_SENTENCE_PAUSE_MS;
  if (joint === 'sentence' && !isOrdinal) return 'sentence';
  if (joint === 'one-thing') return 'one-thing';
  if (OUTCRY.test(shown)) return 'clause';
  if (CLAUSE_END.test(shown) && joint !== 'counted') return 'clause';
  if (CURRENCY.test(shown)) return 'one-thing';
  if (NUMBER.test(shown))
    return UNIT.test(next.text) || (gap.raw === '' && gap.lead === '') ? 'one-thing' : 'counted';
  if (joint === 'counted') return 'counted';
  if (OPERATOR.test(next.text) || OPERATOR.test(shown)) return 'leaning';
  if (needsNext(shown)) return 'leaning';
  return opensClause(next.text) ? 'opener' : 'plain';
}

export type TokensOptions = {
  readonly lines: readonly string[];
  readonly quoted: QuotedLines;
  /** Of the text; English rules where it is not known, as for speech. */
  readonly language: Language | undefined;
};

/** Words in order of time. */
export function cueTokens(
  words: readonly TimedWord[],
  { lines, quoted, language }: TokensOptions,
): CueToken[] {
  const tokens: CueToken[] = [];
  const joints = new WordJoints(language);
  let passedMs = 0;
  let lead = '';
  for (const [w, word] of words.entries()) {
    const { points, script } = quoted.at(lines, word.line);
    const next = words[w + 1];
    const isSameLine = next?.line === word.line;
    const raw = gapText(points, word.charEnd, isSameLine ? next.charStart : undefined);
    const gap = gapOf(raw, isSameLine ? 'word' : 'nothing');
    if (words[w - 1]?.line !== word.line) lead = leadOf(points, word.charStart);
    const text = onOneLine(lead + word.text + gap.tail);
    const startMs = Math.max(passedMs, Math.round(word.startMs));
    const nextMs =
      next === undefined ? Number.POSITIVE_INFINITY : Math.max(startMs, Math.round(next.startMs));
    const endMs = Math.max(startMs, Math.min(Math.round(word.endMs), nextMs));
    passedMs = startMs;
    lead = isSameLine ? gap.lead : '';
    const own = script === 'spaced' ? cueScriptOf(text) : script;
    const isFirstOfLine = /^\s*$|\n\s*$/.test(
      points.slice(Math.max(0, word.charStart - 8), word.charStart).join(''),
    );
    const isListNumber =
      (isFirstOfLine || w === 0 || tokens.at(-1)?.after === 'sentence') &&
      LIST_NUMBER.test(text) &&
      next !== undefined &&
      isSameLine;
    const spaces = /\s/.test(gap.tail) || !isSameLine ? 1 : 0;
    if (w === 0 && !isFirstOfLine) joints.begin('continued');
    // Of a word that has not been told yet, the text tells as much.
    const aheadFrom = isSameLine ? next.charStart : word.charEnd;
    const ahead = points
      .slice(aheadFrom, aheadFrom + AHEAD_CHARS)
      .join('')
      .split('\n', 1)[0]!;
    const joint = joints.read({ word: text, next: lead + onOneLine(ahead), spaces });
    const boundary =
      next === undefined ? 'paragraph' : boundaryAfter(word, next, { shown: text, gap, joint });
    if (boundary === 'paragraph' || boundary === 'speaker') joints.begin();
    const after = isListNumber ? 'one-thing' : boundary;
    const pieces = piecesOf(
      text,
      CUE_LIMITS[own].lineChars,
      endMs - startMs > MAX_CUE_MS ? Math.ceil((endMs - startMs) / PIECE_MS) : 1,
    );
    const chars = pieces.reduce((sum, piece) => sum + piece.chars, 0);
    let behind = 0;
    for (const [p, piece] of pieces.entries()) {
      const from = startMs + Math.round(((endMs - startMs) * behind) / chars);
      behind += piece.chars;
      const endsWord = p === pieces.length - 1;
      tokens.push({
        text: piece.text,
        chars: piece.chars,
        startMs: from,
        endMs: startMs + Math.round(((endMs - startMs) * behind) / chars),
        speaker: word.speaker,
        script: own,
        after: endsWord ? after : 'inside-word',
        spaces: endsWord ? spaces : 0,
        isListNumber: isListNumber && endsWord,
        word: w,
        endsWord,
      });
    }
  }
  return tokens;
}
