// When the caller's words are heard: what the speech program reports of its own words, line by line, as ranges of the
// request's text and times of the reply. Only words with a time of their own are told; none is guessed. Pure.

import type { SourceRange } from '../text/spoken-form/mapped-text.ts';
import type { LineOrigin } from './line-origin.ts';
import type { WordEvent } from './speech-child.ts';

/** A word of the request's text, or several for which something else is said as a whole. */
export type TimedWord = {
  /** From the reply's first sample, whole milliseconds. */
  readonly startMs: number;
  /** Code points of the request's text, turn prefixes included. */
  readonly charStart: number;
  readonly charEnd: number;
};

export type LineTiming = {
  /** Where the line's first sample lies in the reply. */
  readonly startMs: number;
  /** How many times longer the line lasts than what the program made: what stretching it in time came to. */
  readonly factor: number;
};

export type WordTimes = {
  /** Once a line, in the order of the lines. */
  add(origin: LineOrigin, events: readonly WordEvent[], timing: LineTiming): void;
};

/** `emit` gets each word once, when it begins; neither times nor positions ever fall. */
export function createWordTimes(emit: (word: TimedWord) => void): WordTimes {
  /** All before it has been told. */
  let toldTo = 0;
  let toldMs = 0;

  return {
    add({ words, sourceOf }, events, { startMs, factor }) {
      let next = 0;
      /** The words that `source` is a part of, or that are a part of it. */
      const wordsAt = (source: SourceRange): SourceRange | undefined => {
        while (next < words.length && words[next]!.end <= source.start) next += 1;
        let last = next;
        while (last < words.length && words[last]!.start < source.end) last += 1;
        return last === next ? undefined : { start: words[next]!.start, end: words[last - 1]!.end };
      };
      for (const { atMs, codePoint } of events) {
        const word = wordsAt(sourceOf(codePoint));
        // Of a word that is said in several, the first one counts.
        if (word === undefined || word.start < toldTo) continue;
        toldTo = word.end;
        toldMs = Math.max(toldMs, Math.round(startMs + atMs * factor));
        emit({ startMs: toldMs, charStart: word.start, charEnd: word.end });
      }
    },
  };
}
