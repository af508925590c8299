import { describe, expect, it } from 'vitest';
import { sectionsOf, titleDepth } from '../../src/script/sections.ts';
import type { SourceSentence } from '../../src/script/source-sentence.ts';

/** Sentences of ten words under these headings, one paragraph each two. */
const sentencesUnder = (...paths: readonly (readonly string[])[]): SourceSentence[] => {
  const kept = new Map<string, readonly string[]>();
  return paths.map((given, number) => {
    const key = given.join('\n');
    const path = kept.get(key) ?? given;
    kept.set(key, path);
    return {
      number,
      kind: 'sentence',
      text: `Sentence ${number}.`,
      spoken: `Sentence ${number}.`,
      words: 10,
      explains: false,
      path,
      block: Math.floor(number / 2),
      unfit: undefined,
      leans: false,
      until: number,
    };
  });
};
const sections = (sentences: readonly SourceSentence[], most = 7, budget = 2000) =>
  sectionsOf(
    sentences.map(({ number }) => number),
    sentences,
    { most, budget, opening: 0, worth: (numbers) => numbers.length },
  ).map(({ name, numbers }) => [name, numbers]);

describe('the sections of a source', () => {
  it('are those of its headings, as deep as they are worth it', () => {
    const sentences = sentencesUnder(
      ['Mills', 'Wheels', 'Spokes'],
      ['Mills', 'Wheels', 'Spokes'],
      ['Mills', 'Wheels', 'Hubs'],
      ['Mills', 'Wheels', 'Hubs'],
      ['Mills', 'Gates'],
      ['Mills', 'Gates'],
    );
    expect(titleDepth(sentences)).toBe(1);
    expect(sections(sentences)).toEqual([
      ['Spokes', [0, 1]],
      ['Hubs', [2, 3]],
      ['Gates', [4, 5]],
    ]);
    expect(sections(sentences, 2)).toEqual([
      ['Wheels', [0, 1, 2, 3]],
      ['Gates', [4, 5]],
    ]);
  });

  it('are the weightiest where there are too many, and always the one that the text opens in', () => {
    const sentences = sentencesUnder(
      ['Open'],
      ['Gates'],
      ['Gates'],
      ['Gates'],
      ['Stones'],
      ['Stones'],
      ['Sacks'],
      ['Sacks'],
      ['Sacks'],
      ['Sacks'],
    );
    expect(sections(sentences, 2)).toEqual([
      ['Open', [0]],
      ['Sacks', [6, 7, 8, 9]],
    ]);
  });

  it('are even stretches between paragraphs where there are no headings', () => {
    const sentences = sentencesUnder(...Array.from({ length: 12 }, () => []));
    expect(sections(sentences, 3, 400)).toEqual([
      [undefined, [0, 1, 2, 3]],
      [undefined, [4, 5, 6, 7]],
      [undefined, [8, 9, 10, 11]],
    ]);
  });
});
