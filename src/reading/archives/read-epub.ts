// An e-book: container.xml names the package, the package's spine the order of reading (EPUB 3.3, sections 4.2.6.3
// and 5.7). Documents are read one by one; what the spine keeps out of the line of reading is left out.

import { AppError } from '../../base/app-error.ts';
import type { DocumentFacts } from '../document-facts.ts';
import { invalidSource } from '../invalid-source.ts';
import { addMarkup } from '../markup/markup-blocks.ts';
import { DOMParser, type MarkupDocument, type MarkupElement, parseHTML } from '../markup/markup-library.ts';
import { removeNotes } from '../markup/markup-notes.ts';
import { markupRoom, trimMarkup } from '../markup/trim-markup.ts';
import { MAX_MARKUP_BYTES } from '../reading-limits.ts';
import type { SourceBlocks } from '../source-blocks.ts';
import { xmlPart } from './xml-part.ts';
import type { ZipArchive } from './zip-archive.ts';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
const MAX_PACKAGE_BYTES = 2 * 1024 * 1024;
const XHTML = /^(?:application\/xhtml\+xml|text\/html|text\/x-oeb1-document)$/;

const damaged = () =>
  invalidSource('The e-book is damaged: its list of chapters is missing or names no chapter.');

export const isEpub = ({ names }: ZipArchive): boolean => names.includes(CONTAINER);

/** Throws `invalid_source` for a book that is damaged, protected or beyond the bounds. */
export function readEpub(archive: ZipArchive, blocks: SourceBlocks): DocumentFacts {
  const read = (name: string, mostBytes: number) => {
    const bytes = archive.read(name, mostBytes);
    return bytes === undefined ? undefined : { size: bytes.length, text: xmlPart(bytes, 'allowed') };
  };
  const xml = (name: string): MarkupDocument => {
    const part = read(name, MAX_PACKAGE_BYTES);
    if (part === undefined) throw damaged();
    return new DOMParser().parseFromString(trimMarkup(part.text, 'xml'), 'text/xml');
  };
  const path = byName(xml(CONTAINER), 'rootfile')[0]?.getAttribute('full-path');
  if (!path) throw damaged();
  const book = xml(path);
  const chapters = chaptersOf(book, path);
  const locked = new Set(quotedIn(read(ENCRYPTION, MAX_PACKAGE_BYTES)?.text ?? ''));
  if (chapters.some((chapter) => locked.has(encodeURI(chapter))))
    throw invalidSource('The e-book is protected against copying; upload one without protection.');

  const notes = new Set<string>();
  let room = MAX_MARKUP_BYTES;
  /** For all chapters together: what each one has for itself would be endless in a thousand. */
  const marks = markupRoom();
  for (const [index, chapter] of chapters.entries()) {
    const text = inChapter(index + 1, chapters.length, () => {
      const part = read(chapter, room);
      room -= part?.size ?? 0;
      return part === undefined ? undefined : trimMarkup(part.text, 'xml', marks);
    });
    if (text === undefined) continue;
    const { document } = parseHTML(bodyOf(text));
    removeNotes(document, chapter.slice(chapter.lastIndexOf('/') + 1), notes);
    addMarkup(document.body, blocks);
  }
  const textOf = (name: string) => byName(book, name)[0]?.textContent.trim() || undefined;
  return { title: textOf('dc:title'), language: textOf('dc:language') };
}

/** What `read` returns; what it refuses is told with the number of the chapter, counted in the order of reading. */
function inChapter<T>(number: number, count: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw invalidSource(`Chapter ${number} of ${count} of the e-book cannot be read: ${error.message}`);
  }
}

/** What stands between quotation marks, from each to the next: values of attributes among them. */
const quotedIn = (xml: string): string[] => xml.split('"').slice(1, -1);

/** The body alone: an XHTML head may hold what an HTML parser takes for the beginning of the text. */
const bodyOf = (xhtml: string): string => {
  const [, attributes = '', body = ''] = /<body\b([^>]*)>([\s\S]*)/i.exec(xhtml) ?? ['', '', xhtml];
  return `<!doctype html><html><body><div${attributes}>${body.replace(/<\/body>[\s\S]*$/i, '')}</div></body></html>`;
};

/** Paths in the archive, in the order of reading. */
function chaptersOf(book: MarkupDocument, packagePath: string): string[] {
  const items = new Map(byName(book, 'item').map((item) => [item.getAttribute('id'), item]));
  const chapters = byName(book, 'itemref')
    .filter((reference) => reference.getAttribute('linear') !== 'no')
    .map((reference) => items.get(reference.getAttribute('idref')))
    .filter((item) => item !== undefined)
    .filter((item) => XHTML.test(item.getAttribute('media-type') ?? ''))
    .filter((item) => !/\bnav\b/.test(item.getAttribute('properties') ?? ''))
    .map((item) => pathFrom(packagePath, item.getAttribute('href') ?? ''));
  if (chapters.length === 0) throw damaged();
  return [...new Set(chapters)];
}

/** An address inside the archive, relative to the package; one that leads out of it names no member. */
function pathFrom(packagePath: string, href: string): string {
  try {
    const { protocol, pathname } = new URL(href, `epub:/${packagePath}`);
    return protocol === 'epub:' ? decodeURIComponent(pathname.slice(1)) : '';
  } catch {
    return '';
  }
}

/** Elements of this name, with or without the prefix that a package may choose for its own. */
function byName(document: MarkupDocument, name: string): MarkupElement[] {
  return [...document.querySelectorAll('*')].filter(
    ({ localName }) =>
      localName === name || localName === name.replace(/^dc:/, '') || localName.endsWith(`:${name}`),
  );
}
