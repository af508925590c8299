import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/speech/language.ts';
import { wordList } from '../../../src/text/sentences/count-words.ts';
import { sentenceRulesOf } from '../../../src/text/sentences/language-rules.ts';

describe('a list of words', () => {
  const list = wordList('page May -seite страниц- ile İki');

  it('has its words in either case, and those that begin or end so', () => {
    const had = ['page', 'Page', 'may', 'Titelseite', 'Seite', 'странице', 'iki', 'İki'];
    expect(had.filter((word) => !list.has(word))).toEqual([]);
    expect(['pag', 'pages', 'seiten', 'остраниц', ''].filter((word) => list.has(word))).toEqual([]);
  });

  it('tells what may become one of them', () => {
    const short = wordList('pm p.m вечер-');
    expect(['', 'p', 'P.', 'pm', 'ве', 'вечера'].filter((part) => !short.mayBecome(part))).toEqual([]);
    expect(['x', 'pmx', 'p.n', 'вч'].filter((part) => short.mayBecome(part))).toEqual([]);
    expect(list.mayBecome('anything')).toBe(true);
  });

  it('of every language holds no empty word', () => {
    for (const language of LANGUAGES) {
      const { counts } = sentenceRulesOf(language);
      expect(counts.labels.has('')).toBe(false);
      expect(counts.links.has('')).toBe(false);
      expect(counts.numerals.has('')).toBe(false);
    }
  });
});
