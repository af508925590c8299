// A children's story: an opening formula, short sentences one or two at a time, a curious child who asks for what comes
// next (or, with one voice, a teller who asks the listener), and an ending.

import { isQuestion } from '../heading-name.ts';
import type { ScriptChapter, ScriptLine } from '../script.ts';
import type { Topic } from '../sections.ts';
import { answers, type Material, said, stated } from './material.ts';

const WORDS_AT_A_TIME = 26;

function tellTopic(material: Material, topic: Topic, index: number): ScriptLine[] {
  const { book, voices, terms } = material;
  const lines: ScriptLine[] = [];
  const asksListener = voices === 1;
  const name = topic.name;
  // The child asks a heading that is a question; any other is the teller's.
  if (name !== undefined && isQuestion(name)) lines.push(...said(voices, name));
  // The story has just been opened: its first part needs no leading over.
  else if (name !== undefined && index > 0) lines.push(...said(1, book.say('storyPart', { topic: name })));
  else if (index > 0) lines.push(...said(1, book.say('storyOn')));

  const parts = answers(material, topic.numbers, WORDS_AT_A_TIME);
  for (const [at, part] of parts.entries()) {
    if (!asksListener && at > 0) {
      const term = at % 2 === 1 ? terms.take(part) : undefined;
      lines.push(...said(2, term === undefined ? book.say('childWonder') : book.say('childAsk', { term })));
    }
    const speaker = book.say('childWonder') === undefined && voices === 2 && at % 3 === 2 ? 2 : 1;
    lines.push(...stated(material, speaker, part));
    if (asksListener && at % 2 === 1 && at < parts.length - 1) {
      const term = terms.take(part);
      lines.push(...said(1, term === undefined ? book.say('toChild') : book.say('toChildTerm', { term })));
    }
  }
  if (!asksListener && index % 2 === 0)
    lines.push(...said(1, book.say('toChild')), ...said(2, book.say('childAnswer')));
  return lines;
}

export function planStory(material: Material): ScriptChapter[] {
  const { book, voices, topics, title } = material;
  const child = (text: string | undefined) => (voices === 2 ? said(2, text) : []);
  return [
    {
      title: book.say('titleOpening') ?? title,
      lines: [...said(1, book.say('storyOpen')), ...child(book.say('childHello'))],
    },
    ...topics.map((topic, index) => ({
      title: topic.name ?? title,
      lines: tellTopic(material, topic, index),
    })),
    {
      title: book.say('titleClosing') ?? title,
      lines: [...said(1, book.say('storyEnd')), ...child(book.say('childBye'))],
    },
  ];
}
