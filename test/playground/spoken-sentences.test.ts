// What a screen reader is told of speech: whole sentences as they are written, each once, in their order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TrackedWord } from '../../src/playground/caption-track.ts';
import { asSentence, createSpokenSentences } from '../../src/playground/spoken-sentences.ts';
import '../support/property-seed.ts';

/** Words as captions tell them: what stands between white space, places in code points. */
function wordsOf(texts: readonly string[]): TrackedWord[] {
  let at = 0;
  return texts.flatMap((text, line) =>
    [...text.matchAll(/\S+/gu)].map((match) => {
      const charStart = [...text.slice(0, match.index)].length;
      return {
        text: match[0],
        startMs: 100 * at++,
        endMs: 100 * at,
        line,
        charStart,
        charEnd: charStart + [...match[0]].length,
      };
    }),
  );
}
const linesOf = (texts: readonly string[]) => texts.map((text) => ({ text }));

/** All that is told when words begin one after another. */
function told(texts: readonly string[], state: 'going-on' | 'over' = 'over'): string[] {
  const words = wordsOf(texts);
  const sentences = createSpokenSentences();
  const lines = linesOf(texts);
  const all = words.flatMap((_, at) => sentences.take(lines, words.slice(0, at + 1), at + 1, 'going-on'));
  return [...all, ...sentences.take(lines, words, words.length, state)];
}

describe('spoken sentences', () => {
  it.each([
    ['it shone as brightly as before, ', 'it shone as brightly as before.'],
    ['The ferry leaves at ten.', 'The ferry leaves at ten.'],
    ['Will you come?', 'Will you come?'],
    ['“No!”', '“No!”'],
    ['one – ', 'one.'],
    ['nothing', 'nothing.'],
  ])('%j is read out as %j', (text, read) => expect(asSentence(text)).toBe(read));

  it('are told when their last word has begun, and what is left at the end', () => {
    const text = 'The ferry leaves at ten. Will you come?  Perhaps';
    const words = wordsOf([text]);
    const sentences = createSpokenSentences();
    const take = (begun: number, state: 'going-on' | 'over' = 'going-on') =>
      sentences.take([{ text }], words, begun, state);
    expect([take(0), take(3), take(4)]).toEqual([[], [], []]);
    expect(take(5)).toEqual(['The ferry leaves at ten.']);
    expect(take(5)).toEqual([]);
    expect(take(9)).toEqual(['Will you come?']);
    expect(take(9, 'over')).toEqual(['Perhaps']);
    expect(take(9, 'over')).toEqual([]);
  });

  it('end with a line of a dialogue, and are parted when they are very long', () => {
    expect(told(['Hello there', 'Hi. You too'])).toEqual(['Hello there', 'Hi.', 'You too']);
    const clause = 'which goes on for quite a while without an end, ';
    const parts = told([clause.repeat(8)]);
    expect(parts.length).toBeGreaterThan(1);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(240);
    expect(told(['word '.repeat(400)]).length).toBeGreaterThan(5);
  });

  it('have the punctuation that stands behind a word, also where words are told without it', () => {
    const text = '“Go!” he said. 明天见。';
    const words = [
      [1, 3],
      [6, 8],
      [9, 13],
      [15, 18],
    ].map(([charStart, charEnd], at) => ({
      text: '',
      startMs: at,
      endMs: at + 1,
      line: 0,
      charStart: charStart!,
      charEnd: charEnd!,
    }));
    expect(createSpokenSentences().take([{ text }], words, 4, 'going-on')).toEqual([
      'Go!”',
      'he said.',
      '明天见。',
    ]);
  });

  it('go on from where another paragraph is heard', () => {
    const texts = ['One is here. Two is here. Three is here.'];
    const words = wordsOf(texts);
    const sentences = createSpokenSentences();
    expect(sentences.take(linesOf(texts), words, 9, 'going-on')).toHaveLength(3);
    expect(sentences.take(linesOf(texts), words.slice(0, 3), 3, 'going-on')).toEqual([]);
    expect(sentences.take(linesOf(texts), words, 6, 'going-on')).toEqual(['Two is here.']);
  });

  it('are all of the text, in its order, whatever it is', () => {
    const piece = fc.constantFrom('a', 'ß', '😀', ' ', ' ', '. ', ', ', '\n', '“x”', '。', 'word');
    const text = fc.array(piece, { maxLength: 80 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), (texts) => {
        const plain = (all: readonly string[]) => all.join('').replace(/\s/gu, '');
        expect(plain(told(texts))).toBe(plain(texts));
      }),
    );
  });
});
