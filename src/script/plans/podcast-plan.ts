// A podcast: one speaker asks and moderates, the other explains. Every question is asked for the sake of the sentence that
// answers it: for a term in it, or for what it is (a reason, an example, an objection, a figure). With one voice the
// same questions are rhetorical, and there are fewer of them.

import { isConclusion, isQuestion } from '../heading-name.ts';
import type { ScriptChapter, ScriptLine } from '../script.ts';
import type { Place } from '../script-language.ts';
import type { SourceSentence } from '../source-sentence.ts';
import { comparedTerms } from '../words.ts';
import {
  answers,
  chapterTitle,
  headingOver,
  type Material,
  openingRun,
  runsOf,
  said,
  stated,
  strongest,
  topicName,
  turnWords,
  withoutNumbers,
  wordsIn,
} from './material.ts';

/** Longer runs are parted between sentences, and the other puts in a word. */
const WORDS_OF_ANSWER = 60;
const WORDS_OF_ANSWER_SOLO = 110;
const WORDS_OF_OPENING = 60;
/** What is asked for stands early in the answer. */
const CHARACTERS_TO_TERM = 36;
/** From so many on some are kept for the end. */
const SENTENCES_TO_SUM_UP = 9;
const MANY_SENTENCES = 24;
/** Of the sentences, in the order of the source: what a text comes to stands near its end. */
const CLOSING_SHARE = 1 / 2;
const MIN_TO_SUM_UP = 2;
const MAX_WORDS_TO_REMEMBER = 30;
const MAX_WORDS_OF_CONCLUSION = 160;
const CHARACTERS_OF_OPENING = 24;
/** Some 30 seconds: no speaker talks longer without a word from the other. */
const MAX_WORDS_AT_A_STRETCH = 70;

/** Of one answer, where the other puts in a word: between sentences, in parts of about the same length. */
function stretches(material: Material, numbers: readonly number[]): number[][] {
  const most = wordsIn(material, numbers) / Math.ceil(wordsIn(material, numbers) / MAX_WORDS_AT_A_STRETCH);
  const parts: number[][] = [];
  let words = 0;
  for (const number of numbers) {
    const own = material.sentences[number]!.words;
    if (parts.length === 0 || words + own / 2 > most * parts.length) parts.push([]);
    parts.at(-1)!.push(number);
    words += own;
  }
  return parts;
}

/** What kind of answer the sentence is; undefined: none that a question could be made for. */
function kindOfQuestion(
  { sentences, reader }: Material,
  number: number,
  heard: number | undefined,
): Place | undefined {
  const { spoken, text } = sentences[number]!;
  const opening = text.slice(0, 60);
  if (reader.example.test(opening)) return 'askExample';
  if (reader.contrast.test(opening.slice(0, CHARACTERS_OF_OPENING)) && heard === number - 1)
    return 'askContrast';
  // Asked for what was just told, the answer would not be one.
  const before = heard === undefined ? '' : sentences[heard]!.spoken;
  const isNew = (cue: RegExp) => cue.test(spoken) && !cue.test(before);
  if (isNew(reader.concern)) return 'askConcern';
  // "Why?" asks for what was just told, so only a sentence that begins with the reason answers it.
  if (reader.reason.test(spoken.slice(0, CHARACTERS_OF_OPENING)) && heard === number - 1) return 'askReason';
  if (isNew(reader.benefit)) return 'askBenefit';
  return (spoken.match(/\p{N}+/gu)?.length ?? 0) > 1 ? 'askFigure' : undefined;
}

/** What is kept to be said last, and said once: what the source itself concludes, else its strongest statements towards the end. */
function kept(material: Material, numbers: readonly number[]): number[] {
  const { sentences, book } = material;
  if (numbers.length < SENTENCES_TO_SUM_UP || !book.has('sumUp')) return [];
  const concluding = numbers.filter((number) => isConclusion(sentences[number]!.path.at(-1) ?? ''));
  if (concluding.length > 0 && wordsIn(material, concluding) <= MAX_WORDS_OF_CONCLUSION) return concluding;
  const closing = numbers.slice(Math.floor(numbers.length * (1 - CLOSING_SHARE)));
  const titled = new Set(comparedTerms(material.title));
  // What does not name the subject is a detail to a listener who has heard the whole.
  const isOnSubject = ({ spoken }: SourceSentence) =>
    !/\p{N}/u.test(spoken) && comparedTerms(spoken).some((term) => titled.has(term));
  const onSubject = closing.filter((number) => isOnSubject(sentences[number]!));
  const count = numbers.length >= MANY_SENTENCES ? 3 : 2;
  const chosen = strongest(material, onSubject, count, MAX_WORDS_TO_REMEMBER).sort((a, b) => a - b);
  return chosen.length < MIN_TO_SUM_UP ? [] : chosen;
}

function createHost(material: Material) {
  const { book, terms, sentences } = material;
  const lastAsked = new Map<Place, number>();
  const named = new Set<string>();
  let asked = 0;

  return {
    /** Leads over to a topic. */
    opens(name: string | undefined, place: 'topicFirst' | 'topicNext' | 'topicLast'): string | undefined {
      if (name === undefined) return book.say('askOn');
      named.add(name);
      return isQuestion(name) ? name : book.say(place, { topic: name });
    },
    /** Asks for what comes next; `heard` is the sentence before it. */
    asks(answer: readonly number[], heard: number | undefined): string | undefined {
      asked += 1;
      const isUnderOther = heard !== undefined && sentences[answer[0]!]!.path !== sentences[heard]!.path;
      const heading = isUnderOther ? headingOver(material, answer[0]!) : undefined;
      if (heading !== undefined && !named.has(heading)) {
        named.add(heading);
        return isQuestion(heading) ? heading : book.say('topicNext', { topic: heading });
      }
      const kind = kindOfQuestion(material, answer[0]!, heard);
      // The same kind again only after three other questions: repeated patterns tire the listener.
      if (kind !== undefined && asked - (lastAsked.get(kind) ?? -9) > 3) {
        lastAsked.set(kind, asked);
        return book.say(kind);
      }
      const beginning = sentences[answer[0]!]!.spoken.slice(0, CHARACTERS_TO_TERM).toLowerCase();
      const term = terms.take(answer.slice(0, 1), (one) => beginning.includes(one.toLowerCase()));
      return term === undefined ? book.say('askOn') : book.say('ask', { term });
    },
  };
}

export function planPodcast(material: Material): ScriptChapter[] {
  const { book, voices, title } = material;
  const duo = voices === 2;
  const guest = duo ? 2 : 1;
  const host = createHost(material);
  const all = material.topics.flatMap((topic) => topic.numbers);
  const remembered = kept(material, all);
  const opening = book.has('begin')
    ? openingRun({ ...material, topics: withoutNumbers(material.topics, remembered) }, WORDS_OF_OPENING)
    : [];
  const topics = withoutNumbers(material.topics, [...remembered, ...opening]);

  const chapters: ScriptChapter[] = [
    {
      title: book.say('titleOpening') ?? title,
      lines: [
        ...said(1, book.say(duo ? 'hello' : 'helloSolo')),
        ...(duo ? said(2, book.say('thanks')) : []),
        ...(opening.length === 0 ? [] : said(1, book.say('begin'))),
        ...stated(material, guest, opening),
      ],
    },
  ];
  let turn = 0;
  let heard = opening.at(-1);
  for (const [index, topic] of topics.entries()) {
    const place = index === 0 ? 'topicFirst' : index === topics.length - 1 ? 'topicLast' : 'topicNext';
    const name = topicName(material, topic, index);
    const lines: ScriptLine[] = [];
    const most = turnWords(material, duo ? WORDS_OF_ANSWER : WORDS_OF_ANSWER_SOLO);
    const parts = runsOf(material, topic.numbers).flatMap((run) => answers(material, run, most));
    for (const [part, answer] of parts.entries()) {
      const goesOn = part > 0 && heard === answer[0]! - 1 && !isNewParagraph(material, answer[0]!);
      const question = part === 0 ? host.opens(name, place) : goesOn ? undefined : host.asks(answer, heard);
      // Every third question follows a word on the answer, so that the two are heard to listen.
      if (duo && part > 0 && (goesOn || turn % 3 === 1)) lines.push(...said(1, book.say('react')));
      lines.push(...said(1, question));
      // Where the language has no questions, the two take turns.
      const speaker = !book.has('ask') && turn % 2 === 1 ? 1 : guest;
      for (const [at, stretch] of (duo ? stretches(material, answer) : [answer]).entries())
        lines.push(...(at === 0 ? [] : said(1, book.say('react'))), ...stated(material, speaker, stretch));
      turn += 1;
      heard = answer.at(-1);
    }
    chapters.push({ title: chapterTitle(material, name, topic.numbers), lines });
  }
  if (remembered.length > 0)
    chapters.push({
      title: book.say('titleSummary') ?? title,
      lines: [...said(1, book.say('sumUp')), ...stated(material, guest, remembered)],
    });
  chapters.push({
    title: book.say('titleClosing') ?? title,
    lines: [...said(1, book.say(duo ? 'bye' : 'byeSolo')), ...(duo ? said(2, book.say('byeGuest')) : [])],
  });
  return chapters;
}

const isNewParagraph = ({ sentences }: Material, number: number): boolean =>
  sentences[number - 1]?.block !== sentences[number]!.block;
