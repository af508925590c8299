import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePointLength } from '../../src/text/code-points.ts';
import { createTurnPrefixReader, type TurnPrefixes } from '../../src/text/turn-prefix-reader.ts';
import { codePoints, splitPoints } from './any-split.ts';
import { readPieces, readWhole, spokenOf } from './read-text.ts';

type Spoken = { speaker: 1 | 2 | undefined; text: string; start: number };

function read(chunks: readonly string[], prefixes: TurnPrefixes): Spoken[] {
  const spoken: Spoken[] = [];
  let speaker: 1 | 2 | undefined;
  let start = 0;
  let fresh = true;
  const reader = createTurnPrefixReader(prefixes, {
    onSpeaker(next) {
      speaker = next;
      fresh = true;
    },
    onText(text, at) {
      const last = spoken.at(-1);
      if (last !== undefined && !fresh) last.text += text;
      else spoken.push({ speaker, text, start: at });
      fresh = false;
    },
  });
  for (const chunk of chunks) {
    reader.push(chunk, start);
    start += codePointLength(chunk);
  }
  reader.flush();
  expect(reader.heldCharacters()).toBe(0);
  return spoken;
}

const plain = (text: string, turnPrefix?: string, turnPrefix2?: string) =>
  read([text], { turnPrefix, turnPrefix2 }).map(({ speaker, text: said }) => [speaker, said]);

describe('a caller’s turn prefixes', () => {
  it('part the text, are not spoken and count in positions', () => {
    expect(read(['Ann: Hi.\nBob: 😀 Yo. Ann: Bye'], { turnPrefix: 'Ann:', turnPrefix2: 'Bob:' })).toEqual([
      { speaker: 1, text: ' Hi.\n', start: 4 },
      { speaker: 2, text: ' 😀 Yo. ', start: 13 },
      { speaker: 1, text: ' Bye', start: 24 },
    ]);
  });

  it('leave text before the first one without a speaker', () => {
    expect(plain('Intro. B: hi', 'A:', 'B:')).toEqual([
      [undefined, 'Intro. '],
      [2, ' hi'],
    ]);
  });

  it('count only at the start of the text, of a line, after white space or another prefix', () => {
    expect(plain('xA: no (A: no) A:B:yes', 'A:', 'B:')).toEqual([
      [undefined, 'xA: no (A: no) '],
      [2, 'yes'],
    ]);
    expect(plain('end.\nQ: yes', '\nQ:')).toEqual([
      [undefined, 'end.'],
      [1, ' yes'],
    ]);
  });

  it('count behind the end of a sentence, a tag or a mark, and not within a name or an address', () => {
    expect(plain('He said "no."B: yes', 'A:', 'B:')).toEqual([
      [undefined, 'He said "no."'],
      [2, ' yes'],
    ]);
    for (const text of [
      'The U.S.B: port',
      'J.B: a writer',
      'see http://x.y/?B: and www.x.B: of it',
      'mail a@b.B: now',
      'a>B: c, (B: d), «B: e, 5-B: f, word*B: g, aB: h, 甲B: i',
      '[1]B: no, wait,B: no; so:B: no',
    ])
      expect(plain(text, 'A:', 'B:')).toEqual([[undefined, text]]);
    expect(plain('at 3.5: or so', 'A:', '5:')).toEqual([[undefined, 'at 3.5: or so']]);
    expect(plain('It is I.Bob: yes', 'A:', 'Bob:')).toEqual([
      [undefined, 'It is I.'],
      [2, ' yes'],
    ]);
  });

  it('are not found in the middle of a word', () => {
    expect(plain('Apple A pie', 'A')).toEqual([
      [undefined, 'Apple '],
      [1, ' pie'],
    ]);
  });

  it('are read as the longer one where both fit', () => {
    expect(plain('Host: a Host: two: b', 'Host:', 'Host: two:')).toEqual([
      [1, ' a '],
      [2, ' b'],
    ]);
    expect(plain('Host: tw', 'Host:', 'Host: two:')).toEqual([[1, ' tw']]);
  });

  it('are found in every split', () => {
    const prefixes = fc.record({
      turnPrefix: fc.constantFrom('A:', 'A', 'A: B', ' ', '😀', undefined),
      turnPrefix2: fc.constantFrom('B:', 'AB:', 'A: B:', '\n', 'word word', undefined),
    });
    fc.assert(
      fc.property(splitPoints, prefixes, ({ text, chunks }, pair) => {
        const spoken = read(chunks, pair);
        expect(spoken).toEqual(read([text], pair));
        for (const piece of spoken)
          expect(codePoints(text, piece.start, codePointLength(piece.text))).toBe(piece.text);
      }),
      { numRuns: 1000 },
    );
  });

  it('hold back no more than a prefix', () => {
    const reader = createTurnPrefixReader(
      { turnPrefix: 'Speaker 1:', turnPrefix2: undefined },
      { onSpeaker: () => {}, onText: () => {} },
    );
    reader.push('Well, Speaker 1', 0);
    expect(reader.heldCharacters()).toBe(9);
    reader.push(' is here', 15);
    expect(reader.heldCharacters()).toBe(0);
  });
});

/** Pairs of prefixes as people and models write dialogues; the words that each speaker says. */
const PAIRS: readonly (readonly [one: string, two: string])[] = [
  ['A:', 'B:'],
  ['Host:', 'Guest:'],
  ['Speaker 1:', 'Speaker 2:'],
  ['[A]', '[B]'],
  ['[S1]', '[S2]'],
  ['<Person1>', '<Person2>'],
  ['<|user|>', '<|assistant|>'],
  ['{one}', '{two}'],
  ['(Ann)', '(Bob)'],
  ['- Ann:', '- Bob:'],
  ['甲：', '乙：'],
  ['Иван:', 'Мария:'],
  ['👩:', '👨:'],
  ['@ann', '@bob'],
  ['**Ann:**', '**Bob:**'],
  ['ANN', 'BOB'],
];
/** What stands between the first speaker's words and the second prefix. */
const BETWEEN: readonly (readonly [name: string, end: string])[] = [
  ['a space', '. '],
  ['a line', '.\n'],
  ['a full stop', '.'],
  ['a question', '?'],
  ['a cry', '!'],
  ['dots', '…'],
  ['a Chinese stop', '。'],
  ['a Hindi stop', '।'],
  ['an Arabic question', '؟'],
  ['a quoted sentence', '."'],
  ['a sentence in brackets', '!)'],
  ['a tag', '</p>'],
  ['a tag with attributes', '.</b><br class="x">'],
  ['a closed mark', '.**'],
  ['code', '.`'],
  ['a cell', '|'],
  ['an emoji', ' 👍'],
  ['a blank line', '\n\n'],
];

const prefixCases = PAIRS.flatMap(([one, two]) =>
  BETWEEN.map(([name, end]) => ({ name, one, two, text: `${one} Hello there${end}${two} Good day.` })),
);

describe('the second of two prefixes', () => {
  it.each(prefixCases)('$two is found behind $name: $text', ({ text, one, two }) => {
    const own = { turnPrefix: one, turnPrefix2: two };
    for (const markup of ['strip', 'keep'] as const) {
      const whole = spokenOf(readWhole(text, { ...own, markup }));
      expect(whole.map((line) => line.slice(0, 13))).toEqual(['1 Hello there', '2 Good day.']);
      expect(spokenOf(readPieces([...text], { ...own, markup }))).toEqual(whole);
    }
  });

  it('has a table of more than 200 cases', () => {
    expect(prefixCases.length).toBeGreaterThan(200);
  });

  it.each([
    ['<Person1>Hello.</Person1><Person2>Hi.</Person2>', '<Person1>', '<Person2>', 'Hello.', 'Hi.'],
    ['甲：你好。乙：你好。', '甲：', '乙：', '你好。', '你好。'],
    ['[A]Hello.[B]Hi.', '[A]', '[B]', 'Hello.', 'Hi.'],
    ['**Host:** Hello.\n**Guest:** Hi **all**.', 'Host:', 'Guest:', 'Hello.', 'Hi all.'],
    ['**Host:** Hello.\n**Guest:** Hi.', '**Host:**', '**Guest:**', 'Hello.', 'Hi.'],
    ['**Host**: Hello.\n\n**Guest**: Hi.', 'Host:', 'Guest:', 'Hello.', 'Hi.'],
    ['_Host:_ Hello.\n***Guest:*** Hi.', 'Host:', 'Guest:', 'Hello.', 'Hi.'],
    ['**Host: Hello.**\n**Guest: Hi, you.** And.', 'Host:', 'Guest:', 'Hello.', 'Hi, you. And.'],
    ['`Host:` Hello.`Guest:` Hi.', 'Host:', 'Guest:', 'Hello.', 'Hi.'],
    ['<b>Host:</b> Hello.<b>Guest:</b> Hi.', 'Host:', 'Guest:', 'Hello.', 'Hi.'],
    ['# Host:\nHello.\n## Guest:\nHi.', 'Host:', 'Guest:', 'Hello.', 'Hi.'],
    ['- Host: Hello.\n- Guest: Hi.', 'Host:', 'Guest:', 'Hello.', 'Hi.'],
    ['> Host: Hello.\n>Guest: Hi.', 'Host:', 'Guest:', 'Hello.', 'Hi.'],
    ['|Host:|Hello.|\n|Guest:|Hi.|', 'Host:', 'Guest:', 'Hello.', 'Hi.'],
    ['[Host]: Hello. [b](c)[Guest]: Hi.', '[Host]:', '[Guest]:', 'Hello. b', 'Hi.'],
    ['Host: Hello.<think>Guest: no</think>Guest: Hi.', 'Host:', 'Guest:', 'Hello.', 'Hi.'],
    ['Host: Hello<|im_end|>Guest: Hi.', 'Host:', 'Guest:', 'Hello', 'Hi.'],
  ])('parts %j', (text, one, two, first, second) => {
    const own = { turnPrefix: one, turnPrefix2: two };
    const expected = [`1 ${first}`, `2 ${second}`];
    expect(spokenOf(readWhole(text, own))).toEqual(expected);
    expect(spokenOf(readPieces([...text], own))).toEqual(expected);
  });

  it('is found wherever the text is split', () => {
    const own = fc.constantFrom(...PAIRS);
    const parts = fc.array(
      fc.oneof(
        fc.constantFrom(...BETWEEN.map(([, end]) => end)),
        fc.constantFrom(0, 1, 'Hello', '*', '**', '`', '<b>', '.'),
      ),
      { maxLength: 14 },
    );
    const texts = fc.tuple(own, parts).map(([pair, pieces]) => ({
      pair,
      text: pieces.map((piece) => (typeof piece === 'number' ? pair[piece]! : piece)).join(''),
    }));
    const markups = fc.constantFrom('strip', 'keep');
    fc.assert(
      fc.property(
        texts,
        fc.array(fc.nat({ max: 400 }), { maxLength: 12 }),
        markups,
        ({ text, pair }, cuts, markup) => {
          const how = { turnPrefix: pair[0], turnPrefix2: pair[1], markup } as const;
          const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
          const chunks = [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length));
          const segments = readPieces(chunks, how);
          expect(segments).toEqual(readPieces([text], how));
          expect(segments).toEqual(readPieces(text.split(''), how));
        },
      ),
      { numRuns: 1000 },
    );
  });
});
