// The gaps between columns: free places that run down a page beside text on both sides. They are looked for among the
// pieces of text, before there are lines: a gap of ten points is no wider than some word spaces, and only that it goes on
// from line to line tells it.

import { mostUsed, type PdfRun } from './pdf-line.ts';

/** Free from `top` to `bottom` (points upwards, `top` is the larger), with text on both sides in `rows` rows. */
export type Gutter = {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly rows: number;
};

/** Of the size of the letters. A word space is 0.25 em, and hardly ever in the same place in five lines. */
const MIN_WIDTH_EMS = 0.4;
const MIN_WIDTH_POINTS = 2.5;
const MIN_ROWS = 5;
/** What is narrower beside a gap are the marks or numbers of a list. */
const MAX_MARK_EMS = 2.5;
/** What is narrower is a column of a table: at six ems a line holds one or two words. */
const MIN_COLUMN_EMS = 6;
/** Lines of running text nearly fill their column; cells of a table do as it comes. */
const FILLED = 0.6;
const MIN_FILLED_SHARE = 0.6;
/** Of the usual size of letters and distance of lines. */
const HEADING_SIZE = 1.15;
const HEADING_GAP = 1.2;
/** Of the width of a gutter elsewhere, which no word space reaches. */
const KNOWN_SHARE = 0.8;
const MAX_GUTTERS = 16;
/** Rows more than these are no page for a person. */
const MAX_ROWS = 2_000;
/** A row in more pieces is none of columns; so many gaps are looked after at a time. */
const MAX_PIECES = 64;

type Interval = { readonly left: number; readonly right: number };
/** What stands at about the same height, its letters apart by less than a gap. */
type Row = {
  readonly y: number;
  readonly spans: readonly Interval[];
  /** A larger line with free space above and below it in all columns: it heads them all, however short it is. */
  readonly isHeading: boolean;
};
/** `cut`: the row of a heading that divides it, if text on both sides follows. */
type Open = Interval & { readonly from: number; readonly rows: number; readonly cut?: number | undefined };
type Found = Open & { readonly to: number };

/**
 * From the top down. `known` are gutters of the pages before: where one of those or of this page was, a single row tells another. Linear in the
 * pieces, but for sorting them.
 */
export function findGutters(runs: readonly PdfRun[], known: readonly Gutter[]): Gutter[] {
  if (runs.length === 0) return [];
  const size = mostUsed(runs, (run) => run.size);
  const minWidth = Math.max(MIN_WIDTH_POINTS, size * MIN_WIDTH_EMS);
  const rows = toRows(runs, minWidth, size);
  if (rows.length > MAX_ROWS) return [];
  const candidates = sweep(rows, minWidth);
  const frequent = candidates
    .filter((found) => found.rows >= MIN_ROWS)
    .toSorted((a, b) => b.rows - a.rows)
    .slice(0, MAX_GUTTERS * 4);
  const wide = betweenColumns(frequent, rows, size);
  const places: readonly Interval[] = [...known, ...wide];
  const isKnown = (found: Interval) =>
    places.some(
      ({ left, right }) =>
        Math.min(right, found.right) - Math.max(left, found.left) >=
        Math.max(minWidth, (right - left) * KNOWN_SHARE),
    );
  return candidates
    .filter((found) => wide.has(found) || isKnown(found))
    .toSorted((a, b) => b.rows - a.rows)
    .slice(0, MAX_GUTTERS)
    .map((found) => toGutter(found, rows));
}

/** Columns may stand half a line apart, so a row takes in what is less than a line below its first piece. */
function toRows(runs: readonly PdfRun[], minWidth: number, usualSize: number): Row[] {
  const groups: { y: number; size: number; runs: PdfRun[] }[] = [];
  for (const run of runs.toSorted((a, b) => b.y - a.y)) {
    const last = groups.at(-1);
    if (last === undefined || last.y - run.y >= Math.min(last.size, run.size) * 0.8)
      groups.push({ y: run.y, size: run.size, runs: [run] });
    else last.runs.push(run);
  }
  const steps = groups.slice(1).map(({ y }, i) => groups[i]!.y - y);
  const leading = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  const isApart = (at: number) =>
    (steps[at - 1] ?? Number.POSITIVE_INFINITY) > leading * HEADING_GAP &&
    (steps[at] ?? Number.POSITIVE_INFINITY) > leading * HEADING_GAP;
  return groups.map(({ y, size, runs: row }, at) => ({
    y,
    spans: spansOf(row, minWidth),
    isHeading: size > usualSize * HEADING_SIZE && isApart(at),
  }));
}

function spansOf(row: readonly PdfRun[], minWidth: number): Interval[] {
  const spans: { left: number; right: number }[] = [];
  for (const { x, width } of row.toSorted((a, b) => a.x - b.x)) {
    const last = spans.at(-1);
    if (last === undefined || x - last.right >= minWidth) spans.push({ left: x, right: x + width });
    else last.right = Math.max(last.right, x + width);
  }
  return spans;
}

/** Every gap that goes on through rows, as wide as it is in all of them; free margins go on with it. */
function sweep(rows: readonly Row[], minWidth: number): Found[] {
  const found: Found[] = [];
  let open: readonly Open[] = [];
  for (const [at, { spans: all, isHeading }] of rows.entries()) {
    const next: Open[] = [];
    const spans = all.length > MAX_PIECES ? [{ left: all[0]!.left, right: all.at(-1)!.right }] : all;
    for (const gap of open) {
      const parts = freeIn(gap, spans).filter(({ left, right }) => right - left >= minWidth);
      if (parts.length === 0) found.push({ ...gap, to: at - 1 });
      for (const part of parts) {
        const { from, rows: count, cut } = gap;
        if (!isBetween(part, spans)) next.push({ ...gap, ...part, cut: cut ?? (isHeading ? at : undefined) });
        else if (cut === undefined) next.push({ ...gap, ...part, rows: count + 1 });
        else {
          found.push({ ...part, from, rows: count, to: cut - 1 });
          next.push({ ...part, from: cut + 1, rows: 1 });
        }
      }
    }
    for (const [i, { left: right }] of spans.entries()) {
      const left = spans[i - 1]?.right;
      if (left === undefined || right - left < minWidth) continue;
      const isTaken = next.some((gap) => gap.left < right && gap.right > left);
      if (!isTaken && next.length < MAX_PIECES) next.push({ left, right, from: at, rows: 1 });
    }
    open = next;
  }
  return [...found, ...open.map((gap) => ({ ...gap, to: rows.length - 1 }))];
}

/** The parts of `gap` that no span covers. */
function freeIn(gap: Interval, spans: readonly Interval[]): Interval[] {
  const parts: Interval[] = [];
  let { left } = gap;
  for (const span of spans) {
    if (span.right <= left) continue;
    if (span.left >= gap.right) break;
    if (span.left > left) parts.push({ left, right: span.left });
    left = Math.max(left, span.right);
  }
  if (left < gap.right) parts.push({ left, right: gap.right });
  return parts;
}

const isBetween = ({ left, right }: Interval, spans: readonly Interval[]): boolean =>
  spans[0]!.right <= left && spans.at(-1)!.left >= right;

/** Those of `candidates` with a column of running text on either side. */
function betweenColumns(
  candidates: readonly Found[],
  rows: readonly Row[],
  size: number,
): ReadonlySet<Found> {
  const beside = candidates.filter((gap) => widthBeside(gap, candidates, rows).median > size * MAX_MARK_EMS);
  return new Set(
    beside.filter((gap) => {
      const { median, filled } = widthBeside(gap, beside, rows);
      return median >= size * MIN_COLUMN_EMS && filled >= MIN_FILLED_SHARE;
    }),
  );
}

/** Of the text on its narrower side, up to the next gap that is there for half of its rows at least. */
function widthBeside(
  gap: Found,
  all: readonly Found[],
  rows: readonly Row[],
): { readonly median: number; readonly filled: number } {
  const height = gap.to - gap.from + 1;
  const others = all.filter(
    (other) => other !== gap && Math.min(other.to, gap.to) - Math.max(other.from, gap.from) + 1 >= height / 2,
  );
  const from = others
    .filter(({ right }) => right <= gap.left)
    .reduce((most, { right }) => Math.max(most, right), Number.NEGATIVE_INFINITY);
  const to = others
    .filter(({ left }) => left >= gap.right)
    .reduce((least, { left }) => Math.min(least, left), Number.POSITIVE_INFINITY);
  const here = rows.slice(gap.from, gap.to + 1);
  const sides = [
    widthsIn(here, { left: from, right: gap.left }),
    widthsIn(here, { left: gap.right, right: to }),
  ].map((widths) => {
    const sorted = widths.toSorted((a, b) => a - b);
    const widest = sorted.at(-1) ?? 0;
    const filled = sorted.filter((width) => width >= widest * FILLED).length / Math.max(1, sorted.length);
    return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, filled };
  });
  return {
    median: Math.min(...sides.map(({ median }) => median)),
    filled: Math.min(...sides.map(({ filled }) => filled)),
  };
}

/** How wide the text of each row is between two places; rows without any are left out. */
function widthsIn(rows: readonly Row[], { left, right }: Interval): number[] {
  return rows.flatMap(({ spans }) => {
    const inside = spans.filter((span) => span.left >= left - 0.5 && span.right <= right + 0.5);
    return inside.length === 0 ? [] : [inside.at(-1)!.right - inside[0]!.left];
  });
}

/** Up to where something crosses it; above its first row that is where the columns begin. */
function toGutter({ left, right, from, to, rows: count }: Found, rows: readonly Row[]): Gutter {
  const isFree = ({ spans, isHeading }: Row) =>
    !isHeading && spans.every((span) => span.right <= left || span.left >= right);
  let first = from;
  while (first > 0 && isFree(rows[first - 1]!)) first--;
  const between = (upper: Row | undefined, lower: Row | undefined, otherwise: number) =>
    upper === undefined || lower === undefined ? otherwise : (upper.y + lower.y) / 2;
  return {
    left,
    right,
    top: between(rows[first - 1], rows[first], Number.POSITIVE_INFINITY),
    bottom: between(rows[to], rows[to + 1], Number.NEGATIVE_INFINITY),
    rows: count,
  };
}
