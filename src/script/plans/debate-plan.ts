// A debate without a moderator: two sides that introduce themselves, answer each other by picking up the other's term,
// and have a last word each, which they have kept for the end. With one voice, a single speaker weighs both sides.

import type { ScriptChapter, ScriptLine } from '../script.ts';
import type { Topic } from '../sections.ts';
import { wordCount } from '../words.ts';
import { type DebateSides, debateSides } from './debate-sides.ts';
import { type Material, said, stated, wordsIn } from './material.ts';

const ROUNDS_OF_CHAPTER = 4;
/** With so many turns a side keeps one for the end. */
const MIN_TURNS_FOR_LAST_WORD = 3;

type Turns = readonly (readonly number[])[];

function introduction({ book, voices }: Material): ScriptLine[] {
  return voices === 1
    ? [...said(1, book.say('debateOpenSolo')), ...said(1, book.say('sidesSolo'))]
    : [
        ...said(1, book.say('debateOpen')),
        ...said(1, book.say('sideFor')),
        ...said(2, book.say('sideAgainst')),
      ];
}

/** What a side says before its turn: something of what the other just said, where there is a word for it. */
function createReplies({ book, terms, voices }: Material) {
  const picked = new Set<string>();
  return (side: 0 | 1, heard: readonly number[] | undefined): string | undefined => {
    if (voices === 1) return book.say(side === 0 ? 'soloFor' : 'soloAgainst');
    if (heard === undefined) return book.say('claim');
    const term = terms.take(heard) ?? terms.peek(heard);
    if (term === undefined || picked.has(term)) return book.say('replyOn');
    picked.add(term);
    return book.say('reply', { term });
  };
}

/** The facts of neither side, each told by who has less to say. */
function commonGround(
  material: Material,
  { common, sides }: DebateSides,
  opening: readonly ScriptLine[],
): ScriptLine[] {
  const words = ([1, 2] as const).map(
    (speaker) =>
      wordsIn(material, sides[speaker - 1]!.flat()) +
      opening.reduce((sum, line) => sum + (line.speaker === speaker ? wordCount(line.text) : 0), 0),
  ) as [number, number];
  return common.flatMap((numbers) => {
    const side = words[0] <= words[1] ? 0 : 1;
    words[side] += wordsIn(material, numbers);
    return stated(material, side === 0 ? 1 : material.voices, numbers);
  });
}

/** No chapters where the text has not two sides. */
export function planDebate(material: Material): ScriptChapter[] {
  const { book, voices, title, topics } = material;
  const debate = debateSides(material);
  if (debate === undefined) return [];
  const replyTo = createReplies(material);
  const hasLastWords =
    debate.sides.every((turns) => turns.length >= MIN_TURNS_FOR_LAST_WORD) && book.has('lastWord');
  const argued = debate.sides.map((turns) => (hasLastWords ? turns.slice(0, -1) : turns)) as [Turns, Turns];
  const rounds = Math.max(...argued.map((turns) => turns.length));

  const exchanges: { numbers: readonly number[]; lines: ScriptLine[] }[] = [];
  let heard: readonly number[] | undefined;
  let last: 0 | 1 | undefined;
  for (let round = 0; round < rounds; round += 1)
    for (const side of [0, 1] as const) {
      const numbers = argued[side][round];
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

  const opening = introduction(material);
  const chapters: ScriptChapter[] = [{ title: book.say('titleOpening') ?? title, lines: opening }];
  if (debate.common.length > 0)
    chapters.push({
      title,
      lines: [...said(1, book.say('common')), ...commonGround(material, debate, opening)],
    });
  for (let at = 0; at < exchanges.length; at += 2 * ROUNDS_OF_CHAPTER) {
    const part = exchanges.slice(at, at + 2 * ROUNDS_OF_CHAPTER);
    const told = part.flatMap(({ numbers }) => numbers);
    const isNew = ({ name }: Topic) => name !== undefined && chapters.every((one) => one.title !== name);
    const topic = topics.find((one) => isNew(one) && one.numbers.some((number) => told.includes(number)));
    chapters.push({ title: topic?.name ?? title, lines: part.flatMap(({ lines }) => lines) });
  }
  const closing: ScriptLine[] = [];
  if (hasLastWords)
    closing.push(
      ...said(1, book.say(voices === 2 ? 'lastWord' : 'lastWordsSolo')),
      ...stated(material, 1, debate.sides[0].at(-1)!),
      ...(voices === 2 ? said(2, book.say('lastWordOther')) : []),
      ...stated(material, voices, debate.sides[1].at(-1)!),
    );
  closing.push(...said(1, book.say(voices === 2 ? 'debateEnd' : 'debateEndSolo')));
  chapters.push({ title: book.say('titleClosing') ?? title, lines: closing });
  return chapters;
}
