import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSpeakable, type Segment, segmentText } from '../../src/text/segment.ts';
import {
  createTurnText,
  dialogueSegments,
  type TurnTextOptions,
  wholeTextSegments,
} from '../../src/text/turn-text.ts';
import { codePoints, hardText, splitText } from './any-split.ts';

const OPTIONS: TurnTextOptions = { language: 'english', markup: 'strip', early: 'off' };
const optionSets: fc.Arbitrary<TurnTextOptions> = fc.record(
  {
    language: fc.constantFrom('english', 'german', 'greek', 'japanese', 'thai', 'arabic', undefined),
    markup: fc.constantFrom('strip', 'keep'),
    early: fc.constantFrom('first-clause', 'off'),
    turnPrefix: fc.constantFrom('A:', 'A', undefined),
    turnPrefix2: fc.constantFrom('B:', 'AB:', 'A: B', undefined),
  },
  { requiredKeys: ['language', 'markup', 'early'] },
);

function read(chunks: readonly string[], options: TurnTextOptions): Segment[] {
  const segments: Segment[] = [];
  const turn = createTurnText(options, (segment) => segments.push(segment));
  for (const chunk of chunks) turn.append(chunk);
  turn.end();
  expect(turn.heldCharacters()).toBe(0);
  return segments;
}

const joined = (segments: readonly Segment[]) => segments.map(segmentText).join('');
const runsOf = (segments: readonly Segment[]) => segments.flatMap((segment) => segment.runs);
const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');

describe('a turn’s text', () => {
  it('gives the same segments for every split, inside surrogate pairs too', () => {
    fc.assert(
      fc.property(splitText, optionSets, ({ text, chunks }, options) => {
        expect(read(chunks, options)).toEqual(read([text], options));
      }),
      { numRuns: 1500 },
    );
  });

  it('hands on what it can at the same place of the text for every split', () => {
    fc.assert(
      fc.property(
        splitText,
        optionSets,
        fc.constantFrom('short', 'long'),
        ({ text, chunks }, options, pause) => {
          const soFar = (pieces: readonly string[]) => {
            const segments: Segment[] = [];
            const turn = createTurnText(options, (segment) => segments.push(segment));
            for (const piece of pieces) turn.append(piece);
            turn.idle(pause);
            turn.append(text);
            turn.flush();
            turn.append(text);
            return { segments, held: turn.heldCharacters() };
          };
          expect(soFar(chunks)).toEqual(soFar([text]));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('hands on verbatim slices at their places, in order', () => {
    fc.assert(
      fc.property(splitText, optionSets, ({ text, chunks }, options) => {
        let end = 0;
        for (const run of runsOf(read(chunks, options))) {
          const length = Array.from(run.text).length;
          expect(run.start).toBeGreaterThanOrEqual(end);
          expect(codePoints(text, run.start, length)).toBe(run.text);
          end = run.start + length;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('loses and adds nothing when markup is kept', () => {
    fc.assert(
      fc.property(splitText, fc.constantFrom('first-clause', 'off'), ({ text, chunks }, early) => {
        expect(joined(read(chunks, { ...OPTIONS, markup: 'keep', early }))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('counts what was appended', () => {
    fc.assert(
      fc.property(splitText, ({ text, chunks }) => {
        const turn = createTurnText(OPTIONS, () => {});
        for (const chunk of chunks) turn.append(chunk);
        expect(turn.appendedCodePoints()).toBe(Array.from(text).length);
      }),
      { numRuns: 200 },
    );
  });

  it('begins a line at a change of speaker and goes on counting', () => {
    const segments: Segment[] = [];
    const turn = createTurnText(OPTIONS, (segment) => segments.push(segment));
    turn.append('How are', 1);
    turn.append(' you?', 1);
    turn.append('Fine', 2);
    turn.append(', thanks. And');
    turn.append('Good.', 1);
    turn.end();
    expect(segments.map(({ line, speaker, runs }) => ({ line, speaker, runs }))).toEqual([
      { line: 0, speaker: 1, runs: [{ text: 'How are you?', start: 0 }] },
      { line: 1, speaker: 2, runs: [{ text: 'Fine, thanks. ', start: 12 }] },
      { line: 1, speaker: 2, runs: [{ text: 'And', start: 26 }] },
      { line: 2, speaker: 1, runs: [{ text: 'Good.', start: 29 }] },
    ]);
  });

  it('gives the second half of a pair to the speaker who began it', () => {
    const segments: Segment[] = [];
    const turn = createTurnText(OPTIONS, (segment) => segments.push(segment));
    turn.append('Ha \ud83d', 1);
    turn.append('\ude00Ho', 2);
    turn.end();
    expect(segments.map(segmentText)).toEqual(['Ha 😀', 'Ho']);
    expect(segments[1]!.runs[0]!.start).toBe(4);
    expect(turn.appendedCodePoints()).toBe(6);
  });

  it('honours the caller’s turn prefixes and an explicit speaker', () => {
    const options = { ...OPTIONS, turnPrefix: 'Ann:', turnPrefix2: 'Bob:' };
    const segments: Segment[] = [];
    const turn = createTurnText(options, (segment) => segments.push(segment));
    for (const piece of 'Ann: Hi.\nBob: Hello. Well'.split('')) turn.append(piece);
    turn.append(' Ann: Bye. And', 2);
    turn.append(' so on', 2);
    turn.end();
    expect(segments.map((segment) => [segment.line, segment.speaker, segmentText(segment)])).toEqual([
      [0, 1, ' Hi.\n'],
      [1, 2, ' Hello. '],
      [1, 2, 'Well '],
      [2, 1, ' Bye. '],
      [2, 1, 'And'],
      [3, 2, ' so on'],
    ]);
  });

  it('leaves the speaker open until one is named', () => {
    expect(read(['Hello.'], OPTIONS)[0]!.speaker).toBeUndefined();
    expect(read(['Hello.'], { ...OPTIONS, turnPrefix: 'X:' })[0]!.speaker).toBe(1);
  });

  it('starts early in the first line only', () => {
    const segments: Segment[] = [];
    const turn = createTurnText({ ...OPTIONS, early: 'first-clause' }, (segment) => segments.push(segment));
    turn.append('Well my dear friend, good day.', 1);
    turn.append('And to you too, my friend.', 2);
    turn.end();
    expect(segments.map(segmentText)).toEqual([
      'Well my dear friend, ',
      'good day.',
      'And to you too, my friend.',
    ]);
  });
});

describe('whole texts', () => {
  it('counts within each line of a dialogue', () => {
    const segments = dialogueSegments(
      [
        { speaker: 1, text: 'Hi. **You** there?' },
        { speaker: 2, text: '😀 Yes!' },
      ],
      OPTIONS,
    );
    expect(segments).toEqual([
      { line: 0, speaker: 1, boundary: 'sentence', runs: [{ text: 'Hi. ', start: 0 }] },
      {
        line: 0,
        speaker: 1,
        boundary: 'sentence',
        runs: [
          { text: 'You', start: 6 },
          { text: ' there?', start: 11 },
        ],
      },
      { line: 1, speaker: 2, boundary: 'sentence', runs: [{ text: '😀 Yes!', start: 0 }] },
    ]);
  });

  it('keeps every letter of text without markup', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('Hello ', 'there. ', 'x*y ', '5 * 3 ', 'a < b ', 'C# ', '#1 ', 'it_is_so '),
          { maxLength: 30 },
        ),
        (words) => {
          expect(letters(joined(wholeTextSegments(words.join(''), OPTIONS)))).toBe(letters(words.join('')));
        },
      ),
    );
  });

  it('emits nothing for an empty text and survives lone halves', () => {
    expect(wholeTextSegments('', OPTIONS)).toEqual([]);
    expect(joined(wholeTextSegments('\ud83d', OPTIONS))).toBe('\ud83d');
    fc.assert(
      fc.property(hardText, (text) => {
        for (const segment of wholeTextSegments(text, OPTIONS)) {
          expect(segment.runs.length).toBeGreaterThan(0);
          expect(segmentText(segment)).not.toBe('');
        }
      }),
      { numRuns: 200 },
    );
  });

  it('tells what can be said', () => {
    for (const text of ['a', '5', '€', '100 %', '+', 'नम', '🎉 yes']) expect(isSpeakable(text)).toBe(true);
    for (const text of ['', ' \n', '...!?', '🎉', '👨‍👩‍👧', '1️⃣', '— „“', 'ℹ️'])
      expect(isSpeakable(text)).toBe(false);
  });
});
