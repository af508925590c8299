// The paragraphs of a text, separated by blank lines: the positions by which narration seeks and reports progress. Positions
// are UTF-16 units of the text, and code points, which is what callers are told. Each character is read once, when it comes,
// and what is found is remembered: eight bytes for each paragraph, for a text may have a hundred thousand of them.

import { isSpaceUnit } from './character-class.ts';
import { isHigh, isLow } from './code-points.ts';

export type TextPlace = { readonly unit: number; readonly point: number };

const FIRST_ROOM = 16;

/**
 * Where each paragraph begins, in order. There is always one: the first begins where the text does, whatever blank lines
 * it begins with.
 */
export class Paragraphs {
  private units = new Uint32Array(0);
  private points = new Uint32Array(0);
  /** Besides the first one. */
  private found = 0;
  private unit = 0;
  private point = 0;
  private lastUnit = 0;
  /** Line breaks in the white space that the text ends with; a return and a feed are one. */
  private breaks = 0;
  private begun = false;

  /**
   * Reads what comes behind the text before. A quarter of a million characters may come at once: what changes with each is
   * local.
   */
  read(text: string): void {
    let { point, lastUnit, breaks } = this;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 10) {
        if (lastUnit !== 13) breaks += 1;
      } else if (code === 13) breaks += 1;
      else if (!isWhite(code)) {
        if (breaks > 1 && this.begun) this.add(this.unit + at, point);
        this.begun = true;
        breaks = 0;
      }
      const endsPair = isLow(code) && isHigh(lastUnit);
      if (!endsPair) point += 1;
      lastUnit = endsPair ? 0 : code;
    }
    this.unit += text.length;
    this.point = point;
    this.lastUnit = lastUnit;
    this.breaks = breaks;
  }
  count(): number {
    return this.found + 1;
  }
  /** The place of paragraph `index`, which is one of `count`. */
  at(index: number): TextPlace {
    if (index === 0) return { unit: 0, point: 0 };
    return { unit: this.units[index - 1]!, point: this.points[index - 1]! };
  }
  /** The paragraph that code point `point` stands in. */
  indexOf(point: number): number {
    let [from, to] = [0, this.count()];
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if (this.points[middle - 1]! <= point) from = middle;
      else to = middle;
    }
    return from;
  }
  /** Code points read so far; a lone half of a pair counts as one. */
  codePoints(): number {
    return this.point;
  }
  bytes(): number {
    return this.units.byteLength + this.points.byteLength;
  }

  private add(unit: number, point: number): void {
    if (this.found === this.units.length) {
      this.units = grown(this.units);
      this.points = grown(this.points);
    }
    this.units[this.found] = unit;
    this.points[this.found] = point;
    this.found += 1;
  }
}

const grown = (from: Uint32Array): Uint32Array<ArrayBuffer> => {
  const next = new Uint32Array(Math.max(FIRST_ROOM, from.length + (from.length >> 1)));
  next.set(from);
  return next;
};

/** White space without the next line control, which JavaScript counts as no white space. */
const isWhite = (code: number): boolean => {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  if (code < 0xa0) return false;
  return isSpaceUnit(code);
};

export function paragraphsOf(text: string): Paragraphs {
  const paragraphs = new Paragraphs();
  paragraphs.read(text);
  return paragraphs;
}

/** What is looked at on either side of a place: white space and signs of a break are never longer. */
const AROUND = 200;

/** Whether blank lines stand between the last word of `before` and the first of `after`, which adjoins it. */
export function isParagraphEnd(before: string, after: string): boolean {
  const end = before.slice(-AROUND);
  const tail = end.slice(end.trimEnd().length);
  const head = /^[^\p{L}\p{N}]*/u.exec(after.slice(0, AROUND))![0];
  return /(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*(?:\r|\n)/.test(tail + head);
}
