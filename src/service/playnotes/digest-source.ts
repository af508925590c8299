// The port for what selects from a source what fits into a budget of words.

import type { SourceDocument } from '../../script/source-document.ts';
import type { SourceSentence } from '../../script/source-sentence.ts';
import type { Language } from '../../speech/language.ts';

export type DigestWish = {
  readonly document: SourceDocument;
  readonly language: Language;
  readonly mostWords: number;
};

/** Rejects with the signal's reason, or with `script_failed`. */
export type DigestSource = (wish: DigestWish, signal: AbortSignal) => Promise<readonly SourceSentence[]>;
