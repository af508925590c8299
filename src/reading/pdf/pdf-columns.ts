// The order of reading of a page's lines: from the top down, and where two columns stand side by side, the left one
// first. What crosses both (a title, a table) divides the page into bands that are read one after another.

import type { PdfLine } from './pdf-line.ts';

const STEP_POINTS = 2;
/** Of a page of any width: a file may place its text a thousand kilometres apart. */
const MAX_STEPS = 500;
const MIN_LINES = 6;
/** Of the width of the text: narrower pieces side by side are cells of a table. */
const NARROWEST_COLUMN = 0.3;

export type PdfColumn = readonly PdfLine[];

/** Columns in the order of reading, each from the top down; pieces of one line that are no columns are joined. */
export function toColumns(lines: readonly PdfLine[]): PdfColumn[] {
  const gutter = findGutter(lines);
  if (gutter === undefined) return [joinPieces(lines)];
  const columns: PdfColumn[] = [];
  let left: PdfLine[] = [];
  let right: PdfLine[] = [];
  let across: PdfLine[] = [];
  const flush = () => {
    columns.push(joinPieces(left), joinPieces(right));
    left = [];
    right = [];
  };
  for (const line of lines) {
    if (line.left < gutter && line.right > gutter) {
      flush();
      across.push(line);
      continue;
    }
    if (across.length > 0) columns.push(joinPieces(across));
    across = [];
    if (line.right <= gutter) left.push(line);
    else right.push(line);
  }
  flush();
  if (across.length > 0) columns.push(joinPieces(across));
  return columns.filter((column) => column.length > 0);
}

/** Where hardly any line crosses and lines stand on both sides at the same height; undefined: one column. */
function findGutter(lines: readonly PdfLine[]): number | undefined {
  const leftmost = lines.reduce((least, { left }) => Math.min(least, left), Number.POSITIVE_INFINITY);
  const width = lines.reduce((most, { right }) => Math.max(most, right), Number.NEGATIVE_INFINITY) - leftmost;
  if (!Number.isFinite(width) || width <= 0) return undefined;
  const first = leftmost + width * 0.35;
  const step = Math.max(STEP_POINTS, (width * 0.3) / MAX_STEPS);
  const crossings = countCrossings(lines, first, step, Math.ceil((width * 0.3) / step));
  const crossing = crossings.reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY);
  if (crossing > lines.length * 0.2) return undefined;
  const x = first + crossings.indexOf(crossing) * step;
  const onLeft = lines.filter(({ right }) => right <= x);
  const onRight = lines.filter(({ left }) => left >= x);
  if (onLeft.length < MIN_LINES || onRight.length < MIN_LINES) return undefined;
  const areWide = [onLeft, onRight].every((side) => medianWidth(side) >= width * NARROWEST_COLUMN);
  return areWide ? x : undefined;
}

/**
 * How many lines cross each of `steps` places from `first` on: each line adds one where it begins and takes it off where it
 * ends.
 */
function countCrossings(lines: readonly PdfLine[], first: number, step: number, steps: number): number[] {
  const changes = new Array<number>(steps + 1).fill(0);
  const placeOf = (x: number) => Math.min(steps, Math.max(0, x));
  for (const { left, right } of lines) {
    const from = placeOf(Math.floor((left - first) / step) + 1);
    const to = placeOf(Math.ceil((right - first) / step));
    if (from >= to) continue;
    changes[from]! += 1;
    changes[to]! -= 1;
  }
  let crossing = 0;
  return changes.slice(0, steps).map((change) => {
    crossing += change;
    return crossing;
  });
}

const medianWidth = (lines: readonly PdfLine[]): number =>
  lines.map(({ left, right }) => right - left).toSorted((a, b) => a - b)[Math.floor(lines.length / 2)]!;

function joinPieces(lines: readonly PdfLine[]): PdfLine[] {
  const joined: PdfLine[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    if (last !== undefined && Math.abs(last.y - line.y) < 1 && line.left >= last.right)
      joined[joined.length - 1] = { ...last, text: `${last.text} ${line.text}`, right: line.right };
    else joined.push(line);
  }
  return joined;
}
