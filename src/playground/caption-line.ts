// The words that are being said, as one short line for a reader who has no room for the whole text: from the last sentence or
// the last full line on. Only whole words are shown, and only those that have begun.

import type { TrackedWord } from './caption-track.ts';
import { isSentenceEnd } from './spoken-sentences.ts';

export type CaptionLine = {
  /** The line when `begun` of `words` have begun; empty while none has. `lines`: texts of the turn, which may have grown. */
  at(lines: readonly { readonly text: string }[], words: readonly TrackedWord[], begun: number): string;
};

/** Code points; what a phone shows in one row. */
const MAX_SHOWN = 42;

export function createCaptionLine(): CaptionLine {
  /** The first word that is shown, and how many have been looked at. */
  let first = 0;
  let looked = 0;
  let read = { text: '', points: [] as readonly string[] };

  function pointsOf(text: string): readonly string[] {
    if (read.text !== text) read = { text, points: [...text] };
    return read.points;
  }

  return {
    at(lines, words, begun) {
      if (begun < looked) [first, looked] = [0, 0];
      const slice = (line: number, start: number, end: number) =>
        pointsOf(lines[line]?.text ?? '')
          .slice(start, end)
          .join('')
          .trim();
      for (; looked < begun; looked++) {
        const word = words[looked]!;
        const start = words[first]!;
        const before = words[looked - 1];
        if (before === undefined) continue;
        const isNewLine = start.line !== word.line;
        const isFull = word.charEnd - start.charStart > MAX_SHOWN;
        if (isNewLine || isFull || isSentenceEnd(slice(word.line, before.charStart, word.charStart)))
          first = looked;
      }
      const [from, to] = [words[first], words[begun - 1]];
      if (from === undefined || to === undefined) return '';
      // Signs behind the last word belong to it.
      const points = pointsOf(lines[to.line]?.text ?? '');
      let end = to.charEnd;
      while (end < points.length && /[^\p{L}\p{N}\s]/u.test(points[end]!)) end += 1;
      return slice(to.line, from.charStart, end);
    },
  };
}
