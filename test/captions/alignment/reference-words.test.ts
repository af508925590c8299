import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { referenceWordTimes, type ToldWord } from '../../../src/captions/alignment/reference-words.ts';

const told = (...rows: readonly [startMs: number, charStart: number][]): ToldWord[] =>
  rows.map(([startMs, charStart]) => ({ startMs, charStart }));

describe('word times of a reference', () => {
  const text = { wordAt: [0, 4, 8, 14], weights: [3, 3, 6, 1] };

  it('are those that were told', () => {
    const rows = told([0, 0], [300, 4], [700, 8], [1500, 14]);
    expect(referenceWordTimes(text, rows, 20, 2000)).toEqual([0, 300, 700, 1500]);
  });

  it('of words that were not told lie between their neighbours, by weight', () => {
    // The word in front takes 3 of 9 parts, the next one 6.
    expect(referenceWordTimes(text, told([0, 0], [100, 4], [1000, 14]), 20, 2000)).toEqual([
      0, 100, 400, 1000,
    ]);
    // First words, from the beginning of the sound; last words, to its end.
    expect(referenceWordTimes(text, told([1200, 8]), 20, 1900)).toEqual([0, 600, 1200, 1800]);
    expect(referenceWordTimes(text, [], 20, 1300)).toEqual([0, 300, 600, 1200]);
  });

  it('are only those of words that begin before the end of what has been spoken', () => {
    expect(referenceWordTimes(text, told([0, 0], [300, 4]), 8, 700)).toEqual([0, 300]);
    expect(referenceWordTimes(text, told([0, 0], [300, 4]), 0, 700)).toEqual([]);
    expect(referenceWordTimes({ wordAt: [], weights: [] }, told([0, 0]), 9, 700)).toEqual([]);
  });

  it('come from the first part of a word that is said in several, and from no stranger', () => {
    // What is told before the first word, a turn prefix, is none of the caller's.
    const late = { wordAt: [3, 7], weights: [1, 1] };
    expect(referenceWordTimes(late, told([0, 0], [200, 3], [350, 5], [500, 7], [600, 9]), 12, 900)).toEqual([
      200, 500,
    ]);
  });

  it('begin with the first of several words for which something is said as a whole', () => {
    const { weights } = text;
    const rows = told([0, 0], [300, 4], [1200, 14]);
    expect(referenceWordTimes({ wordAt: [0, 4, 4, 14], weights }, rows, 20, 2000)).toEqual([
      0, 300, 600, 1200,
    ]);
  });

  it('never fall, though what was told does', () => {
    expect(referenceWordTimes(text, told([500, 0], [300, 4], [700, 8], [650, 14]), 20, 100)).toEqual([
      500, 500, 700, 700,
    ]);
  });

  it('share no time when words weigh nothing', () => {
    const light = { wordAt: [0, 2, 4], weights: [0, 0, 0] };
    expect(referenceWordTimes(light, told([0, 0]), 6, 900)).toEqual([0, 0, 0]);
  });

  it('are one for each word, whole in order, and keep what was told in order', () => {
    const words = fc.array(
      fc.record({ gap: fc.integer({ min: 0, max: 4 }), weight: fc.double({ min: 0, max: 20, noNaN: true }) }),
      { maxLength: 12 },
    );
    const rows = fc.array(
      fc.record({ startMs: fc.integer({ min: 0, max: 5000 }), charStart: fc.integer({ min: 0, max: 50 }) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(words, rows, fc.integer({ min: 0, max: 60 }), (plan, heard, spokenTo) => {
        let at = 0;
        const wordAt = plan.map(({ gap }) => {
          at += gap;
          return at;
        });
        const rising = heard.map(({ startMs }) => startMs).toSorted((a, b) => a - b);
        const places = heard.map(({ charStart }) => charStart).toSorted((a, b) => a - b);
        const inOrder = rising.map((startMs, index) => ({ startMs, charStart: places[index]! }));
        const weights = plan.map(({ weight }) => weight);
        const starts = referenceWordTimes({ wordAt, weights }, inOrder, spokenTo, 6000);
        expect(starts).toHaveLength(wordAt.filter((place) => place < spokenTo).length);
        let last = 0;
        for (const ms of starts) {
          // Sums of fractions.
          expect(ms).toBeGreaterThanOrEqual(last - 1e-6);
          expect(ms).toBeLessThanOrEqual(6000 + 1e-6);
          last = ms;
        }
        for (const [word, ms] of starts.entries()) {
          const behind = wordAt.find((place) => place > wordAt[word]!) ?? Number.POSITIVE_INFINITY;
          const isAlone = wordAt.filter((place) => place === wordAt[word]).length === 1;
          const first = inOrder.find(({ charStart }) => charStart >= wordAt[word]! && charStart < behind);
          if (isAlone && first !== undefined) expect(ms).toBe(first.startMs);
        }
      }),
      { numRuns: 500 },
    );
  });
});
