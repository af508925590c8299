// SourceDocument → Script without a language model. What is stated are sentences of the source, chosen by rank and cut by
// safe rules only; what is said between them comes from the phrase tables. So a script can be dull, but not untrue. A
// source that has nothing to say in a style is refused. The same document, wish and seed give the same script.

import type { Language } from '../speech/language.ts';
import { headingName, isConclusion, titleName } from './heading-name.ts';
import { createKeyTerms } from './key-terms.ts';
import { type LanguageReader, languageReaderOf } from './language-reader.ts';
import { createPhraseBook } from './phrase-book.ts';
import { planBriefing } from './plans/briefing-plan.ts';
import { planDebate } from './plans/debate-plan.ts';
import type { Material } from './plans/material.ts';
import { pickSentences } from './plans/pick-sentences.ts';
import { planPodcast } from './plans/podcast-plan.ts';
import { company, MAX_BOUND, type Taste, withoutScraps } from './plans/runs.ts';
import { planStory } from './plans/story-plan.ts';
import {
  MAX_TECHNICAL_SHARE,
  type StyleMisfit,
  styleMisfit,
  technicalShare,
  tellsOfPersons,
} from './plans/style-fit.ts';
import { STORY_RUN, styleTaste } from './plans/style-taste.ts';
import { type Ranked, rankSentences } from './rank-sentences.ts';
import { MIN_SCRIPT_WORDS } from './running-text.ts';
import { type Script, type ScriptChapter, type Speakers, type SynthesisStyle, withCited } from './script.ts';
import type { ScriptLanguage } from './script-language.ts';
import { scriptLanguageOf } from './script-languages.ts';
import { SCRIPT_LENGTHS, wordBudget } from './script-length.ts';
import { type Section, sectionsOf, type Topic, titleDepth } from './sections.ts';
import type { SourceDocument } from './source-document.ts';
import type { SentenceCutter, SourceSentence } from './source-sentence.ts';
import { toSourceSentences } from './source-sentences.ts';
import { isStatement } from './statement.ts';
import { createTermFinder } from './term-places.ts';
import { comparedTerms, wordsOf } from './words.ts';

export type ScriptWish = {
  readonly style: SynthesisStyle;
  readonly speakers: Speakers;
  /** Of the source and of the script: nothing is translated. */
  readonly language: Language;
  /** A whole number from 0; chooses among phrases. */
  readonly seed: number;
};

export type ScriptRefusal =
  | { readonly refused: 'too-little-text' }
  /** It has nothing to say in this style; `suits`: the styles in which a script of it can be written, at least one. */
  | { readonly refused: StyleMisfit; readonly suits: readonly SynthesisStyle[] };

const PLANS: Readonly<Record<SynthesisStyle, (material: Material) => ScriptChapter[]>> = {
  podcast: planPodcast,
  'executive-briefing': planBriefing,
  'childrens-story': planStory,
  debate: planDebate,
};

const STYLES = Object.keys(PLANS) as SynthesisStyle[];

/** Less cannot be talked about. */
const MIN_SENTENCES = 3;
/** Of the words that a script may have. */
const MIN_WHOLE_SHARE = 0.35;
/** So much each section has, however short it is. */
const MIN_WORDS_OF_SECTION = 40;
/** Among the first statements of a text, the one that names its subject says what it is about. */
const STATEMENTS_OF_BEGINNING = 12;
/** Of the words of the title. */
const MIN_TITLE_SHARE = 0.5;
/** A briefing of a short source has two of its sentences. */
const MIN_TOLD = 2;
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
  const [heading, ...others] = document.blocks.filter((block) => block.kind === 'heading');
  // One of several chapters is not the whole.
  const isTitle = heading?.level === 1 && others.every(({ level }) => level > 1);
  return own ?? (depth > 0 || isTitle ? headingName(heading?.text) : undefined);
}

/** The statement that says what the text is about: the first that names what the title names, else the first of all. */
function openingOf(
  document: SourceDocument,
  sentences: readonly SourceSentence[],
  reader: LanguageReader,
): number | undefined {
  const beginning: SourceSentence[] = [];
  for (const sentence of sentences) {
    if (isStatement(sentence, reader) && !isConclusion(sentence.path.at(-1) ?? '')) beginning.push(sentence);
    if (beginning.length === STATEMENTS_OF_BEGINNING) break;
  }
  const titled = [...new Set(comparedTerms(nameOfText(document, sentences) ?? ''))];
  const named = beginning.find(({ spoken }) => {
    const own = new Set(comparedTerms(spoken));
    return (
      titled.length > 1 && titled.filter((term) => own.has(term)).length >= titled.length * MIN_TITLE_SHARE
    );
  });
  // "ssh is a program …" of what is called "ssh - a remote login".
  const [name = ''] = wordsOf(nameOfText(document, sentences) ?? '');
  const begun =
    name.length < 2 || reader.articles.test(name)
      ? undefined
      : beginning.find(({ spoken }) => wordsOf(spoken.slice(0, 60))[0] === name);
  const ownWords = beginning.find(({ spoken }) => reader.aboutItself.test(spoken));
  return (ownWords ?? begun ?? named ?? beginning[0])?.number;
}

/** So many of the last paragraphs are tried as an end. */
const PARAGRAPHS_OF_END = 8;
const MIN_WORDS_OF_END = 15;
/** A text of fewer sentences is told to its end without a word about it. */
const MIN_SENTENCES_BEFORE_END = 12;

/** The sentences that the end of the text may begin with: its conclusion, else of a text that is no specification its last paragraphs. */
function closingsOf(
  sentences: readonly SourceSentence[],
  fit: readonly SourceSentence[],
  reader: LanguageReader,
): readonly number[] {
  const begins = ({ number, block, kind }: SourceSentence) =>
    kind === 'sentence' && sentences[number - 1]?.block !== block;
  const concluding = fit.find(
    (sentence) => begins(sentence) && !sentence.leans && isConclusion(sentence.path.at(-1) ?? ''),
  );
  if (concluding !== undefined) return [concluding.number];
  if (fit.length < MIN_SENTENCES_BEFORE_END || technicalShare(fit, reader) > MAX_TECHNICAL_SHARE) return [];
  const reach = { taste: () => 1, mostBound: MAX_BOUND, ahead: 0 };
  const starts = fit
    .filter(begins)
    .slice(-PARAGRAPHS_OF_END)
    .reverse()
    .flatMap(({ number }) => {
      const chain = company(sentences, number, reach);
      const words = (chain ?? []).reduce((sum, member) => sum + sentences[member]!.words, 0);
      return chain !== undefined && words >= MIN_WORDS_OF_END ? chain.slice(0, 1) : [];
    });
  return [...new Set(starts)];
}

/** What all styles of one source have in common. */
type Source = {
  readonly document: SourceDocument;
  readonly sentences: readonly SourceSentence[];
  readonly fit: readonly SourceSentence[];
  readonly words: number;
  readonly ranked: Ranked;
  /** The first sentence that says something by itself. */
  readonly opening: number | undefined;
  /** With which its end may begin: its conclusion, or the last paragraphs that can be told, last first. */
  readonly closings: readonly number[];
  readonly spoken: ScriptLanguage | undefined;
  readonly reader: LanguageReader;
};

/** The told sentences by the sections that they stand in; what announces a list is of the section of the list. */
function topicsOf(picked: readonly number[], sections: readonly Section[]): Topic[] {
  const sectionOf = new Map(
    sections.flatMap(({ numbers }, at) => numbers.map((number) => [number, at] as const)),
  );
  const told = sections.map((): number[] => []);
  let current = sections.length - 1;
  for (const number of [...picked].reverse()) {
    current = sectionOf.get(number) ?? current;
    told[current]!.unshift(number);
  }
  return sections
    .map(({ name }, at) => ({ name, numbers: told[at]! }))
    .filter(({ numbers }) => numbers.length > 0);
}

const toldOf = (topics: readonly Topic[]): number[] => topics.flatMap(({ numbers }) => numbers);

/** A short tale from its beginning to its ending, but for what cannot be told and what is bound to that. */
function wholeTale(sentences: readonly SourceSentence[]): number[] {
  const told = new Set(
    sentences
      .filter(({ unfit, kind }) => unfit === undefined && kind === 'sentence')
      .map(({ number }) => number),
  );
  for (let before = -1; before !== told.size; ) {
    before = told.size;
    for (const number of told) {
      const { leans, until } = sentences[number]!;
      let isBound = leans && !told.has(number - 1);
      for (let next = number + 1; !isBound && next <= Math.min(until, sentences.length); next += 1)
        isBound = !told.has(next);
      if (isBound) told.delete(number);
    }
  }
  return [...told];
}

/** The topics of a script of this style, of sentences that suit it; empty when there are too few of these. */
function topicsFor(
  style: SynthesisStyle,
  { sentences, fit, words, ranked, reader, opening, closings }: Source,
): readonly Topic[] {
  const { mostTopics, run, ahead, leastRun, mostWords } = SCRIPT_LENGTHS[style];
  const isStory = style === 'childrens-story' && tellsOfPersons(sentences, reader);
  // What is a story already is told from its beginning, whole if it is short.
  const budget = isStory ? Math.min(words, mostWords) : wordBudget(style, words);
  if (isStory && words <= mostWords)
    return topicsOf(
      wholeTale(sentences),
      sectionsOf(
        fit.map(({ number }) => number),
        sentences,
        { most: mostTopics, budget, opening, worth: (numbers) => numbers.length },
      ),
    );
  const toldBy = (taste: Taste, mostAhead = 0): readonly Topic[] => {
    const suited = fit.filter((sentence) => taste(sentence) > 0).map(({ number }) => number);
    if (suited.length === 0) return [];
    const worth = (numbers: readonly number[]) =>
      numbers.reduce((sum, number) => sum + ranked.weights[number]!, 0);
    const sections = sectionsOf(suited, sentences, { most: mostTopics, budget, opening, worth });
    const chosen = new Set(sections.flatMap(({ numbers }) => numbers));
    const all = sections.reduce((sum, section) => sum + section.words, 0);
    const picked = pickSentences(sentences, ranked, {
      words: budget,
      run,
      ahead: mostAhead,
      ...(isStory && STORY_RUN),
      opening,
      closings: style === 'podcast' || style === 'executive-briefing' ? closings : [],
      taste: (sentence) => (chosen.has(sentence.number) ? taste(sentence) : 0),
      sections: sections.map(({ numbers, words: own }) => ({
        numbers,
        words: Math.max(MIN_WORDS_OF_SECTION, Math.round((budget * own) / all)),
      })),
    });
    return topicsOf(
      isStory ? picked : withoutScraps(sentences, picked, [opening, ...closings], leastRun),
      sections,
    );
  };
  const count = (topics: readonly Topic[]) => topics.reduce((sum, { numbers }) => sum + numbers.length, 0);
  const tastes = styleTaste(style, reader, { meanWords: words / fit.length, isStory });
  // Runs that begin with their paragraphs, if these have enough to tell.
  const whole = ahead === 0 ? [] : toldBy(tastes[0]!, ahead);
  const toldWords = whole
    .flatMap(({ numbers }) => numbers)
    .reduce((sum, number) => sum + sentences[number]!.words, 0);
  if (toldWords >= budget * MIN_WHOLE_SHARE && count(whole) >= Math.min(fit.length, MIN_SENTENCES))
    return whole;
  for (const taste of tastes) {
    const topics = toldBy(taste);
    if (count(topics) >= Math.min(fit.length, isStory ? MIN_SENTENCES : 2 * MIN_SENTENCES)) return topics;
  }
  return style === 'childrens-story' ? [] : toldBy(() => 1);
}

function scriptOf(source: Source, { style, speakers, language, seed }: ScriptWish): Script | StyleMisfit {
  const { document, sentences, ranked, spoken, reader } = source;
  const misfit = styleMisfit(style, sentences, reader);
  if (misfit !== undefined) return misfit;
  const topics = topicsFor(style, source);
  const told = topics.reduce((sum, topic) => sum + topic.numbers.length, 0);
  if (told < MIN_TOLD) return style === 'childrens-story' ? 'long-for-children' : 'no-statements';

  const title = nameOfText(document, sentences);
  const find = spoken === undefined ? () => [] : createTermFinder(spoken.terms, reader);
  const names = topics.flatMap((topic) => topic.name ?? []);
  const terms = createKeyTerms(sentences, find, title === undefined ? names : [title, ...names]);
  const name1 = spokenName(speakers.name1);
  const name2 = speakers.voices === 2 ? spokenName(speakers.name2) : undefined;
  const material: Material = {
    title: (title ?? names[0] ?? sentences[topics[0]!.numbers[0]!]!.spoken).slice(0, MAX_TITLE_CHARACTERS),
    voices: speakers.voices,
    topics,
    opening: toldOf(topics).includes(source.opening ?? -1) ? source.opening : toldOf(topics)[0],
    closing: source.closings.find((number) => topics.some(({ numbers }) => numbers.includes(number))),
    sentences,
    titleDepth: titleDepth(sentences),
    weights: ranked.weights,
    terms,
    reader,
    book: createPhraseBook(spoken?.phrases, seed, { title, name1, name2 }),
  };
  const chapters = PLANS[style](material).filter((chapter) => chapter.lines.length > 0);
  if (chapters.length === 0) return 'no-two-sides';
  return withCited({ title: material.title, language, style, chapters }, sentences);
}

/** Lines hold at most 1,000 characters. Time: linear in the text but for a bounded part (rank-sentences.ts). */
export function writeScript(
  document: SourceDocument,
  wish: ScriptWish,
  cut: SentenceCutter,
): Script | ScriptRefusal {
  const { style, language } = wish;
  const spoken = scriptLanguageOf(language);
  const reader = languageReaderOf(spoken?.cues);
  const sentences = toSourceSentences(document, cut, language, reader);
  const fit = sentences.filter((sentence) => sentence.unfit === undefined);
  const words = fit.reduce((sum, sentence) => sum + sentence.words, 0);
  if (fit.length < MIN_SENTENCES || words < MIN_SCRIPT_WORDS) return { refused: 'too-little-text' };

  const opening = openingOf(document, sentences, reader);
  const closings = closingsOf(sentences, fit, reader);
  const ranked = rankSentences(sentences);
  const source = { document, sentences, fit, words, ranked, opening, closings, spoken, reader };
  const script = scriptOf(source, wish);
  if (typeof script !== 'string') return script;
  const suits = STYLES.filter(
    (other) => other !== style && typeof scriptOf(source, { ...wish, style: other }) !== 'string',
  );
  return suits.length === 0 ? { refused: 'too-little-text' } : { refused: script, suits };
}
