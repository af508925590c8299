// A PDF: after the gate, page by page under a deadline each, then without headers, notes and page numbers, in columns,
// as paragraphs.

import type { DocumentFacts } from '../document-facts.ts';
import { invalidSource } from '../invalid-source.ts';
import { MAX_PDF_PAGES } from '../reading-limits.ts';
import type { Step } from '../reading-messages.ts';
import type { SourceBlocks } from '../source-blocks.ts';
import { addPdfBlocks } from './pdf-blocks.ts';
import { toColumns } from './pdf-columns.ts';
import { withoutFurniture } from './pdf-furniture.ts';
import { passPdf } from './pdf-gate.ts';
import { openPdf, type PdfDocument, type PdfPage, type PdfTextItem } from './pdf-library.ts';
import { type PdfLine, toLines, toRuns } from './pdf-line.ts';

/** A page of a telephone book has about 10,000 pieces of text. */
const MAX_PAGE_ITEMS = 60_000;
/** Of opening, and of one page, which takes about 10 ms: drawings that call each other can take for ever. */
const STEP_DEADLINE_MS = 1_200;

const damaged = () => invalidSource('The PDF is damaged or incomplete; print it to a new PDF and try again.');
const tooHeavy = () =>
  invalidSource('A page of the PDF holds more than can be read; print it to a new PDF and try again.');

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
  const pages: PdfLine[][] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    step('page', STEP_DEADLINE_MS);
    pages.push(await linesOf(pdf, number));
  }
  step('rest', undefined);
  addPdfBlocks(
    withoutFurniture(pages).map((lines) => (lines.length === 0 ? [] : toColumns(lines))),
    blocks,
  );
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

async function linesOf(pdf: PdfDocument, number: number): Promise<PdfLine[]> {
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
  const lines = toLines(toRuns(items));
  page.cleanup();
  return lines;
}
