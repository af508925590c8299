// How sure the time of a word is, and what follows from it: when the word is to be told at the latest so that no caption comes
// late, and when it has surely begun so that nothing counts as heard that was not.

import type { WordEstimate } from './word-estimate.ts';

/** What is known of words; all times are ms of the turn. */
export type KnownWords = {
  /** The request that holds word `w`. */
  readonly requestOf: (w: number) => {
    readonly firstWord: number;
    readonly estimate: WordEstimate | undefined;
    /** Where its sound begins, as far as it is known to have begun. */
    readonly soundMs?: number | undefined;
  };
  readonly startMsOf: (w: number) => number;
  readonly endMsOf: (w: number) => number;
  /** When the next one begins; its own end where a rest behind it is in the text. */
  readonly goneMsOf: (w: number) => number;
  /** How long it lasts by its letters, ms. */
  readonly usualMsOf: (w: number) => number;
};

export type WordDoubt = {
  /** The start is within so much of the true one, as a rule (19 of 20); undefined while nothing but weights tells it. */
  readonly withinOf: (w: number) => number | undefined;
  /** A word has not surely begun before so much more than its start. */
  readonly doubtOf: (w: number) => number;
  /** When word `w` may begin at the earliest, if it is thought to begin at `startMs`. */
  readonly mayBeginMs: (w: number, startMs: number) => number;
  /** Where it is told to begin when it may begin at `mayMs`: what is only foretold is where the search has come to. */
  readonly tellMs: (w: number, startMs: number, mayMs: number) => number;
};

/** A word that was heard is given out so much before it is thought to begin, if its time is no surer than that. */
const MOST_EARLY_MS = 60;
/** The start of a word that was only foretold is no surer than this. */
const FORETOLD_WITHIN_MS = 250;
/**
 * And has surely begun so much later, in parts of the time that it has: not before the first, for where the search is wrong it
 * mostly has a rest on the wrong side of a short word, and not after the second, for then the next one begins as well. Better
 * a word too few in what was heard than one that was not heard, and one too few is no harm.
 */
const DOUBT = { least: 0.4, most: 0.5 } as const;
/** A surer word is that doubtful only up to so many times its bound. */
const MOST_TIMES_WITHIN = 2;
/**
 * A word that lasts longer than so many times what its letters take, or what the reference takes for it, may hold the beginning
 * of the next one. The reference is quick, but knows a weak word from a strong one, which letters do not.
 */
const MOST_TIMES_USUAL = { letters: 2, reference: 1.75 } as const;
/** So many words in a row may be on the wrong side of a rest, or run into one. */
const MOST_WRONG_WORDS = 2;

export function createWordDoubt({
  requestOf,
  startMsOf,
  endMsOf,
  goneMsOf,
  usualMsOf,
}: KnownWords): WordDoubt {
  /** What is known of a word: nothing but its weight, where it should come, or where it was heard. */
  const standing = (w: number): 'weighed' | 'foretold' | 'heard' => {
    const { estimate, firstWord } = requestOf(w);
    if (estimate === undefined) return 'weighed';
    return w < firstWord + estimate.reached ? 'heard' : 'foretold';
  };
  const withinOf = (w: number): number | undefined => {
    const withinMs = requestOf(w).estimate?.withinMs;
    return withinMs === undefined || standing(w) === 'heard'
      ? withinMs
      : Math.max(withinMs, FORETOLD_WITHIN_MS);
  };
  /** A word that was only foretold may as well be later: it waits for its time, in which it may be heard. */
  const earlyOf = (w: number): number =>
    standing(w) === 'heard' ? Math.min(withinOf(w)!, MOST_EARLY_MS) : 0;
  /** And it has not begun before it must have. */
  const doubtOf = (w: number): number => {
    const withinMs = withinOf(w) ?? 0;
    if (standing(w) !== 'heard') return withinMs;
    const spanMs = Math.max(0, goneMsOf(w) - startMsOf(w));
    const doubtMs = Math.max(DOUBT.least * spanMs, Math.min(withinMs, DOUBT.most * spanMs));
    return Math.min(doubtMs, MOST_TIMES_WITHIN * withinMs);
  };
  /** The longest that a word is likely to last, wherever it was heard. */
  const mostMsOf = (w: number): number => {
    const { estimate, firstWord } = requestOf(w);
    const lettersMs = MOST_TIMES_USUAL.letters * usualMsOf(w);
    const referenceMs = MOST_TIMES_USUAL.reference * (estimate?.usualMs?.[w - firstWord] ?? 0);
    return referenceMs > 0 ? Math.min(lettersMs, referenceMs) : lettersMs;
  };
  /**
   * The soonest that a word may have begun. What seems to be a rest before it may be speech that the reference lacks, as where
   * a voice spells what another one reads; what is before the first word and not silent may be that word, which the search has
   * passed for a rest. Never, as long as nothing of it may have been heard.
   */
  const soonestMs = (w: number): number => {
    const { firstWord, soundMs = Number.POSITIVE_INFINITY } = requestOf(w);
    if (standing(w) !== 'heard') return w === firstWord ? soundMs : Number.POSITIVE_INFINITY;
    return Math.min(startMsOf(w), w === firstWord ? soundMs : endMsOf(w - 1));
  };
  /** And a word begins, wherever it was found, when those in front of it have lasted for as long as they are likely to. */
  const mayBeginMs = (w: number, startMs: number): number => {
    const { firstWord } = requestOf(w);
    const usuallyMs = startMs - earlyOf(w);
    if (w === firstWord) return Math.min(usuallyMs, soonestMs(w));
    const front = w - 1;
    const foundMs = standing(w) === 'heard' ? endMsOf(front) - startMsOf(front) : Number.POSITIVE_INFINITY;
    let mayMs = usuallyMs;
    let lastingMs = Math.min(foundMs, mostMsOf(front));
    for (let from = front; from >= firstWord && from > front - MOST_WRONG_WORDS; from -= 1) {
      if (from < front) lastingMs += mostMsOf(from);
      mayMs = Math.min(mayMs, soonestMs(from) + lastingMs);
    }
    return mayMs;
  };
  const tellMs = (w: number, startMs: number, mayMs: number): number =>
    standing(w) === 'foretold' ? Math.min(startMs, mayMs) : startMs;

  return { withinOf, doubtOf, mayBeginMs, tellMs };
}
