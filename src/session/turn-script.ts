// The text side of one turn: what the caller has said so far, its paragraphs, and the stretch of it that is being spoken,
// so that captions, marks and heard text can point back into the caller's own text.

import { AppError } from '../base/app-error.ts';
import { codePointLength } from '../text/code-points.ts';
import { paragraphAt, paragraphsOf, type TextPlace } from '../text/paragraphs.ts';
import type { HeardText } from './heard-text.ts';
import {
  createScriptStretch,
  type ScriptOptions,
  type ScriptStretch,
  type StretchText,
} from './script-stretch.ts';

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

export type TurnScript = {
  /** What is being spoken, from the beginning or from where it was sought last. */
  stretch(): ScriptStretch;
  append(text: string, speaker: 1 | 2 | undefined): void;
  flush(): void;
  /** No text for a while: what is complete enough is spoken. */
  idle(): void;
  end(): void;
  input(): 'open' | 'ended';
  totalCharacters(): number;
  /** The same in Unicode code points, which is what callers are told. */
  totalCodePoints(): number;
  /**
   * Tells, when asked later, where everything said by now has been spoken, ms of the stretch's audio; undefined while that
   * is unknown, and 'never' once it has been sought past.
   */
  endOfText(): () => number | 'never' | undefined;
  /** The caller's text so far: one line, or those of a dialogue. */
  lines(): readonly string[];
  /** Throws `invalid_request` when there is no such paragraph. */
  checkParagraph(paragraph: number): void;
  /** A new stretch from there on. */
  seek(paragraph: number): void;
  /** Undefined: the text came bit by bit, or has one paragraph. */
  soFar(playedMs: number | 'end'): SpokenSoFar | undefined;
  heardAt(playedMs: number | 'end'): HeardText & { readonly speaker: 1 | 2 | undefined };
};

const START: TextPlace = { unit: 0, point: 0 };

/** One for each turn. */
class SpokenScript implements TurnScript {
  private readonly options: ScriptOptions;
  private readonly whole: WholeText | undefined;
  private readonly dialogue: DialogueLines | undefined;
  private state: 'open' | 'ended';
  private allText: string;
  private readonly speakers: { readonly unit: number; readonly speaker: 1 | 2 }[] = [];
  /** Of a text; those of one that still comes are looked for when they are asked for. */
  private known: readonly TextPlace[] | undefined;
  private codePoints: number;
  /** Of a dialogue: code points before each line. */
  private lineStarts: number[] | undefined;
  /** Where the stretch begins, as code points; 0 for a dialogue. */
  private fromPoint = 0;
  private firstParagraph = 0;
  private spoken: ScriptStretch;

  constructor(options: ScriptOptions, whole: WholeText | undefined) {
    this.options = options;
    this.whole = whole;
    this.dialogue = whole?.kind === 'dialogue' ? whole.lines : undefined;
    this.state = whole === undefined ? 'open' : 'ended';
    this.allText = whole?.kind === 'text' ? whole.text : '';
    this.codePoints =
      this.dialogue === undefined
        ? codePointLength(this.allText)
        : this.dialogue.reduce((sum, line) => sum + codePointLength(line.text), 0);
    this.spoken = createScriptStretch(
      options,
      this.dialogue === undefined
        ? this.textFrom(START)
        : { kind: 'dialogue', lines: this.dialogue, from: 0 },
    );
  }

  stretch(): ScriptStretch {
    return this.spoken;
  }
  append(text: string, speaker: 1 | 2 | undefined): void {
    const { allText, speakers } = this;
    const unit = allText.length;
    if (speaker !== undefined && speaker !== speakers.at(-1)?.speaker) speakers.push({ unit, speaker });
    // Two halves that meet are one.
    const seam = codePointLength(allText.slice(-1) + text.slice(0, 1)) === 1 && unit > 0 && text !== '';
    this.codePoints += codePointLength(text) - (seam ? 1 : 0);
    this.allText += text;
    this.spoken.append(text, speaker);
  }
  flush(): void {
    this.spoken.flush();
  }
  idle(): void {
    this.spoken.idle();
  }
  end(): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.spoken.end();
  }
  input(): 'open' | 'ended' {
    return this.state;
  }
  totalCharacters(): number {
    return this.dialogue?.reduce((sum, line) => sum + line.text.length, 0) ?? this.allText.length;
  }
  totalCodePoints(): number {
    return this.codePoints;
  }
  endOfText(): () => number | 'never' | undefined {
    if (this.whole !== undefined) return () => undefined; // it is over when the turn is
    const said = this.codePoints;
    if (said === 0) return () => 0;
    return () => (said <= this.fromPoint ? 'never' : this.spoken.endOf(said));
  }
  checkParagraph(paragraph: number): void {
    const count = this.count();
    if (paragraph < count) return;
    const there = count === 1 ? '1 paragraph, 0' : `${count} paragraphs, 0 to ${count - 1}`;
    const sofar = this.state === 'open' ? ' so far' : '';
    throw new AppError('invalid_request', `seek: paragraph: is ${paragraph}; the text has ${there}${sofar}.`);
  }
  seek(paragraph: number): void {
    const { dialogue } = this;
    this.firstParagraph = paragraph;
    if (dialogue !== undefined) {
      this.spoken = createScriptStretch(this.options, {
        kind: 'dialogue',
        lines: dialogue,
        from: paragraph,
      });
      return;
    }
    const from = this.places()[paragraph]!;
    this.fromPoint = from.point;
    this.spoken = createScriptStretch(this.options, this.textFrom(from));
  }
  soFar(playedMs: number | 'end'): SpokenSoFar | undefined {
    if (this.whole === undefined || this.count() < 2) return undefined;
    const [paragraphs, characters] = [this.count(), this.codePoints];
    if (playedMs === 'end')
      return { paragraph: paragraphs - 1, paragraphs, spokenCharacters: characters, characters };
    const last = this.spoken.lastBegun(playedMs);
    const { line, charEnd } = last ?? { line: this.firstParagraph, charEnd: this.fromPoint };
    if (this.dialogue === undefined) {
      const paragraph = last === undefined ? this.firstParagraph : paragraphAt(this.places(), last.charStart);
      return { paragraph, paragraphs, spokenCharacters: charEnd, characters };
    }
    return { paragraph: line, paragraphs, spokenCharacters: this.startOfLine(line) + charEnd, characters };
  }
  lines(): readonly string[] {
    return this.dialogue?.map(({ text }) => text) ?? [this.allText];
  }
  heardAt(playedMs: number | 'end'): HeardText & { readonly speaker: 1 | 2 | undefined } {
    return this.spoken.heardAt(playedMs, this.allText);
  }

  private places(): readonly TextPlace[] {
    if (this.state === 'ended') this.known ??= paragraphsOf(this.allText);
    return this.known ?? paragraphsOf(this.allText);
  }
  private count(): number {
    return this.dialogue?.length ?? this.places().length;
  }
  private startOfLine(line: number): number {
    if (this.lineStarts === undefined) {
      const starts = [0];
      for (const { text } of this.dialogue ?? []) starts.push(starts.at(-1)! + codePointLength(text));
      this.lineStarts = starts;
    }
    return this.lineStarts[line] ?? 0;
  }
  private textFrom(from: TextPlace): StretchText {
    return {
      kind: this.state === 'open' ? 'coming' : 'whole',
      said: { text: this.allText, from, speakers: this.speakers },
    };
  }
}

export const createTurnScript = (options: ScriptOptions, whole: WholeText | undefined): TurnScript =>
  new SpokenScript(options, whole);
