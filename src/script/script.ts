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

export type Script = {
  readonly title: string;
  readonly language: Language;
  readonly style: SynthesisStyle;
  readonly chapters: readonly ScriptChapter[];
};

export type Speakers = {
  /** Spoken in the script; undefined: the speaker stays nameless. */
  readonly name1: string | undefined;
  readonly name2: string | undefined;
  /** With one voice there is no second speaker in any line. */
  readonly voices: 1 | 2;
};
