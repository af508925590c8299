// A PDF: after the gate, page by page under a deadline each, then without headers, notes and page numbers, in columns,
// as paragraphs.

import type { DocumentFacts } from '../document-facts.ts';
import { invalidSource } from '../invalid-source.ts';
import { MAX_PDF_PAGES } from '../reading-limits.ts';
import type { Step } from '../reading-messages.ts';
import type { SourceBlocks } from '../source-blocks.ts';
import { addPdfBlocks } from './pdf-blocks.ts';
import { joinPieces, type PdfColumn, toColumns } from './pdf-columns.ts';
import { withoutFurniture } from './pdf-furniture.ts';
import { passPdf } from './pdf-gate.ts';
import { findGutters, type Gutter } from './pdf-gutters.ts';
import { openPdf, type PdfDocument, type PdfPage, type PdfTextItem } from './pdf-library.ts';
import { toLines, toRuns } from './pdf-line.ts';
import { FixedPitchFonts } from './pdf-listings.ts';

/** A page of a telephone book has about 10,000 pieces of text. */
const MAX_PAGE_ITEMS = 60_000;
/** Of opening, and of one page, which takes about 10 ms: drawings that call each other can take for ever. */
const STEP_DEADLINE_MS = 1_200;

/** Those of the last pages tell what a short one has. */
const MAX_KNOWN_GUTTERS = 8;
/** Private characters, replacement characters and controls: letters that are only drawn. */
const UNKNOWN = /[\p{Co}\ufffd]|[^\P{Cc}\s]/gu;
const MAX_UNKNOWN_SHARE = 0.2;

const damaged = () => invalidSource('The PDF is damaged or incomplete; print it to a new PDF and try again.');
const tooHeavy = () =>
  invalidSource('A page of the PDF holds more than can be read; print it to a new PDF and try again.');
const unknownLetters = () =>
  invalidSource(
    'The fonts of the PDF do not say which letters they draw; let a program recognise the text (OCR) first.',
  );
const noRunningText = () =>
  invalidSource('The PDF holds no running text, only page numbers, contents, notes or listings of code.');

/**
 * `bytes` are used up; `step` is told of each page. Throws `invalid_source` for a file that is damaged, protected or beyond the
 * bounds.
 */
export async function readPdf(bytes: Uint8Array, blocks: SourceBlocks, step: Step): Promise<DocumentFacts> {
  passPdf(bytes);
  step('page', STEP_DEADLINE_MS);
  const pdf = await open(bytes);
  if (pdf.numPages > MAX_PDF_PAGES)
    throw invalidSource(`The PDF has more than ${MAX_PDF_PAGES} pages; split it.`);
  const pages: PdfColumn[][] = [];
  const seen: Seen = { fonts: new FixedPitchFonts(), gutters: [], chars: 0, unknownChars: 0 };
  for (let number = 1; number <= pdf.numPages; number++) {
    step('page', STEP_DEADLINE_MS);
    pages.push(await columnsOf(pdf, number, seen));
  }
  step('rest', undefined);
  if (seen.unknownChars > seen.chars * MAX_UNKNOWN_SHARE) throw unknownLetters();
  addPdfBlocks(
    withoutFurniture(pages).map((columns) => columns.map(joinPieces)),
    blocks,
  );
  if (blocks.list.length === 0 && seen.chars > 0) throw noRunningText();
  const { info } = await pdf.getMetadata();
  const text = (value: unknown) =>
    typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  const title = text(info.Title);
  // Programs put the name of their own file there.
  return {
    title: /\.\w{2,5}$|^(?:untitled|microsoft word)/i.test(title ?? '') ? undefined : title,
    language: text(info.Language),
  };
}

async function open(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    return await openPdf(bytes);
  } catch (cause) {
    throw Object.assign(damaged(), { cause });
  }
}

/** What the pages so far have told. */
type Seen = {
  readonly fonts: FixedPitchFonts;
  gutters: readonly Gutter[];
  chars: number;
  /** Of a font that does not say which characters it draws. */
  unknownChars: number;
};

async function columnsOf(pdf: PdfDocument, number: number, seen: Seen): Promise<PdfColumn[]> {
  let page: PdfPage;
  try {
    page = await pdf.getPage(number);
  } catch {
    throw damaged();
  }
  const items: PdfTextItem[] = [];
  for await (const chunk of page.streamTextContent({ includeMarkedContent: false })) {
    items.push(...chunk.items);
    if (items.length > MAX_PAGE_ITEMS) throw tooHeavy();
  }
  page.cleanup();
  const runs = toRuns(items);
  for (const { text } of runs) {
    seen.chars += text.length;
    seen.unknownChars += text.match(UNKNOWN)?.length ?? 0;
  }
  seen.fonts.note(runs);
  const gutters = findGutters(runs, seen.gutters);
  seen.gutters = [...gutters, ...seen.gutters].slice(0, MAX_KNOWN_GUTTERS);
  return toColumns(runs, gutters).map((column) => toLines(column, (font) => seen.fonts.has(font)));
}
