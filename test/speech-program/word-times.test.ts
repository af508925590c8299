// From the program's words to the caller's: pure, with an origin that the test writes down.
import { describe, expect, it } from 'vitest';
import type { LineOrigin } from '../../src/speech-program/line-origin.ts';
import { createScript } from '../../src/speech-program/speech-script.ts';
import { createWordTimes, type TimedWord } from '../../src/speech-program/word-times.ts';

const at = (codePoint: number, atMs: number) => ({ atMs, codePoint, codePoints: 1 });
const PLAIN = { startMs: 0, factor: 1 };

/** What is told when every word of each line begins 10 ms after the one before. */
function tell(text: string, language: 'english' | 'mandarin' = 'english') {
  const told: TimedWord[] = [];
  const times = createWordTimes((word) => told.push(word));
  for (const [index, line] of createScript({ text, language }).entries()) {
    const starts =
      language === 'mandarin'
        ? [...line.text].map((_, place) => place)
        : [...line.text.matchAll(/\S+/g)].map((word) => word.index);
    const events = starts.map((start, word) => at(start, 10 * word));
    times.add(line.origin(), events, { startMs: 1000 * index, factor: 2 });
  }
  return told.map(({ startMs, charStart, charEnd }) => [startMs, text.slice(charStart, charEnd)]);
}

describe('createWordTimes', () => {
  it('tells each word of the caller once, with the start of the first that is said for it', () => {
    expect(tell('We paid €5.20, then left. On 3 May 2024 too.')).toEqual([
      [0, 'We'],
      [20, 'paid'],
      [40, '€5.20,'],
      [140, 'then'],
      [160, 'left.'],
      [1000, 'On'],
      [1020, '3 May 2024'],
      [1100, 'too.'],
    ]);
  });

  it('tells words of several characters that are said one by one', () => {
    expect(tell('孩子去学校了。', 'mandarin').map(([, word]) => word)).toEqual(['孩子', '去', '学校', '了']);
  });

  it('leaves out what has no time or is no word, and never goes back', () => {
    const told: TimedWord[] = [];
    const times = createWordTimes((word) => told.push(word));
    const origin: LineOrigin = {
      words: [
        { start: 10, end: 13 },
        { start: 14, end: 16 },
        { start: 20, end: 25 },
        { start: 26, end: 28 },
      ],
      sourceOf: (codePoint) => ({ start: codePoint, end: codePoint + 1 }),
    };
    times.add(origin, [at(13, 1), at(14, 5), at(10, 6), at(22, 3), at(24, 9), at(90, 10)], PLAIN);
    times.add(origin, [at(24, 50), at(27, 51)], PLAIN);
    times.add({ words: [], sourceOf: origin.sourceOf }, [at(40, 60)], PLAIN);
    expect(told).toEqual([
      { startMs: 5, charStart: 14, charEnd: 16 },
      { startMs: 5, charStart: 20, charEnd: 25 },
      { startMs: 51, charStart: 26, charEnd: 28 },
    ]);
  });
});
