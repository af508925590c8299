// What stands among the text of a PDF and is not said: tables of contents, and listings of code, which are told by letters
// that are all equally wide.

import type { PdfColumn } from './pdf-columns.ts';
import type { PdfLine, PdfRun } from './pdf-line.ts';

/** Shorter pieces may be equally wide by chance. */
const MIN_PIECE_CHARS = 4;
const MIN_PIECES = 3;
/** In ems for each letter; programs round the places of pieces. */
const EQUAL_EMS = 0.012;
/** Fonts of one document. */
const MAX_FONTS = 1_000;

/** Fonts in which every letter is equally wide, as far as they have been seen. */
export class FixedPitchFonts {
  readonly #seen = new Map<string, { pieces: number; least: number; most: number; first: string }>();

  note(runs: readonly PdfRun[]): void {
    for (const { text, width, size, font } of runs) {
      const chars = text.length;
      // Marks that combine have no width of their own, and East Asian letters are all equally wide.
      if (chars < MIN_PIECE_CHARS || size <= 0 || !/^[\x20-\x7e]+$/.test(text)) continue;
      const each = width / chars / size;
      const seen = this.#seen.get(font);
      if (seen !== undefined) {
        if (seen.first !== text) seen.pieces++;
        seen.least = Math.min(seen.least, each);
        seen.most = Math.max(seen.most, each);
      } else if (this.#seen.size < MAX_FONTS)
        this.#seen.set(font, { pieces: 1, least: each, most: each, first: text });
    }
  }

  has(font: string): boolean {
    const seen = this.#seen.get(font);
    return seen !== undefined && seen.pieces >= MIN_PIECES && seen.most - seen.least < EQUAL_EMS;
  }
}

const LEADER = /(?:[.·…]\s?){4,}\s*(?:\d{1,4}|[ivxlc]{1,7})$/i;
/** Only the end is looked at: a line may be a million dots. */
const hasLeader = (text: string): boolean => LEADER.test(text.slice(-200));
const PAGE = /^(?:\d{1,4}|[ivxlc]{1,7})$/i;
const MIN_CONTENTS_LINES = 3;
const CONTENTS_HEADING =
  /^(?:(?:table of )?contents|inhalt(?:sverzeichnis)?|sommaire|table des matières|índice|indice|sommario|sumário|inhoud(?:sopgave)?|spis treści|obsah|innehåll|indhold|содержание|оглавление|içindekiler|目录|目錄|目次|차례|목차)\s*$/iu;

/**
 * The columns without listings and contents. Where most of a document is set in such letters it was written on a
 * typewriter, and they mean nothing.
 */
export function withoutListings(columns: readonly PdfColumn[]): PdfColumn[] {
  let code = 0;
  let all = 0;
  for (const line of columns.flat()) {
    all += line.text.length;
    if (line.isCode) code += line.text.length;
  }
  const dropped = new Set<PdfLine>();
  for (const column of columns) {
    if (code < all / 2) for (const line of column) if (line.isCode) dropped.add(line);
    dropContents(column, dropped);
  }
  return columns
    .map((column) => column.filter((line) => !dropped.has(line)))
    .filter((column) => column.length > 0);
}

/** Lines that end in leaders and a number; or three and more in a row that end in numbers that rise, set apart. */
function dropContents(column: PdfColumn, dropped: Set<PdfLine>): void {
  let row: PdfLine[] = [];
  let last = 0;
  const flush = (at: number) => {
    const isContents = row.length >= MIN_CONTENTS_LINES || row.some(({ text }) => hasLeader(text));
    const before = column[at - row.length - 1];
    if (isContents) for (const line of row) dropped.add(line);
    if (isContents && before !== undefined && CONTENTS_HEADING.test(before.text)) dropped.add(before);
    row = [];
    last = 0;
  };
  for (const [at, line] of column.entries()) {
    const number = hasLeader(line.text) ? last : pageNumberOf(line);
    if (number !== undefined && (row.length === 0 || number >= last)) {
      row.push(line);
      last = number;
      continue;
    }
    flush(at);
    if (number !== undefined) {
      row.push(line);
      last = number;
    }
  }
  flush(column.length);
}

/** The number that stands apart at the end of a line with letters; one in Roman figures counts as 0. */
function pageNumberOf({ lastPiece, text }: PdfLine): number | undefined {
  if (lastPiece === undefined || !PAGE.test(lastPiece) || !/\p{L}{2}/u.test(text)) return undefined;
  return /^\d/.test(lastPiece) ? Number(lastPiece) : 0;
}
