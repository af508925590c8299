// Bytes of a file to a document: what kind it is, its reader, and its language. Runs in a thread of its own, because a
// library may fail, loop or fill its memory over a file that was made to do that.

import type { SourceBlock, SourceDocument } from '../script/source-document.ts';
import { openZip, type ZipArchive } from './archives/zip-archive.ts';
import { cleanText } from './clean-text.ts';
import { charsetOf, declaredCharset, decodeDocument } from './decode-text.ts';
import type { DocumentFacts } from './document-facts.ts';
import { invalidSource, unacceptedKind } from './invalid-source.ts';
import { GATE_DEADLINE_MS, MAX_HTML_BYTES, MAX_TEXT_BYTES } from './reading-limits.ts';
import type { Step } from './reading-messages.ts';
import { type SourceKind, sniffKind } from './sniff-kind.ts';
import { createSourceBlocks, type SourceBlocks } from './source-blocks.ts';
import { normalized } from './stream-safe.ts';

/** What a file says its title is may be a book. */
const MAX_TITLE_CHARS = 1_000;

export type SourceHints = { readonly name: string | undefined; readonly contentType: string | undefined };

/**
 * Libraries are loaded when a file needs them: a text needs none. Throws `invalid_source`; anything else that is
 * thrown means that the file broke a library. What is not enough by `isEnough` is `invalid_source`, too.
 */
export async function readSource(
  bytes: Uint8Array,
  hints: SourceHints,
  mostChars: number,
  step: Step,
  isEnough: (blocks: readonly SourceBlock[]) => boolean = () => true,
): Promise<SourceDocument> {
  step('gate', GATE_DEADLINE_MS);
  const kind = sniffKind(bytes, hints.name);
  const blocks = createSourceBlocks(mostChars);
  const facts = await readKind(kind, bytes, hints, blocks, mostChars, step);
  if (blocks.list.length === 0)
    throw invalidSource(
      kind === 'pdf'
        ? 'The PDF has no text, only pictures of it; let a program recognise the text (OCR) first.'
        : 'The file holds no text; choose one that has some.',
    );
  // Before the language, whose data take 85 MB and a third of a second to load.
  if (!isEnough(blocks.list))
    throw invalidSource(
      'The source has too little running text for a script; at least three whole sentences are needed.',
    );
  const [first] = blocks.list;
  const title =
    cleanText((facts.title ?? '').slice(0, MAX_TITLE_CHARS)) ||
    (first?.kind === 'heading' ? first.text : undefined);
  const { detectLanguage } = await import('./detect-language.ts');
  return { title, language: await detectLanguage(blocks.list, facts.language), blocks: blocks.list };
}

async function readKind(
  kind: SourceKind,
  bytes: Uint8Array,
  { contentType, name }: SourceHints,
  blocks: SourceBlocks,
  mostChars: number,
  step: Step,
): Promise<DocumentFacts> {
  if (kind === 'pdf') return (await import('./pdf/read-pdf.ts')).readPdf(bytes, blocks, step);
  if (kind === 'zip') {
    const archive = openZip(bytes);
    step('rest', undefined);
    return readArchive(archive, blocks);
  }
  if (bytes.length > (kind === 'html' ? MAX_HTML_BYTES : MAX_TEXT_BYTES))
    throw invalidSource('The text is longer than 8 MB; split it into several sources.');
  const text = normalized(decodeDocument(bytes, charsetOf(contentType) ?? declaredCharset(bytes)));
  step('rest', undefined);
  if (kind === 'html') return (await import('./markup/read-html.ts')).readHtml(text, blocks, mostChars);
  if (kind === 'markdown') return (await import('./markup/read-markdown.ts')).readMarkdown(text, blocks);
  if (kind === 'csv') return (await import('./read-csv.ts')).readCsv(text, name, blocks);
  return (await import('./plain/read-text.ts')).readText(text, blocks);
}

/** Office files and e-books are archives; what they hold tells them apart. */
async function readArchive(archive: ZipArchive, blocks: SourceBlocks): Promise<DocumentFacts> {
  const { isDocx, readDocx } = await import('./archives/read-docx.ts');
  if (isDocx(archive)) return readDocx(archive, blocks);
  const { isEpub, readEpub } = await import('./archives/read-epub.ts');
  if (isEpub(archive)) return readEpub(archive, blocks);
  if (archive.names.some((name) => name.startsWith('xl/')))
    throw unacceptedKind('This is a workbook; save its table as CSV.');
  if (archive.names.some((name) => name.startsWith('ppt/')))
    throw unacceptedKind('These are slides; save them as PDF.');
  if (archive.names.includes('content.xml'))
    throw unacceptedKind('This is an OpenDocument file; save it as DOCX.');
  throw unacceptedKind('This is an archive; unpack it first.');
}
