// The subjects for questions: terms that recur in the text, each asked about once in a script.

import type { SourceSentence } from './source-sentence.ts';
import type { TermFinder } from './term-places.ts';
import { isUnspaced, wordsOf } from './words.ts';

export type KeyTerms = {
  /** The best term of these sentences that was not yet asked for and that `suits`; undefined when there is none. */
  take(numbers: readonly number[], suits?: (term: string) => boolean): string | undefined;
  /** As `take`, but the term may have been asked for. */
  peek(numbers: readonly number[]): string | undefined;
};

/** Enough text to see what comes back. */
const MAX_SENTENCES = 3000;
const MIN_TIMES = 2;
/** A single word in lower case is a subject when it comes back more often. */
const MIN_TIMES_OF_WORD = 4;
/** What stands in more of the sentences is the subject of the whole text: asking for it asks for nothing. */
const MAX_SHARE = 0.3;

/** Forms of one word, as far as their beginnings tell. */
const isSameWord = (a: string, b: string): boolean =>
  Math.abs(a.length - b.length) <= 2 && (a.startsWith(b) || b.startsWith(a));

type Term = { times: number; readonly forms: Map<string, number> };

/** `taken`: the title and the headings that are spoken anyway. */
export function createKeyTerms(
  sentences: readonly SourceSentence[],
  find: TermFinder,
  taken: readonly string[],
): KeyTerms {
  const terms = new Map<string, Term>();
  const within = new Map<number, readonly string[]>();
  // The names of a table's columns come back in every line of it, and are nothing to ask for.
  const fit = sentences
    .filter(({ unfit, kind }) => unfit === undefined && kind !== 'row')
    .slice(0, MAX_SENTENCES);
  for (const { number, spoken } of fit) {
    const found = find(spoken);
    within.set(number, [...new Set(found.map((form) => form.toLowerCase()))]);
    for (const form of found) {
      const key = form.toLowerCase();
      const term = terms.get(key) ?? { times: 0, forms: new Map() };
      term.times += 1;
      term.forms.set(form, (term.forms.get(form) ?? 0) + 1);
      terms.set(key, term);
    }
  }
  const used = new Set<string>();
  const takenWords = taken.flatMap(wordsOf);
  const most = Math.max(4, fit.length * MAX_SHARE);

  /** What the title or a heading says already is no news to ask for. */
  const isTaken = (key: string): boolean =>
    isUnspaced(key)
      ? taken.some((name) => name.includes(key))
      : wordsOf(key).every((word) => takenWords.some((other) => isSameWord(word, other)));

  const best = (numbers: readonly number[], isFree: (key: string) => boolean): string | undefined => {
    let winner: { key: string; score: number } | undefined;
    for (const number of numbers)
      for (const key of within.get(number) ?? []) {
        const { times, forms } = terms.get(key)!;
        const isName =
          key.includes(' ') || [...forms.keys()].every((form) => form !== key) || isUnspaced(key);
        if (times < (isName ? MIN_TIMES : MIN_TIMES_OF_WORD) || times > most || isTaken(key) || !isFree(key))
          continue;
        const score = Math.min(times, 6) + (key.includes(' ') ? 2 : 0) + Math.min(key.length, 12) / 4;
        if (winner === undefined || score > winner.score) winner = { key, score };
      }
    return winner?.key;
  };
  const formOf = (key: string): string =>
    [...terms.get(key)!.forms].reduce((a, b) => (b[1] > a[1] ? b : a))[0];

  return {
    take(numbers, suits = () => true) {
      const key = best(numbers, (candidate) => !used.has(candidate) && suits(formOf(candidate)));
      if (key === undefined) return undefined;
      // "solar power" and "power" are one subject to a listener.
      used.add(key);
      for (const word of key.split(' ')) used.add(word);
      return formOf(key);
    },
    peek(numbers) {
      const key = best(numbers, () => true);
      return key === undefined ? undefined : formOf(key);
    },
  };
}
