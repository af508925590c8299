// The order of reading of a page's lines: from the top down, and where two columns stand side by side, the left one
// first. What crosses both (a title, a table) divides the page into bands that are read one after another.

import type { PdfLine } from './pdf-line.ts';

const STEP_POINTS = 2;
const FEWEST_LINES = 6;
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
  const leftmost = Math.min(...lines.map(({ left }) => left));
  const width = Math.max(...lines.map(({ right }) => right)) - leftmost;
  let best: { x: number; crossing: number } | undefined;
  for (let x = leftmost + width * 0.35; x < leftmost + width * 0.65; x += STEP_POINTS) {
    const crossing = lines.filter(({ left, right }) => left < x && right > x).length;
    if (best === undefined || crossing < best.crossing) best = { x, crossing };
  }
  if (best === undefined || best.crossing > lines.length * 0.2) return undefined;
  const { x } = best;
  const onLeft = lines.filter(({ right }) => right <= x);
  const onRight = lines.filter(({ left }) => left >= x);
  if (onLeft.length < FEWEST_LINES || onRight.length < FEWEST_LINES) return undefined;
  const areWide = [onLeft, onRight].every((side) => medianWidth(side) >= width * NARROWEST_COLUMN);
  return areWide ? x : undefined;
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
