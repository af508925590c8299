// Texts that are signs and blanks for the most part: cues are cut in time that grows with the text, not with its square. With
// 200,000 characters the other would take longer than a test may.
import { describe, expect, it } from 'vitest';
import { captionCues } from '../../src/captions/caption-cues.ts';

const CHARS = 200_000;
const FILLED_WITH = [
  '\n',
  ' ',
  '\n ',
  '\r\n',
  '\n\u00a0',
  '\n- ',
  '\n1. ',
  '(',
  '”',
  '! ',
  '!"',
  ', ',
  '*',
  '[',
  '[x](y) ',
  '1.',
  '-',
  'é\u0301',
];

const wordAt = (text: string, charStart: number, startMs: number) => ({
  text,
  startMs,
  endMs: startMs + 400,
  speaker: undefined,
  line: 0,
  charStart,
  charEnd: charStart + [...text].length,
  weight: 1,
  pause: 0 as const,
});
const cuesOf = (text: string, words: readonly ReturnType<typeof wordAt>[]) =>
  captionCues(words, { lines: [text], nameOf: () => undefined, language: 'english' });

describe.each(FILLED_WITH.map((fill) => [JSON.stringify(fill), fill]))(
  '%s, 200,000 characters of it',
  (_, fill) => {
    const filling = fill.repeat(Math.floor(CHARS / fill.length));

    it('between two words', () => {
      const text = `Hello${filling}world`;
      const words = [wordAt('Hello', 0, 0), wordAt('world', 5 + [...filling].length, 1000)];
      const said = cuesOf(text, words).flatMap(({ parts }) => parts.flatMap((part) => JSON.stringify(part)));
      expect(said.join(' ')).toMatch(/Hello[\s\S]*world/);
    });

    it('behind the last word', () => {
      const cues = cuesOf(`Hello${filling}`, [wordAt('Hello', 0, 0)]);
      expect(cues.length).toBeGreaterThan(0);
    });

    it('within a word', () => {
      const word = `a${filling.slice(0, CHARS / 10)}a`;
      expect(cuesOf(word, [wordAt(word, 0, 0)]).length).toBeGreaterThan(0);
    });
  },
);
