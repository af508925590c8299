// How sure the time of a word is, and what follows from it: when the word is to be told at the latest so that no caption comes
// late, and when it has surely begun so that nothing counts as heard that was not.

import type { WordEstimate } from './word-estimate.ts';

/** What is known of words; all times are ms of the turn. */
export type KnownWords = {
  /** The request that holds word `w`. */
  requestOf(w: number): {
    readonly firstWord: number;
    readonly estimate: WordEstimate | undefined;
  };
  startMsOf(w: number): number;
  endMsOf(w: number): number;
  /** When the next one begins; its own end where a rest behind it is in the text. */
  goneMsOf(w: number): number;
  /** How long it lasts by its letters, ms. */
  usualMsOf(w: number): number;
};

export type WordDoubt = {
  /** The start is within so much of the true one, as a rule (19 of 20); undefined while nothing but weights tells it. */
  withinOf(w: number): number | undefined;
  /** A word has not surely begun before so much more than its start. */
  doubtOf(w: number): number;
  /** When word `w` may begin at the earliest, if it is thought to begin at `startMs`. */
  mayBeginMs(w: number, startMs: number): number;
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
/** A word that lasts longer than so many times what is usual may hold the beginning of the next one. */
const MOST_TIMES_USUAL = 2;

/** A class, and not a function full of closures: one for each turn. */
class DoubtOfWords implements WordDoubt {
  private readonly known: KnownWords;

  constructor(known: KnownWords) {
    this.known = known;
  }

  withinOf(w: number): number | undefined {
    const withinMs = this.known.requestOf(w).estimate?.withinMs;
    return withinMs === undefined || this.standing(w) === 'heard'
      ? withinMs
      : Math.max(withinMs, FORETOLD_WITHIN_MS);
  }
  /** And it has not begun before it must have. */
  doubtOf(w: number): number {
    const withinMs = this.withinOf(w) ?? 0;
    if (this.standing(w) !== 'heard') return withinMs;
    const spanMs = Math.max(0, this.known.goneMsOf(w) - this.known.startMsOf(w));
    const doubtMs = Math.max(DOUBT.least * spanMs, Math.min(withinMs, DOUBT.most * spanMs));
    return Math.min(doubtMs, MOST_TIMES_WITHIN * withinMs);
  }
  /**
   * What seems to be a rest before a word that was heard, or before the word in front of it, or seems to drawl that one, may be
   * speech that the reference lacks, as where a voice spells what another one reads.
   */
  mayBeginMs(w: number, startMs: number): number {
    const { known } = this;
    const usuallyMs = startMs - this.earlyOf(w);
    const { firstWord } = known.requestOf(w);
    if (w === firstWord || this.standing(w) !== 'heard') return usuallyMs;
    const front = w - 1;
    const frontMs =
      front === firstWord
        ? known.startMsOf(front)
        : Math.min(known.startMsOf(front), known.endMsOf(front - 1));
    return Math.min(usuallyMs, frontMs + this.likelyMsOf(front));
  }

  /** What is known of a word: nothing but its weight, where it should come, or where it was heard. */
  private standing(w: number): 'weighed' | 'foretold' | 'heard' {
    const { estimate, firstWord } = this.known.requestOf(w);
    if (estimate === undefined) return 'weighed';
    return w < firstWord + estimate.reached ? 'heard' : 'foretold';
  }
  /** A word that was only foretold may as well be later: it waits for its time, in which it may be heard. */
  private earlyOf(w: number): number {
    return this.standing(w) === 'heard' ? Math.min(this.withinOf(w)!, MOST_EARLY_MS) : 0;
  }
  private likelyMsOf(w: number): number {
    const { known } = this;
    return Math.min(known.endMsOf(w) - known.startMsOf(w), MOST_TIMES_USUAL * known.usualMsOf(w));
  }
}

export const createWordDoubt = (known: KnownWords): WordDoubt => new DoubtOfWords(known);
