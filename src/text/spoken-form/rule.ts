// One thing that is written otherwise than it is said: where it may begin, what it looks like, how it is said.
// Patterns are sticky and every repetition in them is bounded, so that reading is linear in the text.

export type Rule = {
  /** What its first character is; rules are tried where such a token begins. */
  readonly starts: 'letter' | 'digit' | 'sign';
  readonly pattern: RegExp;
  /**
   * The spoken form, or undefined when it is something else after all. `before` is a part of the text before it,
   * for words that decide what is meant.
   */
  readonly say: (match: RegExpExecArray, before: string) => string | undefined;
};

/** `source` may name the Unicode properties of a `u` pattern. */
export const rule = (starts: Rule['starts'], source: string, say: Rule['say']): Rule => ({
  starts,
  pattern: new RegExp(source, 'yu'),
  say,
});

/** Pattern source: a character of a script that puts no spaces between words, so that any word may follow any other. */
export const UNSPACED = '[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}]';

/** A pattern source that takes each of `literals` as it is, the longest first. */
export const oneOf = (literals: Iterable<string>): string =>
  [...literals]
    .sort((a, b) => b.length - a.length)
    .map((literal) => literal.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('|');
