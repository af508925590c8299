// Where the words of a spoken line stand in the caller's text: maps back through the pauses, spaces and words that were
// inserted for the speech program. Positions are code points of the request's text. Pure.

import type { Language } from '../speech/language.ts';
import { codePointLength } from '../text/code-points.ts';
import type { SourceRange } from '../text/spoken-form/mapped-text.ts';
import { toMappedSpokenForm } from '../text/spoken-form/spoken-form.ts';
import { spokenWords } from '../text/spoken-words.ts';
import { createUnspaced } from './space-words.ts';

export type LineOrigin = {
  /** The words of the sentence as captions tell them apart, in order; a line that is a part of it has the others too. */
  readonly words: readonly SourceRange[];
  /** What a code point of the line came from. */
  readonly sourceOf: (codePoint: number) => SourceRange;
};

/** A part of a text, from its code point `start` on. */
type TextPart = { readonly text: string; readonly start: number };

/** `written` is a sentence of the request's text, `said` the part of its spoken form that is the line, untrimmed. */
export function originOf(written: TextPart, said: TextPart, language: Language): LineOrigin {
  const mapped = toMappedSpokenForm(written.text, language);
  const trimmed = said.text.trimStart();
  const start = said.start + codePointLength(said.text) - codePointLength(trimmed);
  const unspaced = createUnspaced(trimmed.trimEnd(), language);
  const segment = { line: 0, speaker: undefined, runs: [written], boundary: 'sentence' } as const;
  return {
    words: spokenWords([segment]).map(({ charStart, charEnd }) => ({ start: charStart, end: charEnd })),
    sourceOf(codePoint) {
      const source = mapped.sourceOf(start + unspaced(codePoint));
      return { start: written.start + source.start, end: written.start + source.end };
    },
  };
}
