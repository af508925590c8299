// An executive briefing: what matters first, then the details in the order of the source, then an end. No questions, no
// chat, figures kept. A second voice reads the details.

import { headingName } from '../heading-name.ts';
import type { ScriptChapter, ScriptLine } from '../script.ts';
import type { Topic } from '../sections.ts';
import { type Material, said, stated, strongest, topicName, withoutNumbers } from './material.ts';

const KEY_POINTS = 3;
const MAX_WORDS_OF_KEY_POINT = 40;
const ORDINALS = ['first', 'second', 'third'] as const;

function keyPoints(material: Material): { chapter: ScriptChapter; numbers: readonly number[] } {
  const { book, topics, title } = material;
  const all = topics.flatMap((topic) => topic.numbers);
  // What the text begins with says what it is about, so it is said first where it is a point.
  const numbers = strongest(material, all, KEY_POINTS, MAX_WORDS_OF_KEY_POINT).sort(
    (a, b) => Number(b === material.opening) - Number(a === material.opening),
  );
  const isThree = numbers.length === KEY_POINTS;
  const points = numbers.flatMap((number, index): ScriptLine[] => [
    ...said(1, isThree ? book.say(ORDINALS[index]!) : undefined),
    ...stated(material, 1, [number]),
  ]);
  const lines = [
    ...said(1, book.say('briefOpen')),
    ...(numbers.length === 0 ? [] : said(1, book.say(isThree ? 'keyThree' : 'keyPoints'))),
    ...points,
  ];
  return { chapter: { title: book.say('titleKeyPoints') ?? title, lines }, numbers };
}

/** The details of a topic, each part of it under its own heading. */
function detailsOf(material: Material, topic: Topic, name: string | undefined): ScriptLine[] {
  const { book, voices, sentences } = material;
  const lines: ScriptLine[] = [];
  let under = name;
  let open: number[] = [];
  const flush = () => {
    lines.push(...stated(material, voices, open));
    open = [];
  };
  for (const number of topic.numbers) {
    const heading = headingName(sentences[number]!.path.at(-1));
    if (heading !== undefined && heading !== under && heading !== topic.name) {
      flush();
      lines.push(...said(1, book.say('onTopic', { topic: heading })));
      under = heading;
    }
    open.push(number);
  }
  flush();
  return lines;
}

export function planBriefing(material: Material): ScriptChapter[] {
  const { book, topics, title } = material;
  const { chapter, numbers: told } = keyPoints(material);
  const details = withoutNumbers(topics, told).map((topic, index): ScriptChapter => {
    const name = topicName(material, topic, index);
    const first = headingName(material.sentences[topic.numbers[0]!]!.path.at(-1));
    // A part that has a heading of its own is led in by that one alone.
    const leadsItself = first !== undefined && first !== name;
    const lead =
      name === undefined
        ? index === 0 || leadsItself
          ? undefined
          : book.say('further')
        : book.say('onTopic', { topic: name });
    return {
      title: name ?? title,
      lines: [
        ...(index === 0 ? said(1, book.say('details')) : []),
        ...(leadsItself && name !== undefined ? [] : said(1, lead)),
        ...detailsOf(material, topic, name),
      ],
    };
  });
  const closing = { title: book.say('titleClosing') ?? title, lines: said(1, book.say('briefClose')) };
  return [chapter, ...details, closing];
}
