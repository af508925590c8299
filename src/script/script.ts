// What is spoken of a PlayNote: chapters of lines, each by one of at most two speakers, each tied to the sentences of
// the source that it rests on.

import type { Language } from '../speech/language.ts';
import type { SYNTHESIS_STYLES } from '../speech/playnote-request.ts';

export type SynthesisStyle = (typeof SYNTHESIS_STYLES)[number];

export type ScriptLine = {
  readonly speaker: 1 | 2;
  readonly text: string;
  /** Numbers of the source sentences (from 0, as `toSourceSentences` counts them) that the line states; empty for a line that states nothing of the source (a greeting, a question, a bridge). */
  readonly sources: readonly number[];
};

export type ScriptChapter = { readonly title: string; readonly lines: readonly ScriptLine[] };

/** A sentence of the source that lines name, as the source has it. */
export type CitedSentence = {
  readonly number: number;
  readonly text: string;
  /** The headings above it, highest first. */
  readonly path: readonly string[];
};

export type Script = {
  readonly title: string;
  readonly language: Language;
  readonly style: SynthesisStyle;
  readonly chapters: readonly ScriptChapter[];
  /** Those that lines name, in the order of the source; absent in scripts of earlier versions. */
  readonly sentences?: readonly CitedSentence[];
};

/** The script with the sentences that its lines rest on. */
export function withCited(script: Script, source: readonly CitedSentence[]): Script {
  const named = new Set(script.chapters.flatMap(({ lines }) => lines.flatMap((line) => line.sources)));
  const cited = source.filter(({ number }) => named.has(number));
  return { ...script, sentences: cited.map(({ number, text, path }) => ({ number, text, path })) };
}

export type Speakers = {
  /** Spoken in the script; undefined: the speaker stays nameless. */
  readonly name1: string | undefined;
  readonly name2: string | undefined;
  /** With one voice there is no second speaker in any line. */
  readonly voices: 1 | 2;
};
