// SourceDocument → Script without a language model. What is stated are sentences of the source, chosen by rank and cut by
// safe rules only; what is said between them comes from the phrase tables. So a script can be dull, but not untrue. The
// same document, wish and seed give the same script.

import type { Language } from '../speech/language.ts';
import { headingName, titleName } from './heading-name.ts';
import { createKeyTerms } from './key-terms.ts';
import { languageReaderOf } from './language-reader.ts';
import { createPhraseBook } from './phrase-book.ts';
import { planBriefing } from './plans/briefing-plan.ts';
import { planDebate } from './plans/debate-plan.ts';
import type { Material } from './plans/material.ts';
import { pickSentences } from './plans/pick-sentences.ts';
import { planPodcast } from './plans/podcast-plan.ts';
import { planStory } from './plans/story-plan.ts';
import { styleTaste } from './plans/style-taste.ts';
import { rankSentences } from './rank-sentences.ts';
import { MIN_SCRIPT_WORDS } from './running-text.ts';
import type { Script, ScriptChapter, Speakers, SynthesisStyle } from './script.ts';
import { scriptLanguageOf } from './script-languages.ts';
import { SCRIPT_LENGTHS, wordBudget } from './script-length.ts';
import { similarity } from './sentence-vectors.ts';
import type { SourceDocument } from './source-document.ts';
import type { SentenceCutter, SourceSentence } from './source-sentence.ts';
import { toSourceSentences } from './source-sentences.ts';
import { createTermFinder } from './term-places.ts';
import { type Topic, titleDepth, topicsOf } from './topics.ts';

export type ScriptWish = {
  readonly style: SynthesisStyle;
  readonly speakers: Speakers;
  /** Of the source and of the script: nothing is translated. */
  readonly language: Language;
  /** A whole number from 0; chooses among phrases. */
  readonly seed: number;
};

export type ScriptRefusal = { readonly refused: 'too-little-text' };

const PLANS: Readonly<Record<SynthesisStyle, (material: Material) => ScriptChapter[]>> = {
  podcast: planPodcast,
  'executive-briefing': planBriefing,
  'childrens-story': planStory,
  debate: planDebate,
};

/** Less cannot be talked about. */
const MIN_SENTENCES = 3;
const MAX_NAME_CHARACTERS = 60;
const MAX_TITLE_CHARACTERS = 120;

/** A name as it is spoken; undefined when there is nothing in it to say. */
const spokenName = (name: string | undefined): string | undefined => {
  const plain = (name ?? '')
    .replace(/[\p{Cc}\p{Cf}{}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_CHARACTERS);
  return /[\p{L}\p{N}]/u.test(plain) ? plain : undefined;
};

/** The document's own title, else the heading over all of it. */
function nameOfText(document: SourceDocument, sentences: readonly SourceSentence[]): string | undefined {
  const own = titleName(document.title);
  const depth = titleDepth(sentences);
  const heading = document.blocks.find((block) => block.kind === 'heading');
  return own ?? (depth > 0 || heading?.level === 1 ? headingName(heading?.text) : undefined);
}

/** Where the source has more topics than a script can hold, the weightiest are picked from once more. */
function chooseTopics(
  style: SynthesisStyle,
  sentences: readonly SourceSentence[],
  weights: readonly number[],
  pick: (keeps: (sentence: SourceSentence) => boolean) => number[],
): readonly Topic[] {
  const most = SCRIPT_LENGTHS[style].mostTopics;
  const topics = topicsOf(
    pick(() => true),
    sentences,
    most,
  );
  if (topics.length <= most) return topics;
  const depth = titleDepth(sentences);
  const topOf = (sentence: SourceSentence) => sentence.path[depth] ?? '';
  const worth = (topic: Topic) => topic.numbers.reduce((sum, number) => sum + weights[number]!, 0);
  const kept = new Set(
    [...topics]
      .sort((a, b) => worth(b) - worth(a))
      .slice(0, most)
      .map(({ numbers }) => topOf(sentences[numbers[0]!]!)),
  );
  const again = topicsOf(
    pick((sentence) => kept.has(topOf(sentence))),
    sentences,
    most,
  );
  return again.slice(0, most);
}

/** Lines hold at most 1,000 characters. Time: linear in the text but for a bounded part (rank-sentences.ts). */
export function writeScript(
  document: SourceDocument,
  wish: ScriptWish,
  cut: SentenceCutter,
): Script | ScriptRefusal {
  const { style, speakers, language, seed } = wish;
  const spoken = scriptLanguageOf(language);
  const reader = languageReaderOf(spoken?.cues);
  const sentences = toSourceSentences(document, cut, language, reader);
  const fit = sentences.filter((sentence) => sentence.unfit === undefined);
  const words = fit.reduce((sum, sentence) => sum + sentence.words, 0);
  if (fit.length < MIN_SENTENCES || words < MIN_SCRIPT_WORDS) return { refused: 'too-little-text' };

  const ranked = rankSentences(sentences);
  const budget = wordBudget(style, words);
  const tastes = styleTaste(style, reader, words / fit.length);
  const pick = (keeps: (sentence: SourceSentence) => boolean) => {
    for (const taste of tastes) {
      const picked = pickSentences(sentences, ranked, {
        words: budget,
        taste: (sentence) => (keeps(sentence) ? taste(sentence) : 0),
      });
      if (picked.length >= Math.min(fit.length, 2 * MIN_SENTENCES)) return picked;
    }
    return pickSentences(sentences, ranked, { words: budget, taste: () => 1 });
  };
  const topics = chooseTopics(style, sentences, ranked.weights, pick);
  if (topics.length === 0) return { refused: 'too-little-text' };

  const title = nameOfText(document, sentences);
  const find = spoken === undefined ? () => [] : createTermFinder(spoken.terms, reader);
  const names = topics.flatMap((topic) => topic.name ?? []);
  const terms = createKeyTerms(sentences, find, title === undefined ? names : [title, ...names]);
  const name1 = spokenName(speakers.name1);
  const name2 = speakers.voices === 2 ? spokenName(speakers.name2) : undefined;
  const together = (numbers: readonly number[]) => numbers.map((number) => ranked.vectors[number]!);
  const material: Material = {
    title: (title ?? names[0] ?? sentences[topics[0]!.numbers[0]!]!.spoken).slice(0, MAX_TITLE_CHARACTERS),
    voices: speakers.voices,
    topics,
    sentences,
    weights: ranked.weights,
    terms,
    reader,
    book: createPhraseBook(spoken?.phrases, seed, { title, name1, name2 }),
    likeness: (a, b) =>
      Math.max(0, ...together(a).flatMap((one) => together(b).map((other) => similarity(one, other)))),
  };
  const chapters = PLANS[style](material).filter((chapter) => chapter.lines.length > 0);
  return { title: material.title, language, style, chapters };
}
