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
  readonly lines: () => readonly string[];
  /** Throws `invalid_request` when there is no such paragraph. */
  checkParagraph(paragraph: number): void;
  /** A new stretch from there on. */
  seek(paragraph: number): void;
  /** Undefined: the text came bit by bit, or has one paragraph. */
  soFar(playedMs: number | 'end'): SpokenSoFar | undefined;
  heardAt(playedMs: number | 'end'): HeardText & { readonly speaker: 1 | 2 | undefined };
};

const START: TextPlace = { unit: 0, point: 0 };

export function createTurnScript(options: ScriptOptions, whole: WholeText | undefined): TurnScript {
  let input: 'open' | 'ended' = whole === undefined ? 'open' : 'ended';
  let allText = whole?.kind === 'text' ? whole.text : '';
  const lines = whole?.kind === 'dialogue' ? whole.lines : undefined;
  const speakers: { readonly unit: number; readonly speaker: 1 | 2 }[] = [];
  /** Of a text; those of one that still comes are looked for when they are asked for. */
  let known: readonly TextPlace[] | undefined;
  const places = (): readonly TextPlace[] => {
    if (input === 'ended') known ??= paragraphsOf(allText);
    return known ?? paragraphsOf(allText);
  };
  const count = () => lines?.length ?? places().length;
  let codePoints =
    lines === undefined
      ? codePointLength(allText)
      : lines.reduce((sum, line) => sum + codePointLength(line.text), 0);
  /** Of a dialogue: code points before each line. */
  let lineStarts: number[] | undefined;
  const startOfLine = (line: number): number => {
    if (lineStarts === undefined) {
      lineStarts = [0];
      for (const { text } of lines ?? []) lineStarts.push(lineStarts.at(-1)! + codePointLength(text));
    }
    return lineStarts[line] ?? 0;
  };

  const textFrom = (from: TextPlace): StretchText => ({
    kind: input === 'open' ? 'coming' : 'whole',
    said: { text: allText, from, speakers },
  });
  /** Where the stretch begins, as code points; 0 for a dialogue. */
  let fromPoint = 0;
  let firstParagraph = 0;
  let stretch = createScriptStretch(
    options,
    lines === undefined ? textFrom(START) : { kind: 'dialogue', lines, from: 0 },
  );

  return {
    stretch: () => stretch,
    append(text, speaker) {
      const unit = allText.length;
      if (speaker !== undefined && speaker !== speakers.at(-1)?.speaker) speakers.push({ unit, speaker });
      // Two halves that meet are one.
      const seam = codePointLength(allText.slice(-1) + text.slice(0, 1)) === 1 && unit > 0 && text !== '';
      codePoints += codePointLength(text) - (seam ? 1 : 0);
      allText += text;
      stretch.append(text, speaker);
    },
    flush: () => stretch.flush(),
    idle: () => stretch.idle(),
    end() {
      if (input === 'ended') return;
      input = 'ended';
      stretch.end();
    },
    input: () => input,
    totalCharacters: () => lines?.reduce((sum, line) => sum + line.text.length, 0) ?? allText.length,
    totalCodePoints: () => codePoints,
    endOfText() {
      if (whole !== undefined) return () => undefined; // it is over when the turn is
      const said = codePoints;
      if (said === 0) return () => 0;
      return () => (said <= fromPoint ? 'never' : stretch.endOf(said));
    },
    checkParagraph(paragraph) {
      if (paragraph < count()) return;
      const there = count() === 1 ? '1 paragraph, 0' : `${count()} paragraphs, 0 to ${count() - 1}`;
      const sofar = input === 'open' ? ' so far' : '';
      throw new AppError(
        'invalid_request',
        `seek: paragraph: is ${paragraph}; the text has ${there}${sofar}.`,
      );
    },
    seek(paragraph) {
      firstParagraph = paragraph;
      if (lines !== undefined) {
        stretch = createScriptStretch(options, { kind: 'dialogue', lines, from: paragraph });
        return;
      }
      const from = places()[paragraph]!;
      fromPoint = from.point;
      stretch = createScriptStretch(options, textFrom(from));
    },
    soFar(playedMs) {
      if (whole === undefined || count() < 2) return undefined;
      const [paragraphs, characters] = [count(), codePoints];
      if (playedMs === 'end')
        return { paragraph: paragraphs - 1, paragraphs, spokenCharacters: characters, characters };
      const last = stretch.lastBegun(playedMs);
      const { line, charEnd } = last ?? { line: firstParagraph, charEnd: fromPoint };
      if (lines === undefined) {
        const paragraph = last === undefined ? firstParagraph : paragraphAt(places(), last.charStart);
        return { paragraph, paragraphs, spokenCharacters: charEnd, characters };
      }
      return { paragraph: line, paragraphs, spokenCharacters: startOfLine(line) + charEnd, characters };
    },
    lines: () => lines?.map(({ text }) => text) ?? [allText],
    heardAt: (playedMs) => stretch.heardAt(playedMs, allText),
  };
}
