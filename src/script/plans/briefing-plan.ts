// An executive briefing: what the text is about, its points in the order of the source, what it comes to in the end. No questions, no
// chat, figures kept. A second voice reads the points.

import type { ScriptChapter, ScriptLine } from '../script.ts';
import type { Topic } from '../sections.ts';
import {
  closingRun,
  createChapterTitles,
  hasFirstPerson,
  headingOver,
  type Material,
  openingRun,
  said,
  stated,
  withoutNumbers,
} from './material.ts';

const WORDS_OF_OPENING = 90;

/** The points of a topic, each part of it under its own heading; `named`: the headings that were said. */
function pointsOf(material: Material, topic: Topic, named: Set<string>): ScriptLine[] {
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
    } else if (open.length > 0 && open.at(-1) !== number - 1) {
      flush();
      lines.push(...said(1, book.say('further')));
    }
    open.push(number);
  }
  flush();
  return lines;
}

export function planBriefing(material: Material): ScriptChapter[] {
  const { book, title } = material;
  const opening = openingRun(material, WORDS_OF_OPENING);
  const closing = closingRun(material).filter((number) => !opening.includes(number));
  const titleOf = createChapterTitles(material);
  const chapters: ScriptChapter[] = [
    {
      title: book.say('titleKeyPoints') ?? title,
      lines: [
        ...said(1, book.say('briefOpen')),
        ...(hasFirstPerson(material) ? said(1, book.say('inFirstPerson')) : []),
        ...stated(material, 1, opening),
      ],
    },
  ];
  const named = new Set<string>();
  for (const [index, topic] of withoutNumbers(material.topics, [...opening, ...closing]).entries()) {
    const { name } = topic;
    // A part that has a heading of its own is led in by that one.
    const isUnderOwn = headingOver(material, topic.numbers[0]!) !== undefined;
    const leads = !isUnderOwn && (index > 0 || name !== undefined);
    if (leads && name !== undefined) named.add(name);
    chapters.push({
      title: titleOf(name, topic.numbers),
      lines: [
        ...(index === 0 ? said(1, book.say('details')) : []),
        ...(leads
          ? said(1, name === undefined ? book.say('further') : book.say('onTopic', { topic: name }))
          : []),
        ...pointsOf(material, topic, named),
      ],
    });
  }
  chapters.push({
    title: book.say('titleClosing') ?? title,
    lines: [
      ...(closing.length === 0 ? [] : said(1, book.say('concludes'))),
      ...stated(material, 1, closing),
      ...said(1, book.say('briefClose')),
    ],
  });
  return chapters;
}
