// What ends a sentence, per language, as data: its shape, and how a word is looked up in it. The rules of each
// language stand in the files by family; the segmenter itself holds no language's words. What holds for every
// script (Unicode Sentence_Terminal, initials, numbers, addresses) is not data but the judgement itself.

import { type CountWords, countWords, type GivenCountWords } from './count-words.ts';

/** How an abbreviation stands to the end of a sentence; see `GivenRules` for each. */
export type AbbreviationKind = 'never' | 'sometimes' | 'usually' | 'before-number' | 'after-number';

export type SentenceRules = {
  /** Written without the last dot and without spaces: "z. B." is "z.B". */
  readonly abbreviations: ReadonlyMap<string, AbbreviationKind>;
  /** What the abbreviations of several parts begin with: "z" of "z.B". */
  readonly abbreviationParts: ReadonlySet<string>;
  /** Capitalised words that seldom follow an abbreviation within a sentence. Empty: the script has no capitals. */
  readonly starters: ReadonlySet<string>;
  /** Terminals beyond Sentence_Terminal (UAX #29) and the ellipsis. They need white space after them. */
  readonly moreTerminals: string;
  /** Sets words apart like a space; two of them end a sentence (Ethiopic). */
  readonly wordMark: string;
  /**
   * `dotted`: a number with a dot is an ordinal before a small letter, a digit or one of `ordinalHeads`, a Roman one
   * before a name too. `dotted-years`: years as well. `dotted-nouns`: nouns are capitalised, so only a starter tells
   * that a sentence begins ("3. Mai").
   */
  readonly ordinals: 'plain' | 'dotted' | 'dotted-years' | 'dotted-nouns';
  /** Capitalised words that are counted ("2. Dünya Savaşı"). */
  readonly ordinalHeads: ReadonlySet<string>;
  /** `clause`: the language sets spaces between phrases, not words (Thai). */
  readonly spaces: 'word' | 'clause';
  /** Where spaces part phrases: words that end a sentence before a space. */
  readonly finals: readonly string[];
  /** Closing quotation marks that a space may part from the terminal (French). */
  readonly spacedClosers: string;
  /** Beginnings that continue a sentence after a terminal and a closing quote (Japanese particles). */
  readonly afterQuote: readonly string[];
  /** What continues a sentence right after an exclamation or question mark that ends something quoted. */
  readonly afterOutcry: readonly string[];
  /** What no segment of a script without spaces begins with, although a word may begin there. */
  readonly neverFirst: RegExp | undefined;
  /** What a number belongs to. */
  readonly counts: CountWords;
};

/** Lists are words parted by white space. Lower case stands for both cases of the first letter. */
export type GivenRules = Partial<
  Omit<
    SentenceRules,
    | 'abbreviations'
    | 'abbreviationParts'
    | 'starters'
    | 'ordinalHeads'
    | 'finals'
    | 'afterQuote'
    | 'afterOutcry'
    | 'counts'
  >
> & {
  /** Never the last word of a sentence: a title, "e.g". */
  readonly never?: string;
  /**
   * Ends a sentence only before a word of `starters`: a name or a number often follows it. In a script without
   * capitals: unless it stands in a chain of abbreviations ("जी. डी.").
   */
  readonly sometimes?: string;
  /** Ends a sentence whenever the next word may begin one: "etc". */
  readonly usually?: string;
  /** An abbreviation before a number, and an ordinary word before anything else: "no". */
  readonly beforeNumber?: string;
  /** A unit or era: as `usually` after a number, as `never` elsewhere ("1990 г.", "г. Москва"). */
  readonly afterNumber?: string;
  readonly starters?: string;
  readonly ordinalHeads?: string;
  readonly finals?: string;
  /** `_` stands for a space. */
  readonly afterQuote?: string;
  readonly afterOutcry?: string;
  readonly counts?: GivenCountWords;
};

/** Ends of longer words are listed behind a hyphen ("-str"), at most this long. */
const MAX_SUFFIX = 6;

const words = (list = ''): string[] => list.split(/\s+/).filter((word) => word !== '');

/** "S" and "S.p" of "S.p.A". */
const beginnings = (word: string): string[] =>
  [...word.matchAll(/\./g)].map((dot) => word.slice(0, dot.index));

export function sentenceRules(given: GivenRules): SentenceRules {
  const { never, sometimes, usually, beforeNumber, afterNumber, ...others } = given;
  const { starters, ordinalHeads, finals, afterQuote, afterOutcry, counts = {}, ...rest } = others;
  const isUnspaced = rest.neverFirst !== undefined;
  const lists: [string | undefined, AbbreviationKind][] = [
    [sometimes, 'sometimes'],
    [usually, 'usually'],
    [afterNumber, 'after-number'],
    [beforeNumber, 'before-number'],
    [never, 'never'],
  ];
  const abbreviations = lists.flatMap(([list, kind]) => words(list).map((word) => [word, kind] as const));
  return {
    moreTerminals: '',
    wordMark: '',
    ordinals: 'plain',
    spaces: 'word',
    spacedClosers: '',
    neverFirst: undefined,
    ...rest,
    abbreviations: new Map(abbreviations),
    abbreviationParts: new Set(abbreviations.flatMap(([word]) => beginnings(word))),
    starters: new Set(words(starters)),
    ordinalHeads: new Set(words(ordinalHeads)),
    finals: words(finals),
    afterQuote: words(afterQuote).map((beginning) => beginning.replaceAll('_', ' ')),
    afterOutcry: words(afterOutcry),
    counts: countWords(counts, isUnspaced ? 'unspaced' : 'spaced'),
  };
}

/** What `word`, written without its last dot, is listed as: itself, a capitalised entry, or the end of a compound. */
export function abbreviationKind(rules: SentenceRules, word: string): AbbreviationKind | undefined {
  const { abbreviations } = rules;
  const kind = abbreviations.get(word) ?? abbreviations.get(word.slice(0, 1).toLowerCase() + word.slice(1));
  if (kind !== undefined) return kind;
  for (let length = Math.min(MAX_SUFFIX, word.length); length > 0; length -= 1) {
    const suffix = abbreviations.get(`-${word.slice(-length)}`);
    if (suffix !== undefined) return suffix;
  }
  return undefined;
}
