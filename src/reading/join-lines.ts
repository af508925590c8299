// Lines that were broken to a width, as one text again: words that were divided at a line's end are whole, compounds
// that have a hyphen of their own keep it.

import { GrowingText } from './growing-text.ts';

export type KnownWords = {
  /** Lower-case words that stand somewhere within a line, hyphenated compounds and their beginnings (`twenty-`) among them. */
  has(word: string): boolean;
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
    (!known.has(whole) && (known.has(compound) || known.has(`${start.toLowerCase()}-`)));
  if (!isCompound) text.dropLast();
}

/** The words of lines, without the last of each line, which may be divided. */
export function knownWords(lines: Iterable<string>): KnownWords {
  const words = new Set<string>();
  for (const line of lines) {
    const found = line.toLowerCase().match(/[\p{L}\p{M}]+(?:[-‐][\p{L}\p{M}]+)*/gu) ?? [];
    for (const word of found.slice(0, -1).map((each) => each.replaceAll('‐', '-'))) {
      words.add(word);
      if (word.includes('-')) words.add(word.slice(0, word.indexOf('-') + 1));
    }
  }
  return words;
}
