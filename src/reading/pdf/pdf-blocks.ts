// Lines of a PDF's columns as headings, paragraphs and items, notes at the foot of a column left out. A PDF knows no
// paragraphs: indents, gaps, short last lines and sizes of letters tell them.

import { joinLines, type KnownWords, knownWords } from '../join-lines.ts';
import type { SourceBlocks } from '../source-blocks.ts';
import type { PdfColumn } from './pdf-columns.ts';
import { mostUsed, type PdfLine } from './pdf-line.ts';
import { withoutListings } from './pdf-listings.ts';

const NOTE_START = /^(?:[[(]?\d{1,3}[\])]?[.\s]|[*†‡§¶]|\d{1,3}\p{Lu})/u;
const ITEM = /^(?:[•·◦▪‣●○–*-]|\(?\d{1,2}[.)])\s+(?=\S)/;
const SENTENCE_END = /[.!?…:][)”"»’\]]*$/;

type Kind = 'heading' | 'paragraph' | 'item';
type Layout = { readonly size: number; readonly font: string; readonly leading: number };

/** `pages` are the columns of each page in the order of reading. */
export function addPdfBlocks(pages: readonly (readonly PdfColumn[])[], blocks: SourceBlocks): void {
  const said = withoutListings(pages.flat());
  const all = said.flat();
  if (all.length === 0) return;
  const layout: Layout = {
    size: mostUsed(all, ({ size }) => size),
    font: mostUsed(all, ({ font }) => font),
    leading: usualLeading(said),
  };
  const known = knownWords(all.map(({ text }) => text));
  const columns = withoutNotes(said, layout);
  const headings = headingsOf(columns, layout);
  const levels = new Map(sizesOf(headings).map((size, level) => [size, level]));
  let open: PdfLine[] = [];
  let kind = 'paragraph' as Kind;
  const flush = () => {
    if (open.length > 0) addBlock(open, kind, levels, known, blocks);
    open = [];
  };
  for (const column of columns) {
    const edges = { left: usualLeft(column), right: rightmost(column) };
    for (const [i, line] of column.entries()) {
      const next: Kind = headings.has(line) ? 'heading' : ITEM.test(line.text) ? 'item' : 'paragraph';
      const previous = open.at(-1);
      const goesOn =
        previous !== undefined &&
        next !== 'item' &&
        (kind === 'heading') === (next === 'heading') &&
        (i === 0 ? runsOver(previous, line, kind) : continues(previous, line, kind, edges, layout));
      if (!goesOn) {
        flush();
        kind = next;
      }
      open.push(line);
    }
  }
  flush();
}

function addBlock(
  lines: readonly PdfLine[],
  kind: Kind,
  levels: ReadonlyMap<number, number>,
  known: KnownWords,
  blocks: SourceBlocks,
): void {
  const text = joinLines(
    lines.map((line) => line.text),
    known,
  );
  if (kind === 'heading') blocks.addHeading(1 + (levels.get(round(lines[0]!.size)) ?? 0), text);
  else blocks.add(kind, kind === 'item' ? text.replace(ITEM, '') : text);
}

/** Notes stand at the foot of a column, smaller than the text, from a mark on; what a note could not end follows. */
function withoutNotes(columns: readonly PdfColumn[], { size }: Layout): PdfColumn[] {
  let isOpen = false;
  return columns
    .map((column) => {
      let from = column.length;
      while (from > 0 && column[from - 1]!.size < size * 0.94) from--;
      const foot = column.slice(from);
      const start = foot.findIndex((line) => line.startsWithMark || NOTE_START.test(line.text));
      const hasNotes = start === 0 || (start > 0 && isOpen) || (foot.length > 0 && isOpen && from > 0);
      const first = hasNotes ? 0 : start;
      isOpen = first !== -1 && foot.length > 0 && !SENTENCE_END.test(foot.at(-1)!.text);
      return first === -1 || foot.length === 0 ? column : column.slice(0, from + first);
    })
    .filter((column) => column.length > 0);
}

const round = (size: number): number => Math.round(size * 2) / 2;

/** A heading whose number stands apart. */
const NUMBERED = /^(?:\d{1,3}(?:\.\d{1,3})*|[A-Z]|[IVXLC]+)[.)]?\s/;

/** The names of columns: wide gaps divide them as they divide what stands below. */
const isTableHead = (line: PdfLine, below: PdfLine | undefined): boolean =>
  line.lastPiece !== undefined && below?.lastPiece !== undefined && !NUMBERED.test(line.text);

/** Lines larger than the text; or in another font, short, below a gap, and no sentence. The head of a table is none. */
function headingsOf(columns: readonly PdfColumn[], { size, font, leading }: Layout): Set<PdfLine> {
  const found = new Set<PdfLine>();
  for (const column of columns)
    for (const [i, line] of column.entries()) {
      if (line.text.length > 160 || !/\p{L}/u.test(line.text) || isTableHead(line, column[i + 1])) continue;
      const above = column[i - 1];
      const isApart = above === undefined || above.y - line.y > leading * 1.2 || found.has(above);
      const isSet = line.font !== font && line.size > size * 0.95 && line.text.length < 100;
      if (line.size > size * 1.12 || (isSet && isApart && !/[.,;:]$/.test(line.text))) found.add(line);
    }
  return found;
}

/** The sizes of headings from the largest down, by which their levels go. */
const sizesOf = (headings: ReadonlySet<PdfLine>): number[] =>
  [...new Set([...headings].map(({ size }) => round(size)))].toSorted((a, b) => b - a);

/** Whether a line at the top of a column goes on with what was open at the foot of the one before. */
const runsOver = (previous: PdfLine, line: PdfLine, kind: Kind): boolean =>
  kind !== 'heading' && !SENTENCE_END.test(previous.text) && /^[\p{Ll}\p{Lo}\d("“«„A-Z]/u.test(line.text);

function continues(
  previous: PdfLine,
  line: PdfLine,
  kind: Kind,
  edges: { readonly left: number; readonly right: number },
  { leading }: Layout,
): boolean {
  const gap = previous.y - line.y;
  if (kind === 'heading') return Math.abs(previous.size - line.size) < 0.5 && gap < line.size * 1.7;
  if (gap > Math.max(leading * 1.35, line.size * 1.1) || gap < 0) return false;
  if (kind === 'item') return line.left >= previous.left - 1;
  const isIndented = line.left > edges.left + line.size * 0.7 && line.left > previous.left + line.size * 0.5;
  const isShort =
    previous.right < edges.right - (edges.right - edges.left) * 0.12 && SENTENCE_END.test(previous.text);
  return !isIndented && !isShort;
}

/** The distance of most lines to the next of their column. */
function usualLeading(columns: readonly PdfColumn[]): number {
  const counts = new Map<number, number>();
  for (const column of columns)
    for (const [i, line] of column.entries()) {
      const gap = i === 0 ? 0 : round(column[i - 1]!.y - line.y);
      if (gap > 0) counts.set(gap, (counts.get(gap) ?? 0) + 1);
    }
  return [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [14, 0])[0];
}

const rightmost = (column: PdfColumn): number =>
  column.reduce((most, { right }) => Math.max(most, right), Number.NEGATIVE_INFINITY);

/** Where most lines of a column begin. */
function usualLeft(column: PdfColumn): number {
  const counts = new Map<number, number>();
  for (const { left } of column) counts.set(Math.round(left), (counts.get(Math.round(left)) ?? 0) + 1);
  return [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, 0])[0];
}
