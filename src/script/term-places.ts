// Words and pairs of words in a sentence that may be named as a subject ("heat pumps"), by the signs that a language
// gives: there is no list of nouns here, and a verb in a question about nothing would be worse than no question.

import type { LanguageReader } from './language-reader.ts';
import { listed } from './plans/cue-pattern.ts';
import type { TermRule } from './script-language.ts';

/** Answers the terms of a sentence as they stand there. */
export type TermFinder = (sentence: string) => string[];

type Token = { readonly text: string; readonly start: number; readonly end: number };

const TOKEN = /\p{L}[\p{L}\p{M}\p{N}]*(?:['’\-‑][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*|\p{N}+/gu;
const ELIDED = /^(\p{L}{1,5}['’])(\p{L}{4,})$/u;
const JAPANESE_TERM = /[\p{sc=Han}\p{sc=Katakana}ー々]{2,8}/gu;
const CHINESE_WORDS = new Intl.Segmenter('zh', { granularity: 'word' });
const MIN_LETTERS = 4;

const tokensOf = (text: string): Token[] =>
  [...text.matchAll(TOKEN)].flatMap((match) => {
    const start = match.index;
    const elided = ELIDED.exec(match[0]);
    const whole = { text: match[0], start, end: start + match[0].length };
    if (elided === null) return [whole];
    const middle = start + elided[1]!.length;
    return [
      { text: elided[1]!.slice(0, -1), start, end: middle },
      { text: elided[2]!, start: middle, end: whole.end },
    ];
  });

const isCapital = (text: string): boolean => /^\p{Lu}\p{Ll}/u.test(text) || /^\p{Lu}{2,6}s?$/u.test(text);

/** Only white space, or nothing after an elision, stands between the two. */
const touch = (sentence: string, a: Token | undefined, b: Token | undefined): boolean =>
  a !== undefined && b !== undefined && /^\s*$/u.test(sentence.slice(a.end, b.start));

function spacedFinder(rule: TermRule, reader: LanguageReader): TermFinder {
  const marks = new Set('words' in rule ? listed(rule.words) : []);
  const isMark = (token: Token) => marks.has(token.text.toLowerCase());
  const isContent = ({ text }: Token) =>
    (text.length >= MIN_LETTERS || /^\p{Lu}{2,}$/u.test(text)) &&
    !marks.has(text.toLowerCase()) &&
    !reader.common.has(text.toLowerCase()) &&
    !/^\p{N}/u.test(text);

  const names = (sentence: string, tokens: readonly Token[]) =>
    tokens.flatMap((token, index) => {
      if (index === 0 || !isCapital(token.text) || !isContent(token)) return [];
      const next = tokens[index + 1];
      const both =
        next !== undefined && touch(sentence, token, next) && isCapital(next.text) && isContent(next);
      const previous = tokens[index - 1]!;
      if (index > 1 && touch(sentence, previous, token) && isCapital(previous.text) && isContent(previous))
        return [];
      return [both && rule.found !== 'capital' ? `${token.text} ${next.text}` : token.text];
    });

  const marked = (sentence: string, tokens: readonly Token[]) =>
    tokens.flatMap((token, index) => {
      const previous = tokens[index - 1];
      const next = tokens[index + 1];
      if (!isContent(token)) return [];
      if (rule.found === 'before')
        return next !== undefined && touch(sentence, token, next) && isMark(next) ? [token.text] : [];
      if (previous === undefined || !touch(sentence, previous, token) || !isMark(previous)) return [];
      const isPlain = ({ text }: Token) =>
        marks.has(text.toLowerCase()) || reader.common.has(text.toLowerCase());
      const ends = (at: number) => !touch(sentence, tokens[at], tokens[at + 1]) || isPlain(tokens[at + 1]!);
      if (rule.found === 'after' && rule.adjectives === 'behind') return [token.text];
      if (ends(index)) return [token.text];
      return ends(index + 1) ? [`${token.text} ${next!.text}`] : [];
    });

  switch (rule.found) {
    case 'capital':
      return (sentence) => names(sentence, tokensOf(sentence));
    case 'opening':
      return (sentence) => {
        const [first] = tokensOf(sentence);
        return first !== undefined && first.text.length > MIN_LETTERS && isContent(first) ? [first.text] : [];
      };
    case 'suffix':
      return (sentence) =>
        tokensOf(sentence).flatMap(({ text }) => {
          const suffix = [...marks].find((mark) => text.endsWith(mark) && text.length - mark.length >= 2);
          const stem = suffix === undefined ? '' : text.slice(0, -suffix.length);
          return stem === '' || reader.common.has(stem) ? [] : [stem];
        });
    case 'after':
    case 'before':
    case 'characters':
    case 'dictionary':
      return (sentence) => {
        const tokens = tokensOf(sentence);
        return [...marked(sentence, tokens), ...(rule.found === 'after' ? names(sentence, tokens) : [])];
      };
  }
}

export function createTermFinder(rule: TermRule, reader: LanguageReader): TermFinder {
  const isCommon = (term: string) => reader.common.has(term);
  if (rule.found === 'characters')
    return (sentence) => (sentence.match(JAPANESE_TERM) ?? []).filter((term) => !isCommon(term));
  if (rule.found === 'dictionary')
    return (sentence) =>
      [...CHINESE_WORDS.segment(sentence)]
        .map(({ segment }) => segment)
        .filter((word) => /^\p{sc=Han}{2,}$/u.test(word) && !isCommon(word));
  return spacedFinder(rule, reader);
}
