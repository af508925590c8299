import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapedRequests } from '../../src/text/request-shape.ts';
import {
  composeRequest,
  type RequestText,
  speakerOf,
  splitIntoRequests,
} from '../../src/text/request-text.ts';
import { isSpeakable, type Segment, segmentText } from '../../src/text/segment.ts';
import { dialogueSegments, wholeTextSegments } from '../../src/text/turn-text.ts';
import { hardText } from './any-split.ts';

const OPTIONS = { language: 'english', markup: 'keep' } as const;
const whole = (text: string) => wholeTextSegments(text, OPTIONS);
const talk = (...lines: [1 | 2, string][]) =>
  dialogueSegments(
    lines.map(([speaker, text]) => ({ speaker, text })),
    OPTIONS,
  );
const dialogues = fc.array(fc.record({ speaker: fc.constantFrom(1 as const, 2 as const), text: hardText }), {
  maxLength: 8,
});
const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');
const fold = (text: string) => text.toUpperCase().toLowerCase();
const count = (text: string, part: string) => fold(text).split(fold(part)).length - 1;

function expectSound(request: RequestText) {
  for (const { segment, textStart } of request.parts)
    expect(request.text.startsWith(segmentText(segment), textStart)).toBe(true);
  const { turnPrefix, turnPrefix2 } = request;
  if (turnPrefix === undefined || turnPrefix2 === undefined) return;
  expect(request.text.startsWith(turnPrefix) || request.text.startsWith(turnPrefix2)).toBe(true);
  const spoken = request.parts.map(({ segment }) => segmentText(segment)).join('');
  for (const prefix of [turnPrefix, turnPrefix2]) expect(count(spoken, prefix)).toBe(0);
  const changes = request.parts.filter(
    ({ segment }, index) => index === 0 || segment.speaker !== request.parts[index - 1]!.segment.speaker,
  );
  expect(count(request.text, turnPrefix) + count(request.text, turnPrefix2)).toBe(changes.length);
}

describe('one request', () => {
  it('joins segments without speakers as they are', () => {
    const request = composeRequest(whole('One. Two! Three'))!;
    expect(request.text).toBe('One. Two! Three');
    expect(request.parts.map((part) => part.textStart)).toEqual([0, 5, 10]);
    expect(request).not.toHaveProperty('turnPrefix');
  });

  it('begins with a prefix and takes a new line for a change of speaker', () => {
    const request = composeRequest(talk([1, 'Hi. You?'], [2, 'Fine.\n'], [2, 'And you?'], [1, 'Good.']))!;
    expect(request.text).toBe('Speaker 1: Hi. You?\nSpeaker 2: Fine.\nAnd you?\nSpeaker 1: Good.');
    expect(request).toMatchObject({ turnPrefix: 'Speaker 1:', turnPrefix2: 'Speaker 2:' });
    expectSound(request);
  });

  it('makes prefixes that the text does not hold, whatever the case', () => {
    const request = composeRequest(talk([1, 'He said SPEAKER 1: hi'], [2, 'and ſpeaKer 4: ho']))!;
    expect(request.turnPrefix).toBe('Speaker 5:');
    expectSound(request);
  });

  it('prefers the caller’s own prefixes where they are safe', () => {
    const segments = talk([1, 'Hello Ann: you'], [2, 'Hi']);
    expect(composeRequest(segments, { turnPrefix: 'Bob: ', turnPrefix2: 'Eve:' })!.text).toBe(
      'Bob: Hello Ann: you\nEve: Hi',
    );
    expect(composeRequest(segments, { turnPrefix: 'ann:', turnPrefix2: 'Eve:' })!.text).toBe(
      'Speaker 1: Hello Ann: you\nEve: Hi',
    );
    for (const own of [' ', 'x\ny', 'a a', 'Speaker 2'])
      expect(composeRequest(segments, { turnPrefix: own })!.turnPrefix).toBe('Speaker 1:');
    expect(composeRequest(segments, { turnPrefix: 'Eve', turnPrefix2: 'Eve 2' })!.turnPrefix2).toBe(
      'Speaker 2:',
    );
  });

  it('takes a segment without a speaker for the first speaker’s when others name one', () => {
    const unnamed: Segment = {
      line: 0,
      speaker: undefined,
      runs: [{ text: 'So. ', start: 0 }],
      boundary: 'sentence',
    };
    const named: Segment = { line: 1, speaker: 2, runs: [{ text: 'Yes.', start: 4 }], boundary: 'end' };
    expect(composeRequest([unnamed, named])!.text).toBe('Speaker 1: So. \nSpeaker 2: Yes.');
  });

  it('parts lines that only markup parted', () => {
    const segments = wholeTextSegments('one<br>two', { language: 'english', markup: 'strip' });
    expect(composeRequest(segments)!.text).toBe('one\ntwo');
  });

  it('leaves out what holds nothing to say, but not between two that do', () => {
    expect(composeRequest(whole('…!'))).toBeUndefined();
    expect(composeRequest([])).toBeUndefined();
    expect(composeRequest(talk([1, '🎉'], [2, 'Yes. ??'], [1, '...']))!.text).toBe('Speaker 2: Yes. ');
    const pause: Segment = {
      line: 0,
      speaker: undefined,
      runs: [{ text: '... ', start: 3 }],
      boundary: 'words',
    };
    const [a, b] = [whole('A. ')[0]!, whole('B.')[0]!];
    expect(composeRequest([pause, a, pause, b, pause])!.text).toBe('A. ... B.');
  });

  it('is sound for any dialogue', () => {
    const pieces = fc.array(
      fc.constantFrom('Speaker 1:', 'speaker 2:', ' ', 'SPEAKER 3: ', 'Ann', ':', 'ann: x', '. ', 'Speaker'),
    );
    const lines = fc.array(
      fc.record({ speaker: fc.constantFrom(1 as const, 2 as const), text: pieces.map((p) => p.join('')) }),
    );
    const own = fc.constantFrom('Ann:', 'Ann', 'Speaker', 'a n', 'Speaker 2: Ann', undefined);
    fc.assert(
      fc.property(lines, own, own, (dialogue, turnPrefix, turnPrefix2) => {
        const request = composeRequest(dialogueSegments(dialogue, OPTIONS), { turnPrefix, turnPrefix2 });
        if (request !== undefined) expectSound(request);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a whole turn', () => {
  const texts = (requests: readonly RequestText[]) => requests.map((request) => request.text);

  it('is one request when it fits and none when there is nothing to say', () => {
    expect(splitIntoRequests(whole('One. Two.'))).toHaveLength(1);
    expect(splitIntoRequests(whole('... \n🎉'))).toEqual([]);
  });

  it('is cut at line ends where that costs no further request', () => {
    const text = 'Aaaa. Bbbb.\nCccc. Dddd.\nEeee.';
    expect(texts(splitIntoRequests(whole(text), 18))).toEqual(['Aaaa. Bbbb.\n', 'Cccc. Dddd.\nEeee.']);
    expect(texts(splitIntoRequests(whole('Aa.\nBbbb. Cccc. Dddd.'), 16))).toEqual([
      'Aa.\nBbbb. Cccc. ',
      'Dddd.',
    ]);
  });

  it('is cut at sentence ends before words', () => {
    const piece = (boundary: Segment['boundary'], start: number): Segment => ({
      line: 0,
      speaker: undefined,
      runs: [{ text: 'nine char ', start }],
      boundary,
    });
    const requests = splitIntoRequests([piece('sentence', 0), piece('words', 10), piece('end', 20)], 20);
    expect(requests.map((request) => request.parts.length)).toEqual([1, 2]);
  });

  it('parts a segment that is too long between words', () => {
    const segment: Segment = {
      line: 0,
      speaker: 2,
      runs: [{ text: 'one two three four', start: 7 }],
      boundary: 'end',
    };
    const requests = splitIntoRequests([segment], 22);
    expect(texts(requests)).toEqual(['Speaker 2: one two ', 'Speaker 2: three four']);
    expect(requests[1]!.parts[0]!.segment.runs).toEqual([{ text: 'three four', start: 15 }]);
  });

  it('keeps the same prefixes in all its requests', () => {
    const requests = splitIntoRequests(talk([1, 'One. Two. Three.'], [2, 'Speaker 1: Four. Five.']), 40);
    expect(new Set(requests.map((request) => request.turnPrefix))).toEqual(new Set(['Speaker 3:']));
  });

  it('keeps to the limit, loses nothing and makes as few requests as greedy filling does', () => {
    fc.assert(
      fc.property(dialogues, fc.integer({ min: 30, max: 300 }), (dialogue, limit) => {
        const segments = dialogueSegments(dialogue, OPTIONS);
        const requests = splitIntoRequests(segments, limit);
        for (const request of requests) {
          expect(request.text.length).toBeLessThanOrEqual(limit);
          expect(isSpeakable(request.parts.map(({ segment }) => segmentText(segment)).join(''))).toBe(true);
          expectSound(request);
        }
        const said = requests.flatMap((r) => r.parts.map(({ segment }) => segmentText(segment))).join('');
        expect(letters(said)).toBe(letters(dialogue.map((line) => line.text).join('')));
      }),
      { numRuns: 300 },
    );
  });
});

describe('requests of a service with one voice', () => {
  it('are the turns of a dialogue, without prefixes, each of one speaker', () => {
    const [request] = splitIntoRequests(talk([1, 'Ready?'], [2, 'Almost. Wait.'], [2, 'Now.'], [1, 'Go!']));
    const shaped = shapedRequests(request!, { voices: 'one', maxText: 1000 });
    expect(shaped.map((one) => [speakerOf(one), one.text.trim()])).toEqual([
      [1, 'Ready?'],
      [2, 'Almost. Wait.\nNow.'],
      [1, 'Go!'],
    ]);
    expect(shapedRequests(request!, { voices: 'two', maxText: 1000 })).toEqual([request]);
  });

  it('say every word once, in order, by its speaker, none longer than the service takes', () => {
    const shapes = fc.record({
      voices: fc.constantFrom('one' as const, 'two' as const),
      maxText: fc.integer({ min: 40, max: 400 }),
    });
    fc.assert(
      fc.property(dialogues, shapes, (dialogue, shape) => {
        const requests = splitIntoRequests(dialogueSegments(dialogue, OPTIONS));
        const shaped = requests.flatMap((request) => shapedRequests(request, shape));
        const saidBy = (all: readonly RequestText[]) =>
          all.flatMap(({ parts }) =>
            parts.map(({ segment }) => [segment.speaker ?? 1, segmentText(segment)] as const),
          );
        for (const speaker of [1, 2])
          expect(
            letters(
              saidBy(shaped)
                .filter(([by]) => by === speaker)
                .map(([, text]) => text)
                .join(''),
            ),
          ).toBe(
            letters(
              saidBy(requests)
                .filter(([by]) => by === speaker)
                .map(([, text]) => text)
                .join(''),
            ),
          );
        expect(
          letters(
            saidBy(shaped)
              .map(([, text]) => text)
              .join(''),
          ),
        ).toBe(
          letters(
            saidBy(requests)
              .map(([, text]) => text)
              .join(''),
          ),
        );
        for (const one of shaped) {
          expectSound(one);
          expect(one.text.length).toBeLessThanOrEqual(shape.maxText);
          if (shape.voices === 'two') continue;
          expect(one).not.toHaveProperty('turnPrefix');
          for (const { segment } of one.parts) expect(segment.speaker ?? 1).toBe(speakerOf(one));
        }
      }),
      { numRuns: 100 },
    );
  });
});
