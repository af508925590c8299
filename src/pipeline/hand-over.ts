// Where a speech that has broken off is given to another service: which of its audio in hand is still heard, and with which
// word the other one goes on. Pure. No word is lost; where it is not sure that the last one is whole, it is said again.

import type { TimedWord, WordTimeline } from '../captions/word-timeline.ts';
import { type RequestText, restOfRequest } from '../text/request-text.ts';
import { spokenWords } from '../text/spoken-words.ts';

/** Times are ms of the request's own audio. */
type InHand = {
  /** Before this, audio is on its way to the listener and stays. */
  readonly sentMs: number;
  /** Where the audio that has come ends; and the speech in it, where sound without speech follows. */
  readonly knownMs: number;
  readonly spokenMs?: number | undefined;
  /** The first of it that is still to be heard, and how much of it is needed until the other service speaks. */
  readonly heardMs: number;
  readonly neededMs: number;
};

export type HandOver = {
  /** Index of the first word of the rest; as many as there are words: all were said. */
  readonly word: number;
  /** Where the audio in hand is cut at the latest, and how much before it there may be a pause to cut in, ms. */
  readonly keptMs: number;
  readonly searchMs: number;
  /** Behind the end of a sentence or clause, between two words, or in a word that is begun again. */
  readonly at: 'clause' | 'word' | 'inside';
};

/** What the end of a word may be off by where nothing but the weights of the words tells it: 150 ms, or a fifth of its time. */
const GUESSED = { withinMs: 150, share: 0.2 } as const;
/** What the end of a word may be off by is so in 19 of 20: a word is believed to be whole after twice that. */
const SURELY = 2;
/** A voice rests for longer only at a mark; before the next word no more than this is kept of it. */
const KEPT_PAUSE_MS = 120;

/** Where the word is surely over. */
const overMs = (word: TimedWord): number =>
  word.endMs + (word.withinMs === undefined ? withinOf(word) : SURELY * word.withinMs);
const withinOf = (word: TimedWord | undefined): number =>
  word === undefined ? 0 : (word.withinMs ?? Math.max(GUESSED.withinMs, GUESSED.share * word.endMs));

/** `words`: all of the request, in order, where they are known best to be. */
export function planHandOver(words: readonly TimedWord[], inHand: InHand): HandOver {
  const { sentMs, heardMs, neededMs } = inHand;
  const knownMs = Math.min(inHand.knownMs, inHand.spokenMs ?? Number.POSITIVE_INFINITY);
  /** Where the speech is cut that goes on with word `w`: the word before it is whole by then. */
  const latestMs = (w: number): number => {
    const word = words[w - 1];
    if (word === undefined) return Math.min(sentMs, knownMs);
    const next = words[w]?.startMs ?? knownMs;
    return Math.min(
      knownMs,
      word.endMs + Math.max(withinOf(word), Math.min(next - word.endMs, KEPT_PAUSE_MS)),
    );
  };
  const plan = (word: number, at: HandOver['at']): HandOver => {
    const keptMs = Math.max(sentMs, latestMs(word));
    const front = words[word - 1];
    const searchMs = front === undefined ? 0 : keptMs - (front.endMs - withinOf(front));
    return { word, keptMs, searchMs: Math.max(0, Math.min(searchMs, keptMs - sentMs)), at };
  };
  let whole = 0;
  while (whole < words.length && overMs(words[whole]!) <= knownMs) whole += 1;
  for (let w = whole; w > 0; w -= 1) {
    const ms = latestMs(w);
    if (ms < sentMs || ms - heardMs < neededMs) break;
    if (words[w - 1]!.pause > 0) return plan(w, 'clause');
  }
  // What of the next word has been sent is heard; it is begun again behind that.
  return plan(whole, latestMs(whole) < sentMs ? 'inside' : 'word');
}

/**
 * The same for the request that was placed on `timeline` last: its words from the cut on leave the timeline. `rest`: the text that
 * is left; undefined: none. `remainingMs`: audio that the listener has not heard yet; infinite without a listener.
 */
export function handOver(
  timeline: WordTimeline,
  text: RequestText,
  inHand: {
    readonly knownMs: number;
    readonly spokenMs?: number | undefined;
    readonly untakenMs: number;
    readonly neededMs: number;
    readonly remainingMs: number;
  },
): { readonly cut: HandOver; readonly rest: RequestText | undefined } {
  const { knownMs, spokenMs, untakenMs, neededMs, remainingMs } = inHand;
  const words = timeline.lastRequest(spokenMs);
  const sentMs = Math.max(0, knownMs - untakenMs);
  const cut = planHandOver(words, { sentMs, knownMs, spokenMs, heardMs: knownMs - remainingMs, neededMs });
  timeline.cutLast(cut.word);
  const first = spokenWords(text.parts.map(({ segment }) => segment))[cut.word];
  return { cut, rest: first && restOfRequest(text, first) };
}
