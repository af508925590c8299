// The part of a long source that fits into a budget, for a writer that reads it as a whole: the weightiest sentences in
// the order of the source, with their numbers. A source that fits is left whole.

import type { Language } from '../speech/language.ts';
import { languageReaderOf } from './language-reader.ts';
import { pickSentences } from './plans/pick-sentences.ts';
import { rankSentences } from './rank-sentences.ts';
import { scriptLanguageOf } from './script-languages.ts';
import type { SourceDocument } from './source-document.ts';
import type { SentenceCutter, SourceSentence } from './source-sentence.ts';
import { toSourceSentences } from './source-sentences.ts';

/** At most `mostWords` words; the numbers are those of the whole source. */
export function sourceDigest(
  document: SourceDocument,
  language: Language,
  cut: SentenceCutter,
  mostWords: number,
): readonly SourceSentence[] {
  const reader = languageReaderOf(scriptLanguageOf(language)?.cues);
  const sentences = toSourceSentences(document, cut, language, reader);
  const words = sentences.reduce((sum, sentence) => sum + sentence.words, 0);
  if (words <= mostWords) return sentences;
  const picked = pickSentences(sentences, rankSentences(sentences), {
    words: mostWords,
    taste: () => 1,
    run: 0,
  });
  return picked.map((number) => sentences[number]!);
}
