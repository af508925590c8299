import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TimedWord } from '../../../src/captions/word-timeline.ts';
import type { Script, ScriptChapter } from '../../../src/script/script.ts';
import { linesOf, toScriptParts, toTimedScript } from '../../../src/service/playnotes/playnote-script.ts';
import { spokenWords } from '../../../src/text/spoken-words.ts';

const line = fc.record({
  speaker: fc.constantFrom(1 as const, 2 as const),
  text: fc.oneof(
    fc.constantFrom(
      'Hello there, Ann.',
      'What is it?',
      '…',
      '  ',
      'A long one. '.repeat(150),
      '日本語です。',
      '- 1. #',
    ),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
  ),
  sources: fc.constant([]),
});
const chapter: fc.Arbitrary<ScriptChapter> = fc.record({
  title: fc.constant('A chapter'),
  lines: fc.array(line, { minLength: 1, maxLength: 6 }),
});
const script: fc.Arbitrary<Script> = fc.record({
  title: fc.constant('A title'),
  language: fc.constant('english' as const),
  style: fc.constant('podcast' as const),
  chapters: fc.array(chapter, { minLength: 1, maxLength: 5 }),
});

/** Every word of the parts, 300 ms each, with silence between the parts. */
function spoken(parts: ReturnType<typeof toScriptParts>): { words: TimedWord[]; endMs: number } {
  const words: TimedWord[] = [];
  let atMs = 40;
  for (const { text, gapMs } of parts) {
    for (const word of spokenWords(text.parts.map(({ segment }) => segment))) {
      words.push({ ...word, startMs: atMs, endMs: atMs + 300 } as TimedWord);
      atMs += 300;
    }
    atMs += gapMs;
  }
  return { words, endMs: atMs };
}

describe('the script of a PlayNote', () => {
  it('is spoken whole, in order, each line under its own number and voice', () => {
    fc.assert(
      fc.property(script, fc.constantFrom(1 as const, 2 as const), (one, voices) => {
        const lines = linesOf(one);
        const parts = toScriptParts(one, { voices });
        const segments = parts.flatMap(({ text }) => text.parts.map(({ segment }) => segment));
        const order = segments.map((segment) => segment.line);
        expect(order).toEqual([...order].sort((a, b) => a - b));
        for (const segment of segments)
          expect(segment.speaker).toBe(voices === 1 ? undefined : lines[segment.line]!.speaker);
        lines.forEach(({ text }, index) => {
          if (/[a-z]{2}/.test(text)) expect(order).toContain(index);
        });
        for (const { text } of parts) expect(text.text.length).toBeLessThanOrEqual(1200);
        const chapters = parts.map((part) => part.chapter);
        expect(chapters).toEqual([...chapters].sort((a, b) => a - b));
      }),
    );
  });

  it('has times that only go forward, and chapters that lie end to end from 0 to the end', () => {
    fc.assert(
      fc.property(script, (one) => {
        const { words, endMs } = spoken(toScriptParts(one, { voices: 2 }));
        const timed = toTimedScript(one, words, endMs);
        expect(timed.chapters.map(({ title }) => title)).toEqual(one.chapters.map(({ title }) => title));
        let atMs = 0;
        for (const { startMs, endMs: overMs, lines } of timed.chapters) {
          expect(startMs).toBe(atMs);
          expect(overMs).toBeGreaterThanOrEqual(startMs);
          let lineMs = startMs;
          for (const { startMs: lineStart, endMs: lineEnd } of lines) {
            if (lineStart === null || lineEnd === null) {
              expect([lineStart, lineEnd]).toEqual([null, null]);
              continue;
            }
            expect(lineStart).toBeGreaterThanOrEqual(lineMs);
            expect(lineEnd).toBeGreaterThan(lineStart);
            expect(lineEnd).toBeLessThanOrEqual(overMs);
            lineMs = lineEnd;
          }
          atMs = overMs;
        }
        expect(atMs).toBe(endMs);
        expect(timed.words).toHaveLength(words.length);
        const lines = linesOf(one);
        for (const { text, line: at, charStart, charEnd } of timed.words)
          if (/^[a-z]+$/i.test(text))
            expect([...lines[at]!.text].slice(charStart, charEnd).join('')).toBe(text);
      }),
    );
  });

  it('gives a chapter of which nothing is heard no time, wherever it stands', () => {
    const say = (text: string): ScriptChapter => ({
      title: text,
      lines: [{ speaker: 1, text, sources: [] }],
    });
    const one: Script = {
      title: 't',
      language: 'english',
      style: 'podcast',
      chapters: [say('…'), say('One.'), say('…'), say('Two.'), say('…')],
    };
    const { words, endMs } = spoken(toScriptParts(one, { voices: 1 }));
    const timed = toTimedScript(one, words, endMs);
    const twoMs = words[1]!.startMs;
    expect(timed.chapters.map(({ startMs, endMs: overMs }) => [startMs, overMs])).toEqual([
      [0, 40],
      [40, twoMs],
      [twoMs, twoMs],
      [twoMs, endMs],
      [endMs, endMs],
    ]);
  });
});
