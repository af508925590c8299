// What the four planners work with: the picked sentences in their topics, the words of the language and the phrases. And
// the two ways to make a line: said (a phrase, without sources) and stated (sentences of the source, with their numbers).

import { headingName } from '../heading-name.ts';
import type { KeyTerms } from '../key-terms.ts';
import type { LanguageReader } from '../language-reader.ts';
import type { PhraseBook } from '../phrase-book.ts';
import type { ScriptLine } from '../script.ts';
import type { Topic } from '../sections.ts';
import type { SourceSentence } from '../source-sentence.ts';
import { endsAsSentence, withComma } from '../spoken-form.ts';
import { isUnspaced } from '../words.ts';

export type Material = {
  /** Of the script, and of chapters that nothing else names. */
  readonly title: string;
  readonly voices: 1 | 2;
  readonly topics: readonly Topic[];
  /** The first statement of the text that stands by itself, whether it was picked or not. */
  readonly opening: number | undefined;
  /** With which its end begins, if that is told. */
  readonly closing: number | undefined;
  readonly sentences: readonly SourceSentence[];
  /** How many headings from the top are titles of the whole text. */
  readonly titleDepth: number;
  /** By the number of the sentence. */
  readonly weights: readonly number[];
  readonly terms: KeyTerms;
  readonly reader: LanguageReader;
  readonly book: PhraseBook;
};

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

/** The heading right above a sentence, as people say it, unless it is the title. */
export const headingOver = ({ sentences, titleDepth }: Material, number: number): string | undefined => {
  const path = sentences[number]!.path.slice(titleDepth);
  return headingName(path.at(-1));
};

/** As far as one sentence reaches over others at most. */
const MAX_REACH = 40;

/** Whether a script may part between `number` and the sentence behind it: nothing leans back over the gap, or is announced before it. */
export function mayPartBehind({ sentences }: Pick<Material, 'sentences'>, number: number): boolean {
  if (sentences[number + 1]?.leans === true) return false;
  for (let at = Math.max(0, number - MAX_REACH); at <= number; at += 1) {
    const { until } = sentences[at]!;
    if (until > number && Number.isFinite(until)) return false;
  }
  return true;
}

/** What the text is about: what is told from its opening statement on, about as many words. */
export function openingRun(material: Material, mostWords: number): readonly number[] {
  const { opening, topics } = material;
  const told =
    topics.find(({ numbers }) => opening !== undefined && numbers.includes(opening))?.numbers ?? [];
  const from = opening === undefined ? -1 : told.indexOf(opening);
  if (from === -1) return [];
  let run: number[] = [];
  let parted: readonly number[] = [];
  for (const number of told.slice(from)) {
    const before = run.at(-1);
    if (before !== undefined && before !== number - 1) {
      // What is told up to a gap has all that it needs.
      parted = run;
      break;
    }
    if (parted.length > 0 && wordsIn(material, run) + material.sentences[number]!.words > mostWords) break;
    run = [...run, number];
    if (mayPartBehind(material, number)) parted = run;
  }
  return parted.length === 0 || wordsIn(material, run) <= mostWords ? run : parted;
}

/** What is told from the text's end on: the conclusion, or its last words; empty where it is no part of its own. */
export function closingRun({ sentences, closing, topics }: Material): readonly number[] {
  if (closing === undefined) return [];
  const told = topics.flatMap(({ numbers }) => numbers);
  if (!told.includes(closing) || !mayPartBehind({ sentences }, closing - 1)) return [];
  return told.filter((number) => number >= closing);
}

/** What is no word of the author's: quotations, "i.e.", and a numeral or a letter in lower case. */
const NOT_THE_AUTHOR = /["“„«「『][^"“”»」』]*["”“»」』]|\p{L}\.\s?\p{L}\.|(?<!\p{L})(?:i|I\/O)(?!\p{L})/gu;

/** Whether whoever wrote it speaks of himself or herself. */
export const hasFirstPerson = ({ topics, sentences, reader }: Material): boolean =>
  topics.some(({ numbers }) =>
    numbers.some((number) => reader.firstPerson.test(sentences[number]!.spoken.replace(NOT_THE_AUTHOR, ' '))),
  );

const MAX_CHARACTERS_OF_CHAPTER = 48;

/** How a part begins, as its title: its first words, up to where they pause. */
function beginningOf(spoken: string): string {
  const clause = spoken.split(/[,;:.!?。、，；：！？—]/u, 1)[0]!.trim();
  if (clause.length >= 12 && clause.length <= MAX_CHARACTERS_OF_CHAPTER) return clause;
  const cut = spoken.slice(0, MAX_CHARACTERS_OF_CHAPTER);
  const whole = spoken.length <= MAX_CHARACTERS_OF_CHAPTER ? spoken : cut.replace(/\s+\S*$/u, '');
  return `${whole.replace(/[\s\p{P}]+$/u, '')}…`;
}

/** Titles of chapters, none twice: the section's name, else how the part begins. */
export function createChapterTitles({ sentences, title, book }: Material) {
  const given = new Set(
    [
      title,
      book.say('titleOpening'),
      book.say('titleKeyPoints'),
      book.say('titleSummary'),
      book.say('titleClosing'),
    ].map((one) => one?.toLowerCase()),
  );
  return (name: string | undefined, numbers: readonly number[]): string => {
    const begins = numbers.length === 0 ? title : beginningOf(sentences[numbers[0]!]!.spoken);
    const chosen = name === undefined || given.has(name.toLowerCase()) ? begins : name;
    given.add(chosen.toLowerCase());
    return chosen;
  };
}

/**
 * Parts of one answer each: about `words` long, at least a sentence; what is bound to the one before stays with it, and a table whole.
 */
export function answers(material: Material, numbers: readonly number[], words: number): number[][] {
  const parts: number[][] = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    const { kind, words: own } = material.sentences[number]!;
    const before = last?.at(-1) === number - 1 ? material.sentences[number - 1] : undefined;
    const follows =
      before !== undefined &&
      (!mayPartBehind(material, number - 1) || (kind === 'row' && before.kind === 'row'));
    if (last !== undefined && (follows || wordsIn(material, last) + own <= words)) last.push(number);
    else parts.push([number]);
  }
  return parts;
}

/** The topics without sentences that are said in another place; a topic that has no others is not there. */
export const withoutNumbers = (topics: readonly Topic[], taken: readonly number[]): Topic[] =>
  topics
    .map((topic) => ({ ...topic, numbers: topic.numbers.filter((number) => !taken.includes(number)) }))
    .filter(({ numbers }) => numbers.length > 0);
