// A podcast: one speaker asks and moderates, the other explains in long runs of the source. A question is asked only where the form
// of the sentence behind it answers it (a reason, an example, an objection, a heading, a term that it begins with); elsewhere
// the listener is led on by words that ask for nothing in particular. With one voice there are fewer of them.

import { isConclusion, isQuestion } from '../heading-name.ts';
import type { ScriptChapter, ScriptLine } from '../script.ts';
import type { Place } from '../script-language.ts';
import {
  closingRun,
  createChapterTitles,
  hasFirstPerson,
  headingOver,
  type Material,
  openingRun,
  said,
  stated,
  turnWords,
  withoutNumbers,
  wordsIn,
} from './material.ts';

/** Some 35 seconds: no speaker talks longer without a word from the other. */
const WORDS_OF_ANSWER = 80;
const WORDS_OF_ANSWER_SOLO = 150;
/** Of that, before a new paragraph is a place for the other's word. */
const SHARE_AT_PARAGRAPH = 0.4;
const WORDS_OF_OPENING = 100;
/** A term that is asked for is what the answer begins with, an article aside. */
const MAX_WORD_BEFORE_TERM = 6;
const CHARACTERS_OF_OPENING = 24;

const isNewParagraph = ({ sentences }: Material, number: number): boolean =>
  sentences[number - 1]?.block !== sentences[number]!.block;

/** What the source has in one piece under one heading, in parts that one speaker says without a word from the other. */
function answersIn(material: Material, numbers: readonly number[], most: number): number[][] {
  const { sentences } = material;
  const parts: number[][] = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    const before = last?.at(-1);
    const { path, words, kind } = sentences[number]!;
    const told = last === undefined ? 0 : wordsIn(material, last);
    const isWhole =
      before === undefined ||
      before !== number - 1 ||
      sentences[before]!.path !== path ||
      (kind === 'sentence' &&
        (told + words / 2 > most || (isNewParagraph(material, number) && told >= most * SHARE_AT_PARAGRAPH)));
    if (isWhole) parts.push([number]);
    else last!.push(number);
  }
  return parts;
}

/** The question that the form of a sentence answers, asked behind the one before it. */
function questionFor({ sentences, reader }: Material, number: number): Place | undefined {
  const { text } = sentences[number]!;
  const opening = text.slice(0, CHARACTERS_OF_OPENING);
  if (reader.example.test(opening)) return 'askExample';
  if (reader.turns.test(text)) return 'askContrast';
  return reader.reason.test(opening) ? 'askReason' : undefined;
}

const beginsWith = (spoken: string, term: string): boolean => {
  const at = spoken.toLowerCase().indexOf(term.toLowerCase());
  return at !== -1 && at <= MAX_WORD_BEFORE_TERM && !/\s\S/u.test(spoken.slice(0, at).trim());
};

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
    /** Leads on to another part of the topic; `heard` is the sentence before it. */
    asks(first: number, heard: number | undefined): string | undefined {
      const isUnderOther = heard !== undefined && sentences[first]!.path !== sentences[heard]!.path;
      const heading = isUnderOther ? headingOver(material, first) : undefined;
      if (heading !== undefined && !named.has(heading)) {
        named.add(heading);
        return isQuestion(heading) ? heading : book.say('topicNext', { topic: heading });
      }
      const term = terms.take([first], (one) => beginsWith(sentences[first]!.spoken, one));
      return term === undefined ? book.say('askOn') : book.say('ask', { term });
    },
    /** Puts in a word where an answer goes on. */
    listens(next: number): string | undefined {
      const kind = questionFor(material, next);
      asked += 1;
      // The same kind again only after three others: repeated patterns tire the listener.
      if (kind !== undefined && asked - (lastAsked.get(kind) ?? -9) > 3) {
        lastAsked.set(kind, asked);
        return book.say(kind);
      }
      return book.say(isNewParagraph(material, next) || asked % 2 === 1 ? 'askOn' : 'react');
    },
  };
}

export function planPodcast(material: Material): ScriptChapter[] {
  const { book, voices, title, sentences } = material;
  const duo = voices === 2;
  const guest = duo ? 2 : 1;
  const host = createHost(material);
  const titleOf = createChapterTitles(material);
  const opening = book.has('begin') ? openingRun(material, WORDS_OF_OPENING) : [];
  const ending = book.has('concludes')
    ? closingRun(material).filter((number) => !opening.includes(number))
    : [];
  const topics = withoutNumbers(material.topics, [...ending, ...opening]);
  const most = turnWords(material, duo ? WORDS_OF_ANSWER : WORDS_OF_ANSWER_SOLO);

  let turn = 0;
  /** With the other's word between its parts; `lead`: what comes before the first. */
  const tell = (parts: readonly (readonly number[])[], lead: readonly ScriptLine[]): ScriptLine[] => {
    const lines = [...lead];
    for (const [at, part] of parts.entries()) {
      const goesOn =
        at > 0 &&
        parts[at - 1]!.at(-1) === part[0]! - 1 &&
        sentences[part[0]!]!.path === sentences[part[0]! - 1]!.path;
      if (at > 0 && goesOn && duo) lines.push(...said(1, host.listens(part[0]!)));
      else if (at > 0 && !goesOn) lines.push(...said(1, host.asks(part[0]!, parts[at - 1]!.at(-1))));
      // Where the language has no questions, the two take turns.
      const speaker = !book.has('ask') && turn % 2 === 1 ? 1 : guest;
      lines.push(...stated(material, speaker, part));
      turn += 1;
    }
    return lines;
  };

  const chapters: ScriptChapter[] = [
    {
      title: book.say('titleOpening') ?? title,
      lines: tell(answersIn(material, opening, most), [
        ...said(1, book.say(duo ? 'hello' : 'helloSolo')),
        ...(duo ? said(2, book.say('thanks')) : []),
        ...(hasFirstPerson(material) ? said(guest, book.say('inFirstPerson')) : []),
        ...(opening.length === 0 ? [] : said(1, book.say('begin'))),
      ]),
    },
  ];
  let heard = opening.at(-1);
  for (const [index, topic] of topics.entries()) {
    const isLast = index === topics.length - 1 && ending.length === 0;
    const place = index === 0 ? 'topicFirst' : isLast ? 'topicLast' : 'topicNext';
    const { name } = topic;
    const [first] = topic.numbers as [number];
    const goesOn = name === undefined && heard === first - 1;
    const lead = goesOn ? host.listens(first) : host.opens(name, place);
    chapters.push({
      title: titleOf(name, topic.numbers),
      lines: tell(answersIn(material, topic.numbers, most), said(1, lead)),
    });
    heard = topic.numbers.at(-1);
  }
  if (ending.length > 0) {
    const concludes = isConclusion(sentences[ending[0]!]!.path.at(-1) ?? '');
    chapters.push({
      title: book.say('titleSummary') ?? title,
      lines: tell(
        answersIn(material, ending, duo ? WORDS_OF_ANSWER : WORDS_OF_ANSWER_SOLO),
        said(1, book.say(concludes ? 'sumUp' : 'concludes')),
      ),
    });
  }
  chapters.push({
    title: book.say('titleClosing') ?? title,
    lines: [...said(1, book.say(duo ? 'bye' : 'byeSolo')), ...(duo ? said(2, book.say('byeGuest')) : [])],
  });
  return chapters;
}
