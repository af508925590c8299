// What belongs to the pages of a PDF and not to its text: running headers and footers, which come again at the same
// height with at most another number, and page numbers.

import type { PdfColumn } from './pdf-columns.ts';
import type { PdfLine } from './pdf-line.ts';

/** Lines from either edge among which furniture is looked for. */
const EDGE_LINES = 3;
const SAME_HEIGHT_POINTS = 4;
const NUMBER =
  /^[\s\-–—·|[(]*(?:(?:page|seite|página|pagina|s\.|p\.)\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:\/|of|von|sur|de|di)\s*\d{1,4})?[\s\-–—·|\])]*$/i;

type Edge = {
  readonly page: number;
  readonly line: PdfLine;
  readonly key: string;
  readonly side: 'top' | 'bottom';
};

/** The columns of each page without it, each line as it was. */
export function withoutFurniture(pages: readonly (readonly PdfColumn[])[]): PdfColumn[][] {
  const edges = pages.flatMap((columns, page) => edgesOf(columns.flat(), page));
  const dropped = new Set<PdfLine>();
  const byPlace = groupBy(edges, ({ side, line }) => `${side} ${Math.round(line.y / SAME_HEIGHT_POINTS)}`);
  const counts = countPages(edges);
  for (const edge of edges) {
    const isRepeated = counts.get(edge)! >= (pages.length < 6 ? 2 : 3) && edge.key.length > 1;
    if (isRepeated || NUMBER.test(edge.line.text)) dropped.add(edge.line);
  }
  // Where most lines of a height are furniture, the rest are too: a header with the title of a short chapter.
  for (const place of byPlace.values()) {
    const found = place.filter(({ line }) => dropped.has(line)).length;
    if (found >= 3 && found > place.length * 0.6) for (const { line } of place) dropped.add(line);
  }
  return pages.map((columns) => columns.map((lines) => lines.filter((line) => !dropped.has(line))));
}

/** Lines are told apart by their height: a header of three pieces is one line. */
function edgesOf(lines: readonly PdfLine[], page: number): Edge[] {
  const heights = [...new Set(lines.map(({ y }) => Math.round(y)))].toSorted((a, b) => b - a);
  const take = (side: 'top' | 'bottom', chosen: readonly number[]) =>
    lines
      .filter(({ y }) => chosen.includes(Math.round(y)))
      .map((line): Edge => ({ page, line, side, key: `${side} ${keyOf(line.text)}` }));
  const top = heights.slice(0, EDGE_LINES);
  return [
    ...take('top', top),
    ...take('bottom', heights.slice(Math.max(EDGE_LINES, heights.length - EDGE_LINES))),
  ];
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
  for (const group of groupBy(edges, ({ key }) => key).values()) countNear(group, counts);
  return counts;
}

/** Along the heights, with a window of those that are near: each edge enters and leaves it once. */
function countNear(group: readonly Edge[], counts: Map<Edge, number>): void {
  const sorted = group.toSorted((a, b) => a.line.y - b.line.y);
  const onPage = new Map<number, number>();
  let first = 0;
  let next = 0;
  for (const edge of sorted) {
    for (; next < sorted.length && sorted[next]!.line.y - edge.line.y < SAME_HEIGHT_POINTS; next++) {
      const { page } = sorted[next]!;
      onPage.set(page, (onPage.get(page) ?? 0) + 1);
    }
    for (; edge.line.y - sorted[first]!.line.y >= SAME_HEIGHT_POINTS; first++) {
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
