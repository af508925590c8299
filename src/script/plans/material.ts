// What the four planners work with: the picked sentences in their topics, the words of the language and the phrases. And
// the two ways to make a line: said (a phrase, without sources) and stated (sentences of the source, with their numbers).

import { headingName, headingTitle } from '../heading-name.ts';
import type { KeyTerms } from '../key-terms.ts';
import type { LanguageReader } from '../language-reader.ts';
import type { PhraseBook } from '../phrase-book.ts';
import type { ScriptLine } from '../script.ts';
import type { Topic } from '../sections.ts';
import type { SourceSentence } from '../source-sentence.ts';
import { endsAsSentence, withComma } from '../spoken-form.ts';
import { isStatement } from '../statement.ts';
import { comparedTerms, isUnspaced } from '../words.ts';

export type Material = {
  /** Of the script, and of chapters that nothing else names. */
  readonly title: string;
  readonly voices: 1 | 2;
  readonly topics: readonly Topic[];
  /** The first statement of the text that stands by itself, whether it was picked or not. */
  readonly opening: number | undefined;
  readonly sentences: readonly SourceSentence[];
  /** How many headings from the top are titles of the whole text. */
  readonly titleDepth: number;
  /** By the number of the sentence. */
  readonly weights: readonly number[];
  readonly terms: KeyTerms;
  readonly reader: LanguageReader;
  readonly book: PhraseBook;
};

/** Of the rank of the sentence that a text begins with, among its points. */
const OPENING_WORTH = 1.5;
/** Of one that a paragraph begins with: it was written to be understood by itself. */
const PARAGRAPH_WORTH = 1.3;
/** Of one that says something of what the title names, and of one that is hardly more than a remark. */
const SUBJECT_WORTH = 1.4;
const SHORT_WORTH = 0.6;
const MIN_WORDS_OF_FULL_POINT = 10;
const MAX_LINE_CHARACTERS = 1000;
const TURNS = 9;
const MIN_WORDS_OF_TURN = 12;

/** No line where the language has no phrase. */
export const said = (speaker: 1 | 2, text: string | undefined): ScriptLine[] =>
  text === undefined ? [] : [{ speaker, text: text.slice(0, MAX_LINE_CHARACTERS), sources: [] }];

const MAX_WORDS_OF_LISTED = 8;

/** An item of a list that was announced: "…: one, two, three."; longer ones are sentences of their own. */
const isListed = ({ kind, leans, words, text }: SourceSentence): boolean =>
  kind === 'item' && leans && words <= MAX_WORDS_OF_LISTED && !endsAsSentence(text);

/** As few lines as hold the sentences. */
export function stated({ sentences }: Material, speaker: 1 | 2, numbers: readonly number[]): ScriptLine[] {
  const lines: { speaker: 1 | 2; text: string; sources: number[] }[] = [];
  for (const [index, number] of numbers.entries()) {
    const isInList =
      isListed(sentences[number]!) && numbers[index + 1] === number + 1 && isListed(sentences[number + 1]!);
    const spoken = isInList ? withComma(sentences[number]!.spoken) : sentences[number]!.spoken;
    const last = lines.at(-1);
    const gap =
      isUnspaced(spoken.slice(0, 1)) && last !== undefined && /[。！？、：]["」』”]*$/u.test(last.text)
        ? ''
        : ' ';
    if (last !== undefined && last.text.length + gap.length + spoken.length <= MAX_LINE_CHARACTERS) {
      last.text += gap + spoken;
      last.sources.push(number);
    } else lines.push({ speaker, text: spoken, sources: [number] });
  }
  return lines;
}

export const wordsIn = ({ sentences }: Material, numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + sentences[number]!.words, 0);

/** So long may a turn of talk be that a short text, too, goes to and fro; never above `most` words. */
export function turnWords(material: Material, most: number): number {
  const words = wordsIn(
    material,
    material.topics.flatMap(({ numbers }) => numbers),
  );
  return Math.min(most, Math.max(MIN_WORDS_OF_TURN, words / TURNS));
}

/** Of a topic without a heading: a term that it begins with and comes back to. The first one is about the title, which was just said. */
export function topicName({ terms, sentences }: Material, topic: Topic, index: number): string | undefined {
  if (topic.name !== undefined || index === 0) return topic.name;
  const [first, ...others] = topic.numbers;
  const later = others.map((number) => sentences[number]!.spoken.toLowerCase());
  return terms.take([first!], (term) => later.some((spoken) => spoken.includes(term.toLowerCase())));
}

/** The heading right above a sentence, as people say it, unless it is the title. */
export const headingOver = ({ sentences, titleDepth }: Material, number: number): string | undefined => {
  const path = sentences[number]!.path.slice(titleDepth);
  return headingName(path.at(-1));
};

/** What a list of chapters shows of a topic: its name, else the heading that all of it stands under, else the title. */
export function chapterTitle(
  { sentences, title, titleDepth }: Pick<Material, 'sentences' | 'title' | 'titleDepth'>,
  name: string | undefined,
  [first, ...others]: readonly number[],
): string {
  const path = first === undefined ? [] : sentences[first]!.path.slice(titleDepth);
  const isOver = (heading: string, depth: number) =>
    others.every((number) => sentences[number]!.path[titleDepth + depth] === heading);
  const depth = path.findIndex((heading, at) => !isOver(heading, at));
  return name ?? headingTitle((depth === -1 ? path : path.slice(0, depth)).at(-1)) ?? title;
}

/** Shorter ones go on with the next paragraph. */
const MIN_WORDS_OF_RUN = 25;

/** Parts that the source has in one piece: from one gap, or heading, to the next. */
export function runsOf(material: Material, numbers: readonly number[]): number[][] {
  const { sentences } = material;
  const runs: number[][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    const before = last === undefined ? undefined : sentences[last.at(-1)!]!;
    const { path, block, leans } = sentences[number]!;
    const goesOn =
      before?.number === number - 1 &&
      before.path === path &&
      (leans || before.block === block || wordsIn(material, last!) < MIN_WORDS_OF_RUN);
    if (goesOn) last!.push(number);
    else runs.push([number]);
  }
  return runs;
}

/** What the text is about: the run that begins with its opening statement, if that is told. */
export function openingRun(material: Material, mostWords: number): readonly number[] {
  const { opening, topics, sentences } = material;
  const told =
    topics.find(({ numbers }) => opening !== undefined && numbers.includes(opening))?.numbers ?? [];
  const run: number[] = [];
  for (const number of opening === undefined ? [] : told.slice(told.indexOf(opening))) {
    const { leans, block, words } = sentences[number]!;
    const before = run.at(-1);
    const goesOn =
      before === undefined ||
      (before === number - 1 &&
        (leans || (sentences[before]!.block === block && wordsIn(material, run) + words <= mostWords)));
    if (!goesOn) break;
    run.push(number);
  }
  return run;
}

/**
 * Parts of one answer each: about `words` long, at least a sentence; what leans stays with what it leans on, and a table whole.
 */
export function answers(material: Material, numbers: readonly number[], words: number): number[][] {
  const parts: number[][] = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    const { leans, kind, words: own } = material.sentences[number]!;
    const before = last?.at(-1) === number - 1 ? material.sentences[number - 1] : undefined;
    const follows = before !== undefined && (leans || (kind === 'row' && before.kind === 'row'));
    if (last !== undefined && (follows || wordsIn(material, last) + own <= words)) last.push(number);
    else parts.push([number]);
  }
  return parts;
}

/** Whether a sentence of `told` leans on this one: it cannot be taken away from in front of that. */
const isLeanedOn = ({ sentences }: Material, number: number, told: ReadonlySet<number>): boolean =>
  sentences[number + 1]?.leans === true && told.has(number + 1);

/**
 * The weightiest statements that stand by themselves, at most `count`, from different topics as long as there are some.
 * None that another sentence of the script leans on: they may be said in another place than the rest.
 */
export function strongest(
  material: Material,
  numbers: readonly number[],
  count: number,
  mostWords: number,
): number[] {
  const { sentences, weights, topics, reader, opening, title } = material;
  const opensParagraph = (number: number) => sentences[number - 1]?.block !== sentences[number]!.block;
  const subject = new Set(comparedTerms(title));
  const namesSubject = (number: number) =>
    comparedTerms(sentences[number]!.spoken).some((term) => subject.has(term));
  const worth = (number: number) =>
    weights[number]! *
    (number === opening ? OPENING_WORTH : opensParagraph(number) ? PARAGRAPH_WORTH : 1) *
    (namesSubject(number) ? SUBJECT_WORTH : 1) *
    (sentences[number]!.words < MIN_WORDS_OF_FULL_POINT ? SHORT_WORTH : 1);
  const told = new Set(topics.flatMap((topic) => topic.numbers));
  const alone = numbers
    .filter((number) => {
      const sentence = sentences[number]!;
      return (
        sentence.words <= mostWords && isStatement(sentence, reader) && !isLeanedOn(material, number, told)
      );
    })
    .sort((a, b) => worth(b) - worth(a) || a - b);
  const topicOf = (number: number) => topics.findIndex((topic) => topic.numbers.includes(number));
  const chosen: number[] = [];
  for (const fresh of [true, false])
    for (const number of alone) {
      if (chosen.length === count) return chosen;
      if (chosen.includes(number)) continue;
      if (!fresh || !chosen.some((other) => topicOf(other) === topicOf(number))) chosen.push(number);
    }
  return chosen;
}

/** The topics without sentences that are said in another place; a topic that has no others is not there. */
export const withoutNumbers = (topics: readonly Topic[], taken: readonly number[]): Topic[] =>
  topics
    .map((topic) => ({ ...topic, numbers: topic.numbers.filter((number) => !taken.includes(number)) }))
    .filter(({ numbers }) => numbers.length > 0);
