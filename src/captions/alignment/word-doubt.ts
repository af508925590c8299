// How sure the time of a word is, and what follows from it: the latest moment to give the word out so that no caption comes
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
  /** When the next one begins; its own end where the text has a pause after it, or between requests. */
  goneMsOf(w: number): number;
  /** How long it lasts by its letters, ms. */
  usualMsOf(w: number): number;
};

/** A word that was heard is given out this much before its estimated start, if its time is no more certain than that. */
const MAX_EARLY_MS = 60;
/** The start of a word that was only predicted is no more certain than this. */
const PREDICTED_WITHIN_MS = 250;
/**
 * When it has surely begun after its start, as a share of its own time: not before the first share, because a wrong search
 * mostly has a pause on the wrong side of a short word; not after the second, because then the next word begins as well. A word
 * too few in the heard text does no harm; a word that was not heard does.
 */
const DOUBT = { least: 0.4, most: 0.5 } as const;
/**
 * For a certain word that doubt is at most this multiple of its bound; for one that lasts too long, this multiple and this many
 * ms.
 */
const MAX_TIMES_WITHIN = { usual: 2, lasting: 6 } as const;
const MAX_LASTING_MS = 400;
/**
 * A word that lasts too long (the search may have put it before a pause that really came first) has surely begun when the time
 * left until the next word is only this multiple of what its letters or the reference take, or the bound of the next word.
 */
const LEFT_TIMES_USUAL = { letters: 1.1, reference: 1.1 } as const;
/**
 * A word that lasts longer than this multiple of what its letters take, or of what the reference takes for it, may contain the
 * beginning of the next one. The reference speaks fast, but distinguishes weak words from strong ones, which letters do not.
 */
const MAX_TIMES_USUAL = { letters: 2, reference: 1.75 } as const;
/** This many words in a row may be on the wrong side of a pause, or run into one. */
const MAX_WRONG_WORDS = 2;

/** One for each turn. */
export class WordDoubt {
  private readonly known: KnownWords;

  constructor(known: KnownWords) {
    this.known = known;
  }

  /** The start is within so much of the true one, as a rule (19 of 20); undefined while nothing but weights tells it. */
  withinOf(w: number): number | undefined {
    const { estimate, firstWord } = this.known.requestOf(w);
    if (estimate === undefined) return undefined;
    const { unsure, withinMs: sureMs } = estimate;
    const withinMs = unsure !== undefined && w >= firstWord + unsure.from ? unsure.withinMs : sureMs;
    return this.standing(w) === 'heard' ? withinMs : Math.max(withinMs, PREDICTED_WITHIN_MS);
  }
  /** A word has not surely begun until so much after its start. */
  doubtOf(w: number): number {
    const withinMs = this.withinOf(w) ?? 0;
    if (this.standing(w) !== 'heard') return withinMs;
    const spanMs = Math.max(0, this.known.goneMsOf(w) - this.known.startMsOf(w));
    const doubtMs = Math.max(DOUBT.least * spanMs, Math.min(withinMs, DOUBT.most * spanMs));
    return Math.max(
      Math.min(doubtMs, MAX_TIMES_WITHIN.usual * withinMs),
      this.lastingDoubtOf(w, spanMs, withinMs),
    );
  }
  /**
   * When word `w` may begin at the earliest, if it is thought to begin at `startMs`; at the latest when the words before it
   * have lasted for as long as they are likely to.
   */
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
    for (let from = front; from >= firstWord && from > front - MAX_WRONG_WORDS; from -= 1) {
      if (from < front) lastingMs += this.mostMsOf(from);
      mayMs = Math.min(mayMs, this.soonestMs(from) + lastingMs);
    }
    return mayMs;
  }
  /** The start that is given out when it may begin at `mayMs`: a word that is only predicted is where the search has got to. */
  tellMs(w: number, startMs: number, mayMs: number): number {
    return this.standing(w) === 'predicted' ? Math.min(startMs, mayMs) : startMs;
  }

  /** What is known of a word: nothing but its weight, where it should come, or where it was heard. */
  private standing(w: number): 'weighed' | 'predicted' | 'heard' {
    const { estimate, firstWord } = this.known.requestOf(w);
    if (estimate === undefined) return 'weighed';
    return w < firstWord + estimate.reached ? 'heard' : 'predicted';
  }
  /** A word that was only predicted may well be later: it is not given out early, because it may still be heard. */
  private earlyOf(w: number): number {
    return this.standing(w) === 'heard' ? Math.min(this.withinOf(w)!, MAX_EARLY_MS) : 0;
  }
  /** Of a word that is followed after `spanMs`; 0 unless that is too long, and the next one was heard, too. */
  private lastingDoubtOf(w: number, spanMs: number, withinMs: number): number {
    const { estimate, firstWord } = this.known.requestOf(w);
    const isFollowed = w + 1 < firstWord + (estimate?.reached ?? 0);
    if (!isFollowed || spanMs <= this.mostMsOf(w)) return 0;
    const leftMs = Math.max(this.lastsMs(w, LEFT_TIMES_USUAL), withinMs);
    return Math.min(spanMs - leftMs, MAX_TIMES_WITHIN.lasting * withinMs, MAX_LASTING_MS);
  }
  /** The longest that a word is likely to last, wherever it was heard. */
  private mostMsOf(w: number): number {
    return this.lastsMs(w, MAX_TIMES_USUAL);
  }
  /** The shorter of so many times what its letters take and what the reference takes for it. */
  private lastsMs(w: number, times: { readonly letters: number; readonly reference: number }): number {
    const { estimate, firstWord } = this.known.requestOf(w);
    const lettersMs = times.letters * this.known.usualMsOf(w);
    const referenceMs = times.reference * (estimate?.usualMs?.[w - firstWord] ?? 0);
    return referenceMs > 0 ? Math.min(lettersMs, referenceMs) : lettersMs;
  }
  /**
   * The earliest that a word may have begun. What looks like a pause before it may be speech that the reference lacks, for
   * example where one voice spells what another one reads; sound before the first word may be that word, which the search has
   * taken for a pause. Never, as long as nothing of it may have been heard.
   */
  private soonestMs(w: number): number {
    const { firstWord, soundMs = Number.POSITIVE_INFINITY } = this.known.requestOf(w);
    if (this.standing(w) !== 'heard') return w === firstWord ? soundMs : Number.POSITIVE_INFINITY;
    return Math.min(this.known.startMsOf(w), w === firstWord ? soundMs : this.known.endMsOf(w - 1));
  }
}
