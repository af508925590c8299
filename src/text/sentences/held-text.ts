// Text that waits to be cut into segments, and where each piece of it stands in the caller's text.
// One string is scanned; the origins lie beside it, so that removed markup costs nothing when scanning.

import { codePointLength } from '../code-points.ts';
import type { Run } from '../segment.ts';

export type HeldText = {
  text(): string;
  /** Appends text that stands at code point `start`; it never parts a surrogate pair. */
  push(text: string, start: number): void;
  /** Removes the first `length` UTF-16 units and tells their origins, adjoining pieces as one run. */
  take(length: number): Run[];
};

type Piece = { length: number; start: number };

export function createHeldText(): HeldText {
  let text = '';
  let pieces: Piece[] = [];
  /** Pieces before it are used up; they are dropped in bulk, so that taking stays linear. */
  let first = 0;
  /** Code point after the last piece. */
  let end = 0;

  return {
    text: () => text,
    push(more, start) {
      if (more === '') return;
      const last = pieces.at(-1);
      if (last !== undefined && first < pieces.length && start === end) last.length += more.length;
      else pieces.push({ length: more.length, start });
      text += more;
      end = start + codePointLength(more);
    },
    take(length) {
      const runs: Run[] = [];
      let at = 0;
      while (at < length && first < pieces.length) {
        const piece = pieces[first]!;
        const size = Math.min(piece.length, length - at);
        const run = { text: text.slice(at, at + size), start: piece.start };
        runs.push(run);
        at += size;
        if (size === piece.length) first += 1;
        else {
          piece.length -= size;
          piece.start += codePointLength(run.text);
        }
      }
      text = text.slice(at);
      if (first > 64 && first * 2 > pieces.length) {
        pieces = pieces.slice(first);
        first = 0;
      }
      return runs;
    },
  };
}
