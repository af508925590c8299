import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePointLength } from '../../src/text/code-points.ts';
import { createTurnPrefixReader, type TurnPrefixes } from '../../src/text/turn-prefix-reader.ts';
import { codePoints, splitPoints } from './any-split.ts';

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
