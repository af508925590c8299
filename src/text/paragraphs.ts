// The paragraphs of a text, which narration is sought and told by: what blank lines part. Positions are UTF-16 units of
// the text, and code points, which is what callers are told.

import { codePointLength } from './code-points.ts';

export type TextPlace = { readonly unit: number; readonly point: number };

/** Line ends with nothing but white space between them, and all white space that follows. */
const BLANK_LINES = /(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)\s*/g;

/**
 * Where each paragraph begins, in order. There is always one: the first begins where the text does, whatever blank lines
 * it begins with.
 */
export function paragraphsOf(text: string): readonly TextPlace[] {
  const places: TextPlace[] = [{ unit: 0, point: 0 }];
  const begin = text.length - text.trimStart().length;
  let [unit, point] = [0, 0];
  for (const gap of text.matchAll(BLANK_LINES)) {
    const next = gap.index + gap[0].length;
    if (gap.index < begin || next === text.length) continue;
    point += codePointLength(text.slice(unit, next));
    unit = next;
    places.push({ unit, point });
  }
  return places;
}

/** The paragraph that code point `point` stands in, as an index of `places`. */
export function paragraphAt(places: readonly TextPlace[], point: number): number {
  let [from, to] = [0, places.length];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (places[middle]!.point <= point) from = middle;
    else to = middle;
  }
  return from;
}

/** What is looked at on either side of a place: white space and signs of a break are never longer. */
const AROUND = 200;

/** Whether blank lines stand between the last word of `before` and the first of `after`, which adjoins it. */
export function isParagraphEnd(before: string, after: string): boolean {
  const tail = /\s*$/.exec(before.slice(-AROUND))![0];
  const head = /^[^\p{L}\p{N}]*/u.exec(after.slice(0, AROUND))![0];
  return /(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)/.test(tail + head);
}
