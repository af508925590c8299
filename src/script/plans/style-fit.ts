// Whether a source has something to say in a style. What has not is refused with a reason, instead of being made into
// what nobody would listen to: a specification is no children's story, and a text without objections no debate.

import type { LanguageReader } from '../language-reader.ts';
import type { SynthesisStyle } from '../script.ts';
import type { SourceSentence } from '../source-sentence.ts';
import { hasCodeWords } from '../statement.ts';

/**
 * `no-two-sides`: the text does not weigh its matter up; `technical-for-children`: it speaks of files, figures and abbreviations;
 * `long-for-children`: its sentences are long, and it tells of nobody; `no-statements`: nearly all of it is tables, lists or code;
 * `reference-work`: most of it explains options and terms, one after another; `specification`: it is technical, and much of it
 * cannot be heard without the page.
 */
export type StyleMisfit =
  | 'no-two-sides'
  | 'technical-for-children'
  | 'long-for-children'
  | 'no-statements'
  | 'reference-work'
  | 'specification';

/** Of the words: who talks about such a text talks about what it leaves between its notes. */
const MAX_NOTE_SHARE = 0.4;

/** Of the words of a technical text, those of sentences that are understood without the page: specifications and manuals have 0.3 to 0.6, essays and papers on technical matters 0.7 and more. */
const MIN_HEARD_SHARE = 0.6;
/** A shorter text is heard to its end whatever it is. */
const MIN_WORDS_OF_SPECIFICATION = 600;

/** Of the sentences: a word of a specialist here and there spoils no story. */
export const MAX_TECHNICAL_SHARE = 0.35;
const MIN_STATEMENTS = 3;
/** Of the words: where fewer stand in sentences that a child can follow, these are torn out of the others' midst. */
const MIN_SHORT_SHARE = 0.35;
const MAX_WORDS_FOR_CHILD = 20;
/**
 * Of the words: a text that tells of persons, and lets them speak, is a story however long its sentences are. Alice in Wonderland
 * has 79 % in such sentences, and 29 % in short ones; essays have 25 to 50 %, manuals and specifications 0 to 4.
 */
const MIN_NARRATED_SHARE = 0.6;

const isTechnical = ({ spoken }: SourceSentence, reader: LanguageReader): boolean =>
  reader.technical.test(spoken) ||
  /\p{Lu}{2,}/u.test(spoken.replace(/^\P{Ll}*$/u, '')) ||
  hasCodeWords(spoken);

/** Of sentences. */
export const technicalShare = (told: readonly SourceSentence[], reader: LanguageReader): number =>
  told.filter((sentence) => isTechnical(sentence, reader)).length / Math.max(1, told.length);

const wordsOf = (some: readonly SourceSentence[]): number => some.reduce((sum, { words }) => sum + words, 0);

/** What can be told before anything is picked. */
export function styleMisfit(
  style: SynthesisStyle,
  sentences: readonly SourceSentence[],
  reader: LanguageReader,
): StyleMisfit | undefined {
  const fit = sentences.filter(({ unfit }) => unfit === undefined);
  const told = fit.filter(({ kind }) => kind !== 'row');
  // A briefing reads a table's figures out.
  if (style !== 'executive-briefing' && told.length < MIN_STATEMENTS) return 'no-statements';
  const text = sentences.filter(({ unfit }) => unfit !== 'apparatus' && unfit !== 'code');
  const notes = text.filter(({ unfit, explains }) => unfit === 'note' || explains);
  if (style !== 'executive-briefing' && wordsOf(notes) > wordsOf(text) * MAX_NOTE_SHARE)
    return 'reference-work';
  const heard = told.filter(({ spoken }) => !hasCodeWords(spoken));
  if (
    style === 'podcast' &&
    wordsOf(text) >= MIN_WORDS_OF_SPECIFICATION &&
    wordsOf(heard) < wordsOf(sentences.filter(({ unfit }) => unfit !== 'apparatus')) * MIN_HEARD_SHARE &&
    technicalShare(told, reader) > MAX_TECHNICAL_SHARE
  )
    return 'specification';
  if (style !== 'childrens-story') return undefined;
  if (technicalShare(told, reader) > MAX_TECHNICAL_SHARE) return 'technical-for-children';
  const short = told.filter(({ words }) => words <= MAX_WORDS_FOR_CHILD);
  if (wordsOf(short) >= wordsOf(told) * MIN_SHORT_SHARE) return undefined;
  return tellsOfPersons(sentences, reader) ? undefined : 'long-for-children';
}

/** Whether it is a story. */
export function tellsOfPersons(sentences: readonly SourceSentence[], { narrating }: LanguageReader): boolean {
  const running = sentences.filter(
    ({ kind, unfit }) => kind === 'sentence' && unfit !== 'apparatus' && unfit !== 'code',
  );
  const narrated = running.filter(({ text }) => narrating.test(text));
  return narrated.length > 0 && wordsOf(narrated) >= wordsOf(running) * MIN_NARRATED_SHARE;
}
