// What an aligner knows of the words of one request at some moment of its audio.

export type WordEstimate = {
  /** Milliseconds of the request's own audio, one for each word, none before that of the word in front. */
  readonly startsMs: ArrayLike<number>;
  /** Where each word ends: where the next one begins, or earlier when there is a pause between them. */
  readonly endsMs: ArrayLike<number>;
  /** Words that have begun in what was heard; the times of the others are predicted. */
  readonly reached: number;
  /** Of 20 starts that were heard, about 19 are off by no more than this. */
  readonly withinMs: number;
  /** From this word on it is so much, also where they have begun. */
  readonly unsure?: { readonly from: number; readonly withinMs: number } | undefined;
  /** Where something other than silence was first heard; undefined: nothing yet, or it is not known. */
  readonly soundMs?: number | undefined;
  /** How long each of the first words takes where the reference says it, until the next one begins. */
  readonly usualMs?: ArrayLike<number> | undefined;
};

/** All of its times later by so many ms. */
export const shifted = (estimate: WordEstimate, byMs: number): WordEstimate =>
  byMs === 0
    ? estimate
    : {
        ...estimate,
        startsMs: Float64Array.from(estimate.startsMs, (ms) => ms + byMs),
        endsMs: Float64Array.from(estimate.endsMs, (ms) => ms + byMs),
        soundMs: estimate.soundMs === undefined ? undefined : estimate.soundMs + byMs,
      };
