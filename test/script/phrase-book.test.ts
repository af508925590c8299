import { describe, expect, it } from 'vitest';
import { createPhraseBook } from '../../src/script/phrase-book.ts';
import { scriptLanguageOf } from '../../src/script/script-languages.ts';

const { phrases } = scriptLanguageOf('english')!;
const said = (seed: number, count: number) => {
  const book = createPhraseBook(phrases, seed, {});
  return Array.from({ length: count }, () => book.say('askOn')!);
};

describe('the phrase book', () => {
  it('says every phrase of a place before one comes again, and none twice in a row', () => {
    const count = phrases.askOn.length;
    for (let seed = 0; seed < 20; seed += 1) {
      const all = said(seed, count * 3);
      for (let from = 0; from < all.length; from += count)
        expect(new Set(all.slice(from, from + count)).size).toBe(count);
      expect(all.some((phrase, index) => phrase === all[index - 1])).toBe(false);
    }
  });

  it('is the same for a seed', () => {
    expect(said(3, 12)).toEqual(said(3, 12));
    expect(new Set([0, 1, 2, 3, 4, 5].map((seed) => said(seed, 12).join())).size).toBeGreaterThan(3);
  });

  it('uses names and title where they are known, and does without where not', () => {
    expect(createPhraseBook(phrases, 1, {}).say('hello')).not.toMatch(/[{}]/);
    expect(createPhraseBook(phrases, 1, { name1: 'Ada', name2: 'Ben', title: 'T' }).say('hello')).toMatch(
      /Ada.*Ben.*T/,
    );
  });

  it('sets no stop behind a question that a heading brings', () => {
    for (let seed = 0; seed < 6; seed += 1)
      expect(createPhraseBook(phrases, seed, {}).say('onTopic', { topic: 'Why?' })).toMatch(/"Why\?"$/);
  });

  it('has nothing to say in a language without a table', () => {
    expect(createPhraseBook(undefined, 1, { title: 'T' }).say('hello')).toBeUndefined();
  });
});
