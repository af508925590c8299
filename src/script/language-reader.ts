// The cue words of a language, ready to be looked for. A language without a table has none: nothing is recognised, nothing
// is dropped, and the order of the source and the ranks decide alone.

import { cuePattern, listed } from './plans/cue-pattern.ts';
import type { Cues } from './script-language.ts';

export type LanguageReader = {
  readonly connective: RegExp;
  readonly leaning: RegExp;
  readonly leaningWithin: RegExp;
  readonly leaningEarly: RegExp;
  readonly leaningUnnamed: RegExp;
  readonly articles: RegExp;
  readonly aboutItself: RegExp;
  readonly definite: RegExp;
  /** The definite articles, without a preposition, wherever they stand. */
  readonly article: RegExp;
  readonly complements: RegExp;
  readonly adjectives: RegExp;
  readonly adjectivesBehind: RegExp;
  /** Undefined: the language has no list of them. */
  readonly verbs: RegExp | undefined;
  readonly leaningAtEnd: RegExp;
  readonly benefit: RegExp;
  readonly concern: RegExp;
  readonly inFavour: RegExp;
  readonly against: RegExp;
  readonly contrast: RegExp;
  readonly reason: RegExp;
  readonly example: RegExp;
  /** At the beginning of a sentence that takes back the one before. */
  readonly turns: RegExp;
  /** "Three kinds", "several reasons". */
  readonly announcing: RegExp;
  /** Numbers from two on, in order. */
  readonly counts: readonly string[];
  readonly opensList: RegExp;
  readonly comparing: RegExp;
  readonly compared: RegExp;
  readonly firstPerson: RegExp;
  readonly seen: RegExp;
  readonly seenNumbered: RegExp;
  readonly binding: RegExp;
  readonly commands: RegExp;
  readonly subjectless: RegExp;
  readonly narrating: RegExp;
  readonly technical: RegExp;
  readonly lineOpenings: ReadonlySet<string>;
  readonly common: ReadonlySet<string>;
};

/** A number, at most two other words, and a noun of the language's list. */
function announcingPattern(cues: Cues | undefined): RegExp {
  const numbers = cuePattern([cues?.counts ?? '', cues?.amounts ?? ''].join(', ')).source;
  const nouns = cuePattern(cues?.kinds ?? '').source;
  return new RegExp(`${numbers}(?:\\s+[\\p{L}-]+){0,2}?\\s*${nouns}`, 'iu');
}

const patternsOf = (cues: Cues | undefined): LanguageReader => ({
  connective: cuePattern(cues?.connectives ?? '', 'start'),
  leaning: cuePattern(cues === undefined ? '' : `${cues.leaning}, ${cues.connectives}`, 'start'),
  leaningWithin: cuePattern(cues?.leaningWithin ?? ''),
  leaningEarly: cuePattern(cues?.leaningEarly ?? ''),
  leaningUnnamed: cuePattern(cues?.leaningUnnamed ?? ''),
  articles: cuePattern(cues?.articles ?? ''),
  aboutItself: cuePattern(cues?.aboutItself ?? '', 'start'),
  definite: cuePattern(cues?.definite ?? '', 'start'),
  article: new RegExp(
    cuePattern(
      listed(cues?.definite ?? '')
        .filter((word) => !word.includes(' '))
        .join(', '),
    ).source,
    'giu',
  ),
  complements: cuePattern(cues?.complements ?? '', 'start'),
  adjectives: cuePattern(cues?.adjectives ?? ''),
  adjectivesBehind: cuePattern(cues?.adjectivesBehind ?? ''),
  verbs: cues === undefined || cues.verbs === '' ? undefined : cuePattern(cues.verbs),
  leaningAtEnd: cuePattern(cues?.leaningAtEnd ?? '', 'end'),
  benefit: cuePattern(cues?.benefit ?? ''),
  concern: cuePattern(cues?.concern ?? ''),
  inFavour: cuePattern(cues?.inFavour ?? ''),
  against: cuePattern(cues?.against ?? ''),
  contrast: cuePattern(cues?.contrast ?? ''),
  reason: cuePattern(cues?.reason ?? ''),
  example: cuePattern(cues?.example ?? ''),
  turns: cuePattern(cues?.turns ?? '', 'start'),
  announcing: announcingPattern(cues),
  counts: listed(cues?.counts ?? ''),
  opensList: cuePattern(cues?.opensList ?? '', 'start'),
  comparing: cuePattern(cues?.comparing ?? ''),
  compared: cuePattern(cues?.compared ?? ''),
  firstPerson: cuePattern(cues?.firstPerson ?? ''),
  seen: cuePattern(cues?.seen ?? ''),
  seenNumbered: cuePattern(cues?.seenNumbered ?? '', 'before-number'),
  binding: cuePattern(cues?.binding ?? '', 'end'),
  commands: cuePattern(cues?.commands ?? '', 'start'),
  subjectless: cuePattern(cues?.subjectless ?? '', 'start'),
  narrating: cuePattern(cues?.narrating ?? ''),
  technical: cuePattern(cues?.technical ?? ''),
  lineOpenings: new Set(listed(cues?.lineOpenings ?? '')),
  common: new Set(listed(cues?.common ?? '')),
});

const NO_CUES = patternsOf(undefined);
/** Patterns of many words take some milliseconds to compile: once for each language that is asked for. */
const known = new WeakMap<Cues, LanguageReader>();

export function languageReaderOf(cues: Cues | undefined): LanguageReader {
  if (cues === undefined) return NO_CUES;
  const reader = known.get(cues) ?? patternsOf(cues);
  known.set(cues, reader);
  return reader;
}
