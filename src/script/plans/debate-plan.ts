// A debate without a moderator: two sides that introduce themselves, answer each other by picking up the other's term,
// and have a last word of equal length. With one voice, a single speaker weighs both sides.

import type { ScriptChapter, ScriptLine } from '../script.ts';
import type { Topic } from '../topics.ts';
import { type DebateSides, debateSides } from './debate-sides.ts';
import { type Material, said, stated, strongest } from './material.ts';

const ROUNDS_OF_CHAPTER = 4;
const MAX_WORDS_OF_LAST_WORD = 28;

function introduction({ book, voices }: Material, { kind, names: [term, other] }: DebateSides): ScriptLine[] {
  if (voices === 1) {
    const sides =
      kind === 'for-and-against'
        ? book.say('sidesSolo')
        : term === undefined || other === undefined
          ? book.say('noSides')
          : book.say('topicsSolo', { term, other });
    return [...said(1, book.say('debateOpenSolo')), ...said(1, sides)];
  }
  const opening = said(1, book.say('debateOpen'));
  if (kind === 'for-and-against')
    return [...opening, ...said(1, book.say('sideFor')), ...said(2, book.say('sideAgainst'))];
  if (term === undefined || other === undefined) return [...opening, ...said(1, book.say('noSides'))];
  return [
    ...opening,
    ...said(1, book.say('sideTopic', { term })),
    ...said(2, book.say('otherTopic', { term: other })),
  ];
}

/** What a side says before its turn: something of what the other just said, where there is a word for it. */
function createReplies({ book, terms, voices }: Material, { kind, names }: DebateSides) {
  const picked = new Set<string>();
  return (side: 0 | 1, heard: readonly number[] | undefined): string | undefined => {
    if (voices === 1) {
      if (kind === 'for-and-against') return book.say(side === 0 ? 'soloFor' : 'soloAgainst');
      const term = names[side];
      return term === undefined ? undefined : book.say(side === 0 ? 'soloOne' : 'soloOther', { term });
    }
    if (heard === undefined) return book.say('claim');
    const term = terms.take(heard) ?? terms.peek(heard);
    if (term === undefined || picked.has(term)) return book.say('replyOn');
    picked.add(term);
    return book.say('reply', { term });
  };
}

export function planDebate(material: Material): ScriptChapter[] {
  const { book, voices, title, topics } = material;
  const debate = debateSides(material);
  const replyTo = createReplies(material, debate);
  const [one, other] = debate.sides;
  const rounds = Math.max(one.length, other.length);

  const exchanges: { numbers: readonly number[]; lines: ScriptLine[] }[] = [];
  let heard: readonly number[] | undefined;
  let last: 0 | 1 | undefined;
  for (let round = 0; round < rounds; round += 1)
    for (const side of [0, 1] as const) {
      const numbers = debate.sides[side][round];
      if (numbers === undefined) continue;
      const speaker = side === 1 ? voices : 1;
      exchanges.push({
        numbers,
        // A side does not answer itself: the one with more to say just continues.
        lines: [
          ...(side === last ? [] : said(speaker, replyTo(side, heard))),
          ...stated(material, speaker, numbers),
        ],
      });
      heard = numbers;
      last = side;
    }

  const chapters: ScriptChapter[] = [
    { title: book.say('titleOpening') ?? title, lines: introduction(material, debate) },
  ];
  if (debate.common.length > 0)
    chapters.push({
      title,
      lines: [
        ...said(1, book.say('common')),
        ...debate.common.flatMap((numbers, index) => stated(material, index % 2 === 1 ? voices : 1, numbers)),
      ],
    });
  for (let at = 0; at < exchanges.length; at += 2 * ROUNDS_OF_CHAPTER) {
    const part = exchanges.slice(at, at + 2 * ROUNDS_OF_CHAPTER);
    const argued = part.flatMap(({ numbers }) => numbers);
    const isNew = ({ name }: Topic) => name !== undefined && chapters.every((one) => one.title !== name);
    const topic = topics.find((one) => isNew(one) && one.numbers.some((number) => argued.includes(number)));
    chapters.push({ title: topic?.name ?? title, lines: part.flatMap(({ lines }) => lines) });
  }
  const lastOf = (side: 0 | 1) =>
    rounds < 3 ? [] : strongest(material, debate.sides[side].flat(), 1, MAX_WORDS_OF_LAST_WORD);
  const lastWords = [lastOf(0), lastOf(1)] as const;
  const closing: ScriptLine[] = [];
  if (lastWords[0].length > 0 && lastWords[1].length > 0 && book.say('lastWord') !== undefined)
    closing.push(
      ...said(1, book.say(voices === 2 ? 'lastWord' : 'lastWordsSolo')),
      ...stated(material, 1, lastWords[0]),
      ...(voices === 2 ? said(2, book.say('lastWordOther')) : []),
      ...stated(material, voices, lastWords[1]),
    );
  closing.push(...said(1, book.say(voices === 2 ? 'debateEnd' : 'debateEndSolo')));
  chapters.push({ title: book.say('titleClosing') ?? title, lines: closing });
  return chapters;
}
