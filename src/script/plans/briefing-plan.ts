// An executive briefing: what matters first, then the details in the order of the source, then an end. No questions, no
// chat, figures kept. A second voice reads the details.

import type { ScriptChapter, ScriptLine } from '../script.ts';
import type { Topic } from '../sections.ts';
import {
  chapterTitle,
  headingOver,
  type Material,
  openingRun,
  said,
  stated,
  strongest,
  topicName,
  withoutNumbers,
  wordsIn,
} from './material.ts';

const KEY_POINTS = 3;
const MAX_WORDS_OF_KEY_POINT = 40;
const ORDINALS = ['first', 'second', 'third'] as const;

/** What the text is about, and then its strongest statements. */
function keyPoints(material: Material): { chapter: ScriptChapter; numbers: readonly number[] } {
  const { book, topics, title } = material;
  // The statement itself, and what leans on it.
  const opening = openingRun(material, 0);
  const others = withoutNumbers(topics, opening).flatMap((topic) => topic.numbers);
  const points = strongest(material, others, KEY_POINTS, MAX_WORDS_OF_KEY_POINT).sort((a, b) => a - b);
  const isThree = points.length === KEY_POINTS;
  const lines = [
    ...said(1, book.say('briefOpen')),
    ...stated(material, 1, opening),
    ...(points.length === 0 ? [] : said(1, book.say(isThree ? 'keyThree' : 'keyPoints'))),
    ...points.flatMap((number, index): ScriptLine[] => [
      ...said(1, isThree ? book.say(ORDINALS[index]!) : undefined),
      ...stated(material, 1, [number]),
    ]),
  ];
  return { chapter: { title: book.say('titleKeyPoints') ?? title, lines }, numbers: [...opening, ...points] };
}

/** A heading is not said for less. */
const MIN_WORDS_UNDER_HEADING = 18;

/** The topic without parts that are hardly worth the heading over them, where others are. */
function withoutThinParts(material: Material, topic: Topic): Topic {
  const parts = new Map<string, number[]>();
  for (const number of topic.numbers) {
    const heading = headingOver(material, number) ?? '';
    parts.set(heading, [...(parts.get(heading) ?? []), number]);
  }
  const isThick = (numbers: readonly number[]) => wordsIn(material, numbers) >= MIN_WORDS_UNDER_HEADING;
  const thick = [...parts.values()].filter(isThick).flat();
  return thick.length === 0 ? topic : { ...topic, numbers: thick.sort((a, b) => a - b) };
}

/** The details of a topic, each part of it under its own heading; `named`: the headings that were said. */
function detailsOf(material: Material, topic: Topic, named: Set<string>): ScriptLine[] {
  const { book, voices } = material;
  const lines: ScriptLine[] = [];
  let open: number[] = [];
  const flush = () => {
    lines.push(...stated(material, voices, open));
    open = [];
  };
  for (const number of topic.numbers) {
    const heading = headingOver(material, number);
    if (heading !== undefined && !named.has(heading)) {
      flush();
      lines.push(...said(1, book.say('onTopic', { topic: heading })));
      named.add(heading);
    }
    open.push(number);
  }
  flush();
  return lines;
}

export function planBriefing(material: Material): ScriptChapter[] {
  const { book, topics, title } = material;
  const { chapter, numbers: told } = keyPoints(material);
  const named = new Set<string>();
  const parts = withoutNumbers(topics, told).map((topic) => withoutThinParts(material, topic));
  const details = parts.map((topic, index): ScriptChapter => {
    const name = topicName(material, topic, index);
    // A part that has a heading of its own is led in by that one.
    const isUnderOwn = headingOver(material, topic.numbers[0]!) !== undefined;
    const lead = name === undefined ? book.say('further') : book.say('onTopic', { topic: name });
    const leads = !isUnderOwn && (index > 0 || name !== undefined);
    if (leads && name !== undefined) named.add(name);
    return {
      title: chapterTitle(material, name, topic.numbers),
      lines: [
        ...(index === 0 ? said(1, book.say('details')) : []),
        ...(leads ? said(1, lead) : []),
        ...detailsOf(material, topic, named),
      ],
    };
  });
  const closing = { title: book.say('titleClosing') ?? title, lines: said(1, book.say('briefClose')) };
  return [chapter, ...details, closing];
}
