// The one line of captions: whole words of one sentence, never more than fits.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCaptionLine } from '../../src/playground/caption-line.ts';
import type { TrackedWord } from '../../src/playground/caption-track.ts';
import '../support/property-seed.ts';

const wordsOf = (texts: readonly string[]): TrackedWord[] =>
  texts.flatMap((text, line) =>
    [...text.matchAll(/[\p{L}\p{N}]+/gu)].map((match, at) => {
      const charStart = [...text.slice(0, match.index)].length;
      const charEnd = charStart + [...match[0]].length;
      return { text: match[0], startMs: at * 100, endMs: at * 100 + 90, line, charStart, charEnd };
    }),
  );
const linesOf = (texts: readonly string[]) => texts.map((text) => ({ text }));

describe('the line of captions', () => {
  it('grows word by word, with its signs, and begins anew with a sentence and a line', () => {
    const texts = ['The ferry leaves at ten. It is late!', '“Yes”, they say.'];
    const words = wordsOf(texts);
    const line = createCaptionLine();
    const shown = [0, 1, 5, 6, 8, 9, 11].map((begun) => line.at(linesOf(texts), words, begun));
    expect(shown).toEqual([
      '',
      'The',
      'The ferry leaves at ten.',
      'It',
      'It is late!',
      'Yes”,',
      'Yes”, they say.',
    ]);
    expect(line.at(linesOf(texts), words, 2)).toBe('The ferry');
  });

  it('holds the newest word and never much more than a row, whatever the text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 4 }), (texts) => {
        const words = wordsOf(texts);
        const line = createCaptionLine();
        for (const [at, word] of words.entries()) {
          const shown = line.at(linesOf(texts), words, at + 1);
          expect(shown).toContain(word.text);
          if (word.charEnd - word.charStart < 20) {
            const signs = /[^\p{L}\p{N}]*$/u.exec(shown)![0];
            expect([...shown].length - [...signs].length).toBeLessThanOrEqual(42);
          }
        }
      }),
    );
  });
});
