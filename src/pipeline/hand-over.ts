// Where a speech that has broken off is given to another service: which of its audio in hand is still heard, and with which
// word the other one goes on. Pure. No word is lost; where it is not sure that the last one is whole, it is said again.

import type { TimedWord } from '../captions/word-timeline.ts';

/** Times are ms of the request's own audio. */
export type InHand = {
  /** Before this, audio is on its way to the listener and stays. */
  readonly sentMs: number;
  /** Where the audio that has come ends. */
  readonly knownMs: number;
  /** The first of it that is still to be heard, and how much of it is needed until the other service speaks. */
  readonly heardMs: number;
  readonly neededMs: number;
};

export type HandOver = {
  /** Index of the first word of the rest; as many as there are words: all were said. */
  readonly word: number;
  /** Where the audio in hand is cut: in the pause before that word, or at its beginning. */
  readonly keptMs: number;
  /** Behind the end of a sentence or clause, between two words, or in a word that is begun again. */
  readonly at: 'clause' | 'word' | 'inside';
};

/** What the time of a word may be wrong by where nothing but its weight tells it. */
const GUESSED_WITHIN_MS = 150;
/** A voice rests for longer only at a mark; before the next word no more than this is kept of it. */
const KEPT_PAUSE_MS = 120;

const isSure = (word: TimedWord | undefined, untilMs: number): boolean =>
  word === undefined || word.endMs + (word.withinMs ?? GUESSED_WITHIN_MS) <= untilMs;

/** `words`: all of the request, in order, where they are known best to be. */
export function planHandOver(words: readonly TimedWord[], inHand: InHand): HandOver {
  const { sentMs, knownMs, heardMs, neededMs } = inHand;
  /** Where the speech is cut that goes on with word `w`. */
  const cutMs = (w: number): number => {
    const end = words[w - 1]?.endMs ?? 0;
    const next = words[w]?.startMs ?? knownMs;
    return Math.min(knownMs, Math.max(end, Math.min(next, end + KEPT_PAUSE_MS)));
  };
  let last = 0;
  while (last < words.length && isSure(words[last], knownMs)) last += 1;
  // The last word has no other behind it; the audio may end with its end.
  if (last === words.length - 1 && words[last]!.endMs <= knownMs) last = words.length;
  for (let w = last; w > 0; w -= 1) {
    const ms = cutMs(w);
    if (ms < sentMs || ms - heardMs < neededMs) break;
    if (words[w - 1]!.pause > 0) return { word: w, keptMs: ms, at: 'clause' };
  }
  const ms = cutMs(last);
  if (ms >= sentMs) return { word: last, keptMs: ms, at: 'word' };
  // It has begun to be heard, and its end has not come: it is begun again behind what was sent of it.
  return { word: last, keptMs: Math.min(knownMs, sentMs), at: 'inside' };
}
