// The text side of one turn: what the caller has said so far, its paragraphs, and the stretch of it that is being spoken,
// so that captions, marks and heard text can point back into the caller's own text.

import { AppError } from '../../base/app-error.ts';
import { AppendedText, STRING_BYTES, stringBytes } from '../../text/appended-text.ts';
import { codePointLength } from '../../text/code-points.ts';
import { Paragraphs, type TextPlace } from '../../text/paragraphs.ts';
import type { Pause } from '../../text/sentences/segmenter.ts';
import { readingAt } from '../../text/text-reading.ts';
import { MAX_WORDS_PER_UNIT, WordCount } from '../../text/word-count.ts';
import type { HeardText } from './heard-text.ts';
import { readingOptionsOf, type ScriptOptions, ScriptStretch, type StretchText } from './script-stretch.ts';

export type WholeText =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'dialogue';
      readonly lines: readonly { readonly speaker: 1 | 2; readonly text: string }[];
    };
type DialogueLines = Extract<WholeText, { readonly kind: 'dialogue' }>['lines'];

/** How far a whole text has been spoken. */
export type SpokenSoFar = {
  readonly paragraph: number;
  readonly paragraphs: number;
  readonly spokenCharacters: number;
  readonly characters: number;
};

/** What a line of a dialogue and a change of speaker take besides their text. */
const LINE_BYTES = 56;
const CHANGE_BYTES = 48;
/** What a word takes once its place in the audio is known, its text included. */
const WORD_BYTES = 64;

/** The most that a text of so many UTF-16 units will take, whatever its words are. */
export const maxTextBytes = (units: number): number =>
  STRING_BYTES + units * (2 + MAX_WORDS_PER_UNIT * WORD_BYTES) + WORD_BYTES;

/** What a text will take when all of its words are known. */
export function fullTextBytes(text: string): number {
  const count = new WordCount();
  count.read(text);
  return stringBytes(text) + count.words() * WORD_BYTES;
}

const START: TextPlace = { unit: 0, point: 0 };

/** One for each turn. */
export class TurnScript {
  private readonly options: ScriptOptions;
  private readonly whole: WholeText | undefined;
  private readonly dialogue: DialogueLines | undefined;
  private state: 'open' | 'ended';
  /** Of a text, whole or coming. */
  private readonly allText = new AppendedText();
  private readonly paragraphs = new Paragraphs();
  private readonly wordCount = new WordCount();
  private readonly speakers: { readonly unit: number; readonly speaker: 1 | 2 }[] = [];
  /** Of a dialogue: code points before each line, and of all. */
  private lineStarts: number[] | undefined;
  private readonly dialogueBytes: number;
  /** Where the stretch begins, as code points; 0 for a dialogue. */
  private fromPoint = 0;
  private firstParagraph = 0;
  private spoken: ScriptStretch;

  constructor(options: ScriptOptions, whole: WholeText | undefined) {
    this.options = options;
    this.whole = whole;
    this.dialogue = whole?.kind === 'dialogue' ? whole.lines : undefined;
    this.state = whole === undefined ? 'open' : 'ended';
    this.dialogueBytes = (this.dialogue ?? []).reduce(
      (sum, { text }) => sum + LINE_BYTES + stringBytes(text),
      0,
    );
    if (whole?.kind === 'text') this.keep(whole.text);
    for (const { text } of this.dialogue ?? []) this.wordCount.read(`${text}\n`);
    this.spoken = this.openFrom(0, START);
  }

  /** What is being spoken, from the beginning or from where it was sought last. */
  stretch(): ScriptStretch {
    return this.spoken;
  }
  append(text: string, speaker: 1 | 2 | undefined): void {
    const { speakers } = this;
    // A turn prefix in the text may have named another one meanwhile.
    const isNews = speaker !== undefined && (this.hasPrefixes() || speaker !== speakers.at(-1)?.speaker);
    if (isNews) speakers.push({ unit: this.allText.length(), speaker });
    this.keep(text);
    this.spoken.appended();
  }
  flush(): void {
    this.spoken.flush();
  }
  /** No text for a while: what may be spoken after so long is. */
  idle(pause: Pause): void {
    this.spoken.idle(pause);
  }
  end(): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.spoken.end();
  }
  /** The turn is over: nothing more is cut. */
  close(): void {
    this.spoken.close();
  }
  /** Memory that the text takes, and what has been made of it. */
  bytes(): number {
    return this.textBytes() + this.spoken.bytes();
  }
  /** The same when all of its words are known: what the session must have room for. */
  fullBytes(): number {
    return Math.max(this.bytes(), this.textBytes() + this.wordCount.words() * WORD_BYTES);
  }
  input(): 'open' | 'ended' {
    return this.state;
  }
  totalCharacters(): number {
    return this.dialogue?.reduce((sum, line) => sum + line.text.length, 0) ?? this.allText.length();
  }
  /** The same in Unicode code points, which is what callers are told. */
  totalCodePoints(): number {
    return this.dialogue === undefined
      ? this.paragraphs.codePoints()
      : this.startOfLine(this.dialogue.length);
  }
  /**
   * Tells, when asked later, where everything said by now has been spoken, ms of the stretch's audio; undefined while that
   * is unknown, and 'never' once it has been sought past.
   */
  endOfText(): () => number | 'never' | undefined {
    if (this.whole !== undefined) return () => undefined; // it is over when the turn is
    const said = this.totalCodePoints();
    if (said === 0) return () => 0;
    return () => (said <= this.fromPoint ? 'never' : this.spoken.endOf(said));
  }
  /** Throws `invalid_request` when there is no such paragraph. */
  checkParagraph(paragraph: number): void {
    const count = this.count();
    if (paragraph < count) return;
    const there = count === 1 ? '1 paragraph, 0' : `${count} paragraphs, 0 to ${count - 1}`;
    const sofar = this.state === 'open' ? ' so far' : '';
    throw new AppError(
      'invalid_request',
      `seek: paragraph: must be one that the text has, which has ${there}${sofar} (got ${paragraph})`,
    );
  }
  /** A new stretch from there on. */
  seek(paragraph: number): void {
    this.spoken.close();
    this.firstParagraph = paragraph;
    const from = this.dialogue === undefined ? this.paragraphs.at(paragraph) : START;
    this.fromPoint = from.point;
    this.spoken = this.openFrom(paragraph, from);
  }
  /** Undefined: the text came bit by bit, or has one paragraph. */
  soFar(playedMs: number | 'end'): SpokenSoFar | undefined {
    if (this.whole === undefined || this.count() < 2) return undefined;
    const [paragraphs, characters] = [this.count(), this.totalCodePoints()];
    if (playedMs === 'end')
      return { paragraph: paragraphs - 1, paragraphs, spokenCharacters: characters, characters };
    const last = this.spoken.lastBegun(playedMs);
    const { line, charEnd } = last ?? { line: this.firstParagraph, charEnd: this.fromPoint };
    if (this.dialogue === undefined) {
      const paragraph = last === undefined ? this.firstParagraph : this.paragraphs.indexOf(last.charStart);
      return { paragraph, paragraphs, spokenCharacters: charEnd, characters };
    }
    return { paragraph: line, paragraphs, spokenCharacters: this.startOfLine(line) + charEnd, characters };
  }
  /** The caller's text so far: one line, or those of a dialogue. */
  lines(): readonly string[] {
    return this.dialogue?.map(({ text }) => text) ?? [this.allText.text()];
  }
  heardAt(playedMs: number | 'end'): HeardText & { readonly speaker: 1 | 2 | undefined } {
    return this.spoken.heardAt(playedMs, this.allText.text());
  }
  /** The same where the speech has not been made so far: by the weight of the words alone. */
  guessHeardAt(playedMs: number): ReturnType<TurnScript['heardAt']> {
    return this.spoken.guessHeardAt(playedMs, this.allText.text());
  }

  private count(): number {
    return this.dialogue?.length ?? this.paragraphs.count();
  }
  private hasPrefixes(): boolean {
    const { turnPrefix, turnPrefix2 } = this.options.settings.synthesis;
    return turnPrefix != null || turnPrefix2 != null;
  }
  private textBytes(): number {
    const { allText, paragraphs, speakers, dialogueBytes } = this;
    return allText.bytes() + paragraphs.bytes() + speakers.length * CHANGE_BYTES + dialogueBytes;
  }
  private keep(text: string): void {
    this.wordCount.read(text);
    this.allText.append(text);
    this.paragraphs.read(text);
  }
  private startOfLine(line: number): number {
    if (this.lineStarts === undefined) {
      const starts = [0];
      for (const { text } of this.dialogue ?? []) starts.push(starts.at(-1)! + codePointLength(text));
      this.lineStarts = starts;
    }
    return this.lineStarts[line] ?? 0;
  }
  private openFrom(paragraph: number, from: TextPlace): ScriptStretch {
    return new ScriptStretch(this.options, this.textFrom(paragraph, from));
  }
  private textFrom(paragraph: number, from: TextPlace): StretchText {
    const { dialogue, allText, speakers } = this;
    if (dialogue !== undefined) return { kind: 'dialogue', lines: dialogue, from: paragraph };
    if (this.state === 'ended') return { kind: 'whole', said: { text: allText.text(), from, speakers } };
    const before = from.unit === 0 ? '' : allText.text();
    const how = readingOptionsOf(this.options.settings, 'coming');
    const state = readingAt({ text: before, from, speakers }, how);
    return { kind: 'coming', text: allText, from, speakers, state };
  }
}
