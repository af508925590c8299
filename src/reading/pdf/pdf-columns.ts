// The order of reading of a page's text: from the top down, and where columns stand side by side, one after the other from
// the left. What crosses a gutter (a title, a table) divides the page into bands that are read one after another.

import type { Gutter } from './pdf-gutters.ts';
import type { PdfLine, PdfRun } from './pdf-line.ts';

export type PdfColumn = readonly PdfLine[];

/** The pieces of text of each column, in the order of reading. `gutters` are those of the page. */
export function toColumns(runs: readonly PdfRun[], gutters: readonly Gutter[]): PdfRun[][] {
  if (runs.length === 0) return [];
  const top = runs.reduce((most, { y }) => Math.max(most, y), Number.NEGATIVE_INFINITY);
  const bottom = runs.reduce((least, { y }) => Math.min(least, y), Number.POSITIVE_INFINITY);
  const here = gutters.filter((gutter) => divides(gutter, runs));
  const through = here
    .filter((gutter) => gutter.top >= top && gutter.bottom <= bottom)
    .toSorted((a, b) => a.left - b.left);
  if (through.length > 0) {
    const columns: PdfRun[][] = [...through, undefined].map(() => []);
    for (const run of runs) columns[through.filter((gutter) => isRightOf(run, gutter)).length]!.push(run);
    const others = here.filter((gutter) => !through.includes(gutter));
    return columns.flatMap((column) => toColumns(column, others));
  }
  const [longest] = here.toSorted((a, b) => b.rows - a.rows);
  if (longest === undefined) return [[...runs]];
  return [
    runs.filter(({ y }) => y >= longest.top),
    runs.filter(({ y }) => y < longest.top && y > longest.bottom),
    runs.filter(({ y }) => y <= longest.bottom),
  ].flatMap((band) => toColumns(band, here));
}

const isRightOf = ({ x, width }: PdfRun, { left, right }: Gutter): boolean =>
  x + width / 2 > (left + right) / 2;

/** Whether there is text on both sides of it. */
function divides(gutter: Gutter, runs: readonly PdfRun[]): boolean {
  let [isLeft, isRight] = [false, false];
  for (const run of runs) {
    if (run.y >= gutter.top || run.y <= gutter.bottom) continue;
    if (isRightOf(run, gutter)) isRight = true;
    else isLeft = true;
    if (isLeft && isRight) return true;
  }
  return false;
}

/** Pieces of one line, which wide gaps had divided, joined. */
export function joinPieces(lines: PdfColumn): PdfLine[] {
  const joined: PdfLine[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    if (last === undefined || Math.abs(last.y - line.y) >= 1 || line.left < last.right) {
      joined.push(line);
      continue;
    }
    joined[joined.length - 1] = {
      ...last,
      text: `${last.text} ${line.text}`,
      right: line.right,
      isCode: last.isCode && line.isCode,
      lastPiece: line.text,
    };
  }
  return joined;
}
