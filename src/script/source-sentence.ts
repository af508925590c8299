// What a script may state: the sentences of a source, numbered from 0 in reading order. A number means the same sentence
// for as long as the document, the language and the cutter are the same, so that a line can point at it.

import type { Language } from '../speech/language.ts';

/** Cuts running text into sentences; handed in, because the sentence rules have the rank of this folder. */
export type SentenceCutter = (text: string, language: Language | undefined) => readonly string[];

/** Why a sentence is not spoken by itself. It keeps its number. */
export type Unfit =
  | 'too-short'
  | 'too-long'
  /** It ends without an end, or begins in the middle. */
  | 'fragment'
  /** It announces what follows ("There are three reasons:"); spoken only together with that. */
  | 'lead-in'
  /** It points at something that cannot be heard: a figure, a page, an address. */
  | 'reference'
  /** Too few letters among figures and signs. */
  | 'signs'
  /** A command, a comment, a formula. */
  | 'code'
  /** It explains a term that cannot be said, such as an option of a command. */
  | 'note'
  /** Somebody's words or a poem, set apart in the text. */
  | 'quoted'
  /** It stands in a list of references or contents, or among thanks and rights. */
  | 'apparatus'
  /** It was there before, word by word. */
  | 'repeated';

export type SourceSentence = {
  readonly number: number;
  readonly kind: 'sentence' | 'item' | 'row';
  /** As the source has it, white space collapsed. */
  readonly text: string;
  /** What is said of it: `text` without parentheses, citations and leading connectives. */
  readonly spoken: string;
  /** Words of `spoken`. */
  readonly words: number;
  /** It is of the explanation of a term, as in a glossary or a list of options. */
  readonly explains: boolean;
  /** The headings above it, highest first. */
  readonly path: readonly string[];
  /** Counts the blocks of the document; sentences of a paragraph share one. */
  readonly block: number;
  readonly unfit: Unfit | undefined;
  /** It has a word that needs the sentence before it (leaning.ts), or is an item of a list that was announced. */
  readonly leans: boolean;
  /** The last of the sentences that it must be told with: what it announces, or what takes it back (announcing.ts); its own number where there are none, infinite where they are not there. */
  readonly until: number;
};
