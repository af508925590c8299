// Lines of a page, built from the pieces of text that a PDF places one by one. Positions are points from the bottom
// left of the page as it is read.

import { GrowingText } from '../growing-text.ts';
import type { PdfTextItem } from './pdf-library.ts';

/** A piece of a line that no wide gap divides: all of a line in most documents, a cell or a column's line in others. */
export type PdfLine = {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Of the baseline. */
  readonly y: number;
  /** Of most of its letters, in points. */
  readonly size: number;
  /** The font that most of its letters have, as pdf.js numbers it: what it is called is not known before drawing. */
  readonly font: string;
  /** It begins with a small raised mark, as a note's text does. */
  readonly startsWithMark: boolean;
  /** All of it is set in letters that are equally wide. */
  readonly isCode: boolean;
  /** Of a line that wide gaps divide, what stands behind the last one. */
  readonly lastPiece: string | undefined;
};

export type PdfRun = {
  text: string;
  x: number;
  y: number;
  width: number;
  size: number;
  font: string;
};

/** Word spaces of justified text reach one em, gutters and cells begin at more. */
const GAP_EMS = 1.6;
const SPACE_EMS = 0.13;
const MARK = /^[\s[(]*(?:\d{1,3}|[a-z]|[*†‡§¶#]{1,3})(?:\s*,\s*\d{1,3})*[\s.)\]]*$/;
const POWERS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Text that runs along the page's main direction; stamps along the margin are left out. */
export function toRuns(items: readonly PdfTextItem[]): PdfRun[] {
  const placed = items
    .filter(({ str }) => str !== undefined && str.trim() !== '')
    .map((item) => ({ item, turn: quarterOf(item.transform) }));
  const chars = [0, 0, 0, 0];
  for (const { item, turn } of placed) chars[turn]! += item.str.length;
  const main = chars.indexOf(Math.max(...chars));
  return placed
    .filter(({ turn }) => turn === main)
    .map(({ item: { str, transform, width, fontName } }) => {
      const [, , c = 0, d = 0, e = 0, f = 0] = transform;
      const [x, y] = [
        [e, f],
        [f, -e],
        [-e, -f],
        [-f, e],
      ][main] as [number, number];
      return { text: str, x, y, width, size: Math.hypot(c, d), font: fontName };
    });
}

/** The direction of writing in quarters of a turn. */
const quarterOf = ([a = 1, b = 0]: readonly number[]): number =>
  (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4;

/** From the top down, then from left to right. `runs` are those of one column; `isFixed` tells fonts of equally wide letters. */
export function toLines(runs: readonly PdfRun[], isFixed: (font: string) => boolean): PdfLine[] {
  const rows: { y: number; size: number; runs: PdfRun[] }[] = [];
  for (const run of onBaseline(runs).toSorted((a, b) => b.y - a.y)) {
    const row = rows.slice(-3).findLast((near) => near.y - run.y < Math.max(near.size, run.size) * 0.55);
    if (row === undefined) rows.push({ y: run.y, size: run.size, runs: [run] });
    else {
      row.runs.push(run);
      if (run.size > row.size) Object.assign(row, { size: run.size, y: run.y });
    }
  }
  return rows
    .toSorted((a, b) => b.y - a.y)
    .flatMap(({ runs: row }) => split(row).map((piece) => toLine(piece, isFixed)));
}

/** Runs that a mark is compared with, from its height down; a line of a table has a hundred. */
const MAX_COMPARED = 500;

/** Raised marks on the baseline of the text that they touch: beside them another column's line may be nearer. */
function onBaseline(runs: readonly PdfRun[]): PdfRun[] {
  const fromTop = runs.map((run, index) => ({ run, index })).toSorted((a, b) => b.run.y - a.run.y);
  const reach = runs.reduce((most, { size }) => Math.max(most, size), 0) * 0.6;
  return runs.map((mark) => {
    if (!MARK.test(mark.text)) return mark;
    const touches = (run: PdfRun) =>
      mark.size < run.size * 0.82 &&
      mark.y - run.y < run.size * 0.6 &&
      Math.min(Math.abs(run.x + run.width - mark.x), Math.abs(mark.x + mark.width - run.x)) < run.size * 0.4;
    const from = firstBelow(fromTop, mark.y);
    const to = Math.min(fromTop.length, from + MAX_COMPARED);
    let first: (typeof fromTop)[number] | undefined;
    for (let i = from; i < to && mark.y - fromTop[i]!.run.y < reach; i++) {
      const { run, index } = fromTop[i]!;
      if (touches(run) && (first === undefined || index < first.index)) first = fromTop[i];
    }
    return first === undefined ? mark : { ...mark, y: first.run.y };
  });
}

/** The first place, from the top down, that is not above `y`. */
function firstBelow(fromTop: readonly { readonly run: PdfRun }[], y: number): number {
  let low = 0;
  let high = fromTop.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fromTop[middle]!.run.y > y) low = middle + 1;
    else high = middle;
  }
  return low;
}

function split(row: readonly PdfRun[]): PdfRun[][] {
  const pieces: PdfRun[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const run of row.toSorted((a, b) => a.x - b.x)) {
    if (run.x - end > run.size * GAP_EMS) pieces.push([]);
    pieces.at(-1)!.push(run);
    end = Math.max(end, run.x + run.width);
  }
  return pieces;
}

function toLine(runs: readonly PdfRun[], isFixed: (font: string) => boolean): PdfLine {
  const size = mostUsed(runs, (run) => run.size);
  const y = runs.find((run) => run.size === size)!.y;
  const isMark = (run: PdfRun) => run.size < size * 0.82 && run.y > y - size * 0.1 && MARK.test(run.text);
  const text = new GrowingText();
  let isBlank = true;
  let end = runs[0]!.x;
  let startsWithMark = false;
  for (const run of runs) {
    const hasSpace = run.x - end > size * SPACE_EMS && !text.isEmpty && !/\s$/.test(text.tail());
    end = Math.max(end, run.x + run.width);
    if (isMark(run)) {
      if (isBlank) startsWithMark = true;
      else text.add(power(run.text, text.tail()));
      continue;
    }
    if (run.text.trim() !== '') isBlank = false;
    text.add(hasSpace ? ` ${run.text}` : run.text);
  }
  const [first] = runs;
  return {
    text: text.take().trim(),
    left: first!.x,
    right: end,
    y,
    size,
    font: mostUsed(runs, (run) => run.font),
    startsWithMark,
    isCode: runs.every((run) => isFixed(run.font)),
    lastPiece: undefined,
  };
}

/** Of m² and 10⁶ the raised figure is said, so it stays. */
function power(mark: string, before: string): string {
  const isPower =
    /(?:^|\D)10$/.test(before) || (/^[23]$/.test(mark.trim()) && /(?:^|[\s\d])[kcdm]?m$/.test(before));
  return isPower ? mark.trim().replace(/\d/g, (digit) => POWERS[Number(digit)]!) : '';
}

/** The value (a size, a font) that most letters have. */
export function mostUsed<Run extends { readonly text: string }, Value>(
  runs: readonly Run[],
  toValue: (run: Run) => Value,
): Value {
  const chars = new Map<Value, number>();
  for (const run of runs) chars.set(toValue(run), (chars.get(toValue(run)) ?? 0) + run.text.length);
  return [...chars].reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0];
}
