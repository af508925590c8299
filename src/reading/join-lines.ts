// Lines that were broken to a width, as one text again: words that were divided at a line's end are whole, compounds
// that have a hyphen of their own keep it.

export type KnownWords = {
  /** Lower-case words that stand somewhere within a line, hyphenated compounds and their beginnings (`twenty-`) among them. */
  has(word: string): boolean;
};

const NONE: KnownWords = { has: () => false };
const DIVIDED = /([\p{L}\p{M}]+(?:[-‐][\p{L}\p{M}]+)*)[-‐\u00ad]$/u;
const REST = /^([\p{L}\p{M}]+)/u;

/** `known` are the words of the document, which tell `well-known` from a divided `wellington`. */
export function joinLines(lines: readonly string[], known: KnownWords = NONE): string {
  let text = '';
  for (const line of lines) {
    const next = line.trim();
    if (next === '') continue;
    if (text === '') text = next;
    else text = joined(text, next, known);
  }
  return text;
}

function joined(text: string, next: string, known: KnownWords): string {
  const [, start] = DIVIDED.exec(text.slice(-80)) ?? [];
  const [, rest] = REST.exec(next) ?? [];
  if (start === undefined || rest === undefined)
    return /[-–—/]$/.test(text) && !/\s[-–—/]$/.test(text) ? text + next : `${text} ${next}`;
  const whole = `${start}${rest}`.toLowerCase();
  const compound = `${start}-${rest}`.toLowerCase();
  // A capital after the hyphen is a name's or a compound's own (Anglo-Saxon, U-Boot).
  const isCompound =
    /^\p{Lu}/u.test(rest) ||
    (!known.has(whole) && (known.has(compound) || known.has(`${start.toLowerCase()}-`)));
  return isCompound ? text + next : text.slice(0, -1) + next;
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
