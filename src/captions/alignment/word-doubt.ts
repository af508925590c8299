// How sure the time of a word is, and what follows from it: when the word is to be told at the latest so that no caption comes
// late, and when it has surely begun so that nothing counts as heard that was not.

import type { WordEstimate } from './word-estimate.ts';

/** What is known of words; all times are ms of the turn. */
export type KnownWords = {
  /** The request that holds word `w`. */
  requestOf(w: number): {
    readonly firstWord: number;
    readonly estimate: WordEstimate | undefined;
    /** Where its sound begins, as far as it is known to have begun. */
    readonly soundMs?: number | undefined;
  };
  startMsOf(w: number): number;
  endMsOf(w: number): number;
  /** When the next one begins; its own end where a rest behind it is in the text, or between requests. */
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
  /** Where it is told to begin when it may begin at `mayMs`: what is only foretold is where the search has come to. */
  tellMs(w: number, startMs: number, mayMs: number): number;
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
/** A surer word is that doubtful only up to so many times its bound; and one that lasts too long, up to so many, and so many ms. */
const MOST_TIMES_WITHIN = { usual: 2, lasting: 6 } as const;
const MOST_LASTING_MS = 400;
/**
 * A word that lasts too long, as one that the search has put in front of a rest that was before it, has surely begun when only
 * so many times what its letters or the reference take are left until the next one, or the bound of that one.
 */
const LEFT_TIMES_USUAL = { letters: 1.1, reference: 1.1 } as const;
/**
 * A word that lasts longer than so many times what its letters take, or what the reference takes for it, may hold the beginning
 * of the next one. The reference is quick, but knows a weak word from a strong one, which letters do not.
 */
const MOST_TIMES_USUAL = { letters: 2, reference: 1.75 } as const;
/** So many words in a row may be on the wrong side of a rest, or run into one. */
const MOST_WRONG_WORDS = 2;

/** One for each turn. */
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
    return Math.max(
      Math.min(doubtMs, MOST_TIMES_WITHIN.usual * withinMs),
      this.lastingDoubtOf(w, spanMs, withinMs),
    );
  }
  /** And a word begins, wherever it was found, when those in front of it have lasted for as long as they are likely to. */
  mayBeginMs(w: number, startMs: number): number {
    const { known } = this;
    const { firstWord } = known.requestOf(w);
    const usuallyMs = startMs - this.earlyOf(w);
    if (w === firstWord) return Math.min(usuallyMs, this.soonestMs(w));
    const front = w - 1;
    const isHeard = this.standing(w) === 'heard';
    const foundMs = isHeard ? known.endMsOf(front) - known.startMsOf(front) : Number.POSITIVE_INFINITY;
    let mayMs = usuallyMs;
    let lastingMs = Math.min(foundMs, this.mostMsOf(front));
    for (let from = front; from >= firstWord && from > front - MOST_WRONG_WORDS; from -= 1) {
      if (from < front) lastingMs += this.mostMsOf(from);
      mayMs = Math.min(mayMs, this.soonestMs(from) + lastingMs);
    }
    return mayMs;
  }
  tellMs(w: number, startMs: number, mayMs: number): number {
    return this.standing(w) === 'foretold' ? Math.min(startMs, mayMs) : startMs;
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
  /** Of a word that is followed after `spanMs`; 0 unless that is too long, and the next one was heard, too. */
  private lastingDoubtOf(w: number, spanMs: number, withinMs: number): number {
    const { estimate, firstWord } = this.known.requestOf(w);
    const isFollowed = w + 1 < firstWord + (estimate?.reached ?? 0);
    if (!isFollowed || spanMs <= this.mostMsOf(w)) return 0;
    const leftMs = Math.max(this.lastsMs(w, LEFT_TIMES_USUAL), withinMs);
    return Math.min(spanMs - leftMs, MOST_TIMES_WITHIN.lasting * withinMs, MOST_LASTING_MS);
  }
  /** The longest that a word is likely to last, wherever it was heard. */
  private mostMsOf(w: number): number {
    return this.lastsMs(w, MOST_TIMES_USUAL);
  }
  /** The shorter of so many times what its letters take and what the reference takes for it. */
  private lastsMs(w: number, times: { readonly letters: number; readonly reference: number }): number {
    const { estimate, firstWord } = this.known.requestOf(w);
    const lettersMs = times.letters * this.known.usualMsOf(w);
    const referenceMs = times.reference * (estimate?.usualMs?.[w - firstWord] ?? 0);
    return referenceMs > 0 ? Math.min(lettersMs, referenceMs) : lettersMs;
  }
  /**
   * The soonest that a word may have begun. What seems to be a rest before it may be speech that the reference lacks, as where
   * a voice spells what another one reads; what is before the first word and not silent may be that word, which the search has
   * passed for a rest. Never, as long as nothing of it may have been heard.
   */
  private soonestMs(w: number): number {
    const { firstWord, soundMs = Number.POSITIVE_INFINITY } = this.known.requestOf(w);
    if (this.standing(w) !== 'heard') return w === firstWord ? soundMs : Number.POSITIVE_INFINITY;
    return Math.min(this.known.startMsOf(w), w === firstWord ? soundMs : this.known.endMsOf(w - 1));
  }
}

export const createWordDoubt = (known: KnownWords): WordDoubt => new DoubtOfWords(known);
