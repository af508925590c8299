// What belongs to the pages of a PDF and not to its text: running headers and footers, which come again at the same
// height with at most another number, and page numbers.

import type { PdfColumn } from './pdf-columns.ts';
import type { PdfLine } from './pdf-line.ts';

/** Lines from either edge among which furniture is looked for. */
const EDGE_LINES = 3;
const SAME_HEIGHT_POINTS = 4;
const NUMBER =
  /^[\s\-–—·|[(]*(?:(?:page|seite|página|pagina|s\.|p\.)\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:\/|of|von|sur|de|di)\s*\d{1,4})?[\s\-–—·|\])]*$/i;

/** Pieces of a line that are farther apart are looked at by themselves: a title and a number in a header. */
const GAP_EMS = 3;
/** A word may stand apart in a loose line, and the same one at the same height of another page. */
const MIN_PIECE_CHARS = 5;

/** What stands together at an edge of a page. */
type Edge = {
  readonly page: number;
  readonly lines: readonly PdfLine[];
  readonly text: string;
  readonly y: number;
  readonly key: string;
  readonly side: 'top' | 'bottom';
  /** Of a line that wide gaps divide. */
  readonly isPiece: boolean;
};

/** The columns of each page without it, each line as it was. */
export function withoutFurniture(pages: readonly (readonly PdfColumn[])[]): PdfColumn[][] {
  const edges = pages.flatMap((columns, page) => edgesOf(columns, page));
  const dropped = new Set<Edge>();
  const byPlace = groupBy(edges, ({ side, y }) => `${side} ${Math.round(y / SAME_HEIGHT_POINTS)}`);
  const counts = countPages(edges);
  for (const edge of edges) {
    const minChars = edge.isPiece ? MIN_PIECE_CHARS : 2;
    const isRepeated = counts.get(edge)! >= (pages.length < 6 ? 2 : 3) && edge.key.length >= minChars;
    if (isRepeated || NUMBER.test(edge.text)) dropped.add(edge);
  }
  // Where most lines of a height are furniture, the rest are too: a header with the title of a short chapter.
  for (const place of byPlace.values()) {
    const found = place.filter((edge) => dropped.has(edge)).length;
    if (found >= 3 && found > place.length * 0.6) for (const edge of place) dropped.add(edge);
  }
  const lines = new Set([...dropped].flatMap((edge) => edge.lines));
  return pages.map((columns) => columns.map((column) => column.filter((line) => !lines.has(line))));
}

function edgesOf(columns: readonly PdfColumn[], page: number): Edge[] {
  const rows = columns.flatMap(rowsOf);
  const heights = [...new Set(rows.map(({ y }) => Math.round(y)))].toSorted((a, b) => b - a);
  const take = (side: 'top' | 'bottom', chosen: readonly number[]) =>
    rows
      .filter(({ y }) => chosen.includes(Math.round(y)))
      .map((row): Edge => ({ ...row, page, side, key: keyOf(row.text) }));
  const top = heights.slice(0, EDGE_LINES);
  return [
    ...take('top', top),
    ...take('bottom', heights.slice(Math.max(EDGE_LINES, heights.length - EDGE_LINES))),
  ];
}

/** The pieces of a column's lines, those of a line together that no very wide gap divides. */
function rowsOf(column: PdfColumn): Pick<Edge, 'lines' | 'text' | 'y' | 'isPiece'>[] {
  const rows: { lines: PdfLine[]; y: number; isPiece: boolean }[] = [];
  for (const line of column) {
    const row = rows.at(-1);
    const last = row?.lines.at(-1);
    const goesOn = last !== undefined && Math.abs(last.y - line.y) < 1 && line.left >= last.right;
    if (goesOn && line.left - last.right < line.size * GAP_EMS) row!.lines.push(line);
    else {
      if (goesOn) row!.isPiece = true;
      rows.push({ lines: [line], y: line.y, isPiece: goesOn });
    }
  }
  return rows.map((row) => ({ ...row, text: row.lines.map(({ text }) => text).join(' ') }));
}

/** Without its numbers, which change from page to page. */
const keyOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\d+|\b[ivxlc]{1,7}\b/g, '#')
    .replace(/\s+/g, ' ')
    .trim();

/** On how many pages the same stands at the height of each. */
function countPages(edges: readonly Edge[]): Map<Edge, number> {
  const counts = new Map<Edge, number>();
  for (const group of groupBy(edges, ({ side, key }) => `${side} ${key}`).values()) countNear(group, counts);
  return counts;
}

/** Along the heights, with a window of those that are near: each edge enters and leaves it once. */
function countNear(group: readonly Edge[], counts: Map<Edge, number>): void {
  const sorted = group.toSorted((a, b) => a.y - b.y);
  const onPage = new Map<number, number>();
  let first = 0;
  let next = 0;
  for (const edge of sorted) {
    for (; next < sorted.length && sorted[next]!.y - edge.y < SAME_HEIGHT_POINTS; next++) {
      const { page } = sorted[next]!;
      onPage.set(page, (onPage.get(page) ?? 0) + 1);
    }
    for (; edge.y - sorted[first]!.y >= SAME_HEIGHT_POINTS; first++) {
      const { page } = sorted[first]!;
      const left = onPage.get(page)! - 1;
      if (left === 0) onPage.delete(page);
      else onPage.set(page, left);
    }
    counts.set(edge, onPage.size);
  }
}

function groupBy<T>(list: readonly T[], keyFor: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const key = keyFor(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
