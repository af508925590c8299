// The words of a language by which a number is known to belong to what stands beside it, as data: what is numbered
// ("page 12"), what a date is made of, what leads from a number to the thing that is counted. A number and the word behind
// it always belong together, so units and currencies need no list.

/** Each a list of words parted by white space, without a last dot and in either case; see `WordList`. */
export type GivenCountWords = {
  /** A number behind it is its own: "page 12", "Nr. 5", "EUR 12", "pukul 3". */
  readonly labels?: string;
  /** Names of months in all forms, short ones too. */
  readonly months?: string;
  /** What goes on from a number to what is counted or from a month to its year: "million", "square", "de" of "3 de mayo". */
  readonly links?: string;
  /** What may stand behind the thing that is counted and belongs to it: "pm" of "7 o'clock pm". */
  readonly tails?: string;
  /** What makes an ordinal of digits: "st nd rd th". */
  readonly ordinalEnds?: string;
  /** Numbers in words, but for those that are articles too. */
  readonly numerals?: string;
};

export type WordList = {
  has(word: string): boolean;
  /** A word that begins so may be one of the list. */
  mayBecome(part: string): boolean;
};

export type CountWords = Readonly<Record<keyof GivenCountWords, WordList>> & {
  /** The same for a script without spaces between words, as patterns of the text around a place. */
  readonly unspaced: UnspacedCounts | undefined;
};

export type UnspacedCounts = {
  readonly endsInNumber: RegExp;
  readonly endsInLabel: RegExp;
  readonly labels: readonly string[];
  /** A number and up to eight letters of what it counts: "5月", "三点". */
  readonly endsInCounted: RegExp;
  readonly beginsNumber: RegExp;
  readonly beginsTail: RegExp;
};

const wordsOf = (list: string): string[] => list.split(/\s+/).filter((word) => word !== '');

/** Turkish has a capital I with a dot, whose small letter keeps it as a mark of its own. */
const small = (text: string): string => text.toLowerCase().replaceAll('i\u0307', 'i');

/** A hyphen before a word stands for any beginning ("-seite"), one behind it for any ending ("страниц-"). */
export function wordList(list = ''): WordList {
  const words = new Set<string>();
  const ends: string[] = [];
  const beginnings: string[] = [];
  for (const word of wordsOf(small(list))) {
    if (word.startsWith('-')) ends.push(word.slice(1));
    else if (word.endsWith('-')) beginnings.push(word.slice(0, -1));
    else words.add(word);
  }
  return {
    has(word) {
      const low = small(word);
      return (
        words.has(low) ||
        ends.some((end) => low.endsWith(end)) ||
        beginnings.some((beginning) => low.startsWith(beginning))
      );
    },
    mayBecome(part) {
      const low = small(part);
      if (ends.length > 0 || beginnings.some((one) => one.startsWith(low) || low.startsWith(one)))
        return true;
      for (const word of words) if (word.startsWith(low)) return true;
      return false;
    },
  };
}

const anyOf = (list: readonly string[]): string =>
  list.length === 0 ? '(?!)' : list.toSorted((a, b) => b.length - a.length).join('|');

function unspacedCounts({ numerals = '', labels = '', tails = '' }: GivenCountWords): UnspacedCounts {
  const bare = (list: string) => wordsOf(list).map((word) => word.replaceAll('-', ''));
  const number = `(?:\\p{Nd}|${anyOf(bare(numerals))})`;
  // A tail may not be there as a whole when the place before it is judged: its first letter counts.
  const heads = bare(tails).map((tail) => tail.slice(0, 1));
  return {
    endsInNumber: new RegExp(`${number}\\s?$`, 'u'),
    endsInLabel: new RegExp(`(?:${anyOf(bare(labels))})\\s?$`, 'u'),
    labels: bare(labels),
    endsInCounted: new RegExp(`${number}\\s?[\\p{L}\\p{M}]{1,8}\\s?$`, 'u'),
    beginsNumber: new RegExp(`^${number}`, 'u'),
    beginsTail: new RegExp(`^(?:${anyOf(heads)})`, 'u'),
  };
}

export const countWords = (given: GivenCountWords, script: 'spaced' | 'unspaced'): CountWords => ({
  labels: wordList(given.labels),
  months: wordList(given.months),
  links: wordList(given.links),
  tails: wordList(given.tails),
  ordinalEnds: wordList(given.ordinalEnds),
  numerals: wordList(given.numerals),
  unspaced: script === 'unspaced' ? unspacedCounts(given) : undefined,
});
