// Which sentences suit which style, as factors on their rank. Each style has a list: the first taste that finds enough to
// speak of is used. A source without short sentences becomes no story.

import type { LanguageReader } from '../language-reader.ts';
import type { SynthesisStyle } from '../script.ts';
import type { SourceSentence } from '../source-sentence.ts';
import { asks, hasCodeWords } from '../statement.ts';
import type { Taste } from './runs.ts';

const FIGURES_OF_BRIEFING = 1.2;
/** Longer ones than this many times the mean are not for children. */
const SHORT_FOR_STORY = 1.15;

const hasFigures = (text: string): boolean => /\p{N}/u.test(text);
const isLong = (words: number): boolean => words > 35;
/** A note or a caption rather than a thought. */
const isShort = (words: number): boolean => words < 6;
const byLength = (words: number, ofLong: number): number =>
  isLong(words) ? ofLong : isShort(words) ? 0.5 : 1;

/** Half of what a sentence of a text counts is an item that stands by itself, a fifth a command: it tells what is shown beside it. */
const byForm = ({ kind, spoken, leans }: SourceSentence, { commands }: LanguageReader): number => {
  if (kind === 'sentence' && commands.test(spoken)) return 0.2;
  // Names of functions and files can be read, and hardly heard.
  if (kind !== 'row' && hasCodeWords(spoken)) return 0.4;
  return kind === 'item' && !leans ? 0.5 : 1;
};

/** Short, concrete, without figures and capital letters in a row; nothing longer than a child can hold. */
const forChildren =
  (mostWords: number): Taste =>
  ({ kind, spoken, text, words }) => {
    if (kind === 'row' || words > mostWords || hasCodeWords(spoken)) return 0;
    const plain =
      (hasFigures(spoken) ? 0.5 : 1) * (/\p{Lu}{2,}/u.test(spoken) ? 0.6 : 1) * (spoken === text ? 1 : 0.8);
    return plain * (1.4 - words / mostWords);
  };

/** A story that is one already is told as it stands. */
const ofStory: Taste = ({ kind, spoken }) => (kind !== 'sentence' || hasCodeWords(spoken) ? 0 : 1);

/** A story is told in long runs, of sentences that lean on each other. */
export const STORY_RUN = { run: 160, mostBound: 24 } as const;

/** `meanWords`: of the sentences of the source; a story made of another text keeps to its shorter ones. */
export function styleTaste(
  style: SynthesisStyle,
  reader: LanguageReader,
  { meanWords, isStory }: { readonly meanWords: number; readonly isStory: boolean },
): readonly Taste[] {
  switch (style) {
    case 'podcast':
      return [
        (sentence) =>
          // A line of a table is read, not talked about.
          (sentence.kind === 'row' ? 0 : 1) *
          byForm(sentence, reader) *
          (asks(sentence.spoken) ? 0.6 : 1) *
          byLength(sentence.words, 0.7),
      ];
    case 'executive-briefing':
      return [
        // A table's lines are figures with their names: here they count as much as sentences.
        (sentence) =>
          (hasFigures(sentence.spoken) ? FIGURES_OF_BRIEFING : 1) *
          byForm(sentence, reader) *
          (asks(sentence.spoken) ? 0.2 : 1) *
          byLength(sentence.words, 0.6),
      ];
    case 'childrens-story':
      if (isStory) return [ofStory];
      return [forChildren(Math.min(18, meanWords * SHORT_FOR_STORY)), forChildren(18), forChildren(26)];
    case 'debate':
      return [
        ({ kind, spoken, words }) =>
          // A line of a table is nobody's argument.
          (kind === 'row' ? 0 : 1) *
          (reader.benefit.test(spoken) || reader.concern.test(spoken) ? 1.5 : 1) *
          (asks(spoken) ? 0.5 : 1) *
          (isLong(words) ? 0.7 : 1),
      ];
  }
}
