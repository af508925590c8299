// Lines that were broken to a width, as one text again: words that were divided at a line's end are whole, compounds
// that have a hyphen of their own keep it.

import { GrowingText } from './growing-text.ts';

export type KnownWords = {
  /** Lower-case words that stand somewhere within a line, hyphenated compounds and their beginnings (`twenty-`) among them. */
  has(word: string): boolean;
  /** False: hardly a line of the document ends in a hyphen, so those that do end in one of the word's own. */
  readonly areDivided?: boolean;
};

const NONE: KnownWords = { has: () => false };
const DIVIDED = /([\p{L}\p{M}]+(?:[-‐][\p{L}\p{M}]+)*)[-‐\u00ad]$/u;
const REST = /^([\p{L}\p{M}]+)/u;

/** `known` are the words of the document, which tell `well-known` from a divided `wellington`. */
export function joinLines(lines: readonly string[], known: KnownWords = NONE): string {
  const text = new GrowingText();
  for (const line of lines) {
    const next = line.trim();
    if (next === '') continue;
    if (!text.isEmpty) join(text, next, known);
    text.add(next);
  }
  return text.take();
}

/** Makes the end of `text` ready for `next`: with a space, or without the hyphen that divided a word. */
function join(text: GrowingText, next: string, known: KnownWords): void {
  const before = text.tail();
  const [, start] = DIVIDED.exec(before) ?? [];
  const [, rest] = REST.exec(next) ?? [];
  if (start === undefined || rest === undefined) {
    if (!/[-–—/]$/.test(before) || /\s[-–—/]$/.test(before)) text.add(' ');
    return;
  }
  const whole = `${start}${rest}`.toLowerCase();
  const compound = `${start}-${rest}`.toLowerCase();
  // A capital after the hyphen is a name's or a compound's own (Anglo-Saxon, U-Boot).
  const isCompound =
    /^\p{Lu}/u.test(rest) ||
    (!known.has(whole) &&
      (known.areDivided === false || known.has(compound) || known.has(`${start.toLowerCase()}-`)));
  if (!isCompound) text.dropLast();
}

/** Fewer lines than these tell nothing of how their words are divided. */
const MIN_LINES = 20;
/** Where words are divided, one line in ten ends in a hyphen; where they are not, one in a hundred does. */
const MIN_DIVIDED_SHARE = 0.03;

/** The words of lines, without the last of each line, which may be divided. */
export function knownWords(lines: readonly string[]): KnownWords {
  const words = new Set<string>();
  const divided = lines.filter((line) => /\p{L}[-‐\u00ad]\s*$/u.test(line.slice(-80))).length;
  for (const line of lines) {
    const found = line.toLowerCase().match(/[\p{L}\p{M}]+(?:[-‐][\p{L}\p{M}]+)*/gu) ?? [];
    for (const word of found.slice(0, -1).map((each) => each.replaceAll('‐', '-'))) {
      words.add(word);
      if (word.includes('-')) words.add(word.slice(0, word.indexOf('-') + 1));
    }
  }
  const areDivided = lines.length < MIN_LINES || divided >= lines.length * MIN_DIVIDED_SHARE;
  return { has: (word) => words.has(word), areDivided };
}
