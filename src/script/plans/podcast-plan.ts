// A podcast: one speaker asks and moderates, the other explains. Every question is asked for the sake of the sentence that
// answers it: for a term in it, or for what it is (a reason, an example, an objection, a figure). With one voice the
// same questions are rhetorical, and there are fewer of them.

import { isQuestion } from '../heading-name.ts';
import type { ScriptChapter, ScriptLine } from '../script.ts';
import type { Place } from '../script-language.ts';
import {
  answers,
  type Material,
  said,
  stated,
  strongest,
  topicName,
  turnWords,
  withoutNumbers,
  wordsIn,
} from './material.ts';

const WORDS_OF_ANSWER = 42;
const WORDS_OF_ANSWER_SOLO = 75;
/** From so many on some are kept for the end. */
const SENTENCES_TO_SUM_UP = 9;
const MANY_SENTENCES = 24;
/** Of the sentences, in the order of the source: what a text comes to stands near its end. */
const CLOSING_SHARE = 1 / 3;
const MAX_WORDS_TO_REMEMBER = 30;
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

/** What is kept to be said last, and said once. */
function kept(material: Material, numbers: readonly number[]): number[] {
  if (numbers.length < SENTENCES_TO_SUM_UP || !material.book.has('sumUp')) return [];
  const closing = numbers.slice(Math.floor(numbers.length * (1 - CLOSING_SHARE)));
  const count = numbers.length >= MANY_SENTENCES ? 3 : 2;
  return strongest(material, closing, count, MAX_WORDS_TO_REMEMBER).sort((a, b) => a - b);
}

function createHost(material: Material) {
  const { book, terms } = material;
  const lastAsked = new Map<Place, number>();
  let asked = 0;

  return {
    /** Leads over to a topic. */
    opens(name: string | undefined, place: 'topicFirst' | 'topicNext' | 'topicLast'): string | undefined {
      if (name === undefined) return book.say(place === 'topicFirst' ? 'begin' : 'askOn');
      return isQuestion(name) ? name : book.say(place, { topic: name });
    },
    /** Asks for what comes next; `heard` is the sentence before it. */
    asks(answer: readonly number[], heard: number | undefined): string | undefined {
      asked += 1;
      const kind = kindOfQuestion(material, answer[0]!, heard);
      // The same kind again only after three other questions: repeated patterns tire the listener.
      if (kind !== undefined && asked - (lastAsked.get(kind) ?? -9) > 3) {
        lastAsked.set(kind, asked);
        return book.say(kind);
      }
      const term = terms.take(answer.slice(0, 1));
      return term === undefined ? book.say('askOn') : book.say('ask', { term });
    },
  };
}

export function planPodcast(material: Material): ScriptChapter[] {
  const { book, voices, title } = material;
  const duo = voices === 2;
  const guest = duo ? 2 : 1;
  const host = createHost(material);
  const remembered = kept(
    material,
    material.topics.flatMap((topic) => topic.numbers),
  );
  const topics = withoutNumbers(material.topics, remembered);

  const chapters: ScriptChapter[] = [
    {
      title: book.say('titleOpening') ?? title,
      lines: [...said(1, book.say(duo ? 'hello' : 'helloSolo')), ...(duo ? said(2, book.say('thanks')) : [])],
    },
  ];
  let turn = 0;
  for (const [index, topic] of topics.entries()) {
    const place = index === 0 ? 'topicFirst' : index === topics.length - 1 ? 'topicLast' : 'topicNext';
    const name = topicName(material, topic, index);
    const lines: ScriptLine[] = [];
    const parts = answers(
      material,
      topic.numbers,
      turnWords(material, duo ? WORDS_OF_ANSWER : WORDS_OF_ANSWER_SOLO),
    );
    for (const [part, answer] of parts.entries()) {
      const question = part === 0 ? host.opens(name, place) : host.asks(answer, parts[part - 1]?.at(-1));
      // Every third question follows a word on the answer, so that the two are heard to listen.
      if (duo && part > 0 && turn % 3 === 1) lines.push(...said(1, book.say('react')));
      lines.push(...said(1, question));
      // Where the language has no questions, the two take turns.
      const speaker = question === undefined && turn % 2 === 1 ? 1 : guest;
      for (const [at, stretch] of (duo ? stretches(material, answer) : [answer]).entries())
        lines.push(...(at === 0 ? [] : said(1, book.say('react'))), ...stated(material, speaker, stretch));
      turn += 1;
    }
    chapters.push({ title: name ?? title, lines });
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
