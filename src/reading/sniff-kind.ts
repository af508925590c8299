// What a file is, from its bytes. A name or a declared type is the uploader's word and proves nothing: it only
// chooses between kinds of text that look alike.

import { Buffer } from 'node:buffer';
import { decodeText } from './decode-text.ts';
import { invalidSource, unacceptedKind } from './invalid-source.ts';
import { MAX_TEXT_BYTES } from './reading-limits.ts';

export type SourceKind = 'pdf' | 'zip' | 'html' | 'markdown' | 'csv' | 'text';

const OLD_OFFICE = 'This is a file of an old office program; save it as DOCX.';
const RICH_TEXT = 'This is a rich text file; save it as DOCX.';
const PICTURE = 'This is a picture.';
const RECORDING = 'This is a recording.';
const ARCHIVE = 'This is an archive; unpack it first.';
const PROGRAM = 'This is a program or a database.';
const OTHER_BOOK = 'This is a PostScript, DjVu or Kindle file; save it as PDF or EPUB.';

/** Files that people try: bytes (as Latin-1), where they stand, and what to say. */
const FOREIGN: readonly (readonly [at: number, bytes: string, what: string])[] = [
  [0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', OLD_OFFICE],
  [0, '{\\rtf', RICH_TEXT],
  [0, '\x89PNG', PICTURE],
  [0, '\xff\xd8\xff', PICTURE],
  [0, 'GIF89a', PICTURE],
  [0, 'GIF87a', PICTURE],
  [0, 'II*\0', PICTURE],
  [0, 'MM\0*', PICTURE],
  [8, 'WEBP', PICTURE],
  [4, 'ftypheic', PICTURE],
  [4, 'ftypavif', PICTURE],
  [0, 'ID3\x03', RECORDING],
  [0, 'ID3\x04', RECORDING],
  [0, '\xff\xfb', RECORDING],
  [0, 'OggS\0', RECORDING],
  [0, 'fLaC\0', RECORDING],
  [8, 'WAVEfmt ', RECORDING],
  [8, 'AVI LIST', RECORDING],
  [4, 'ftyp', RECORDING],
  [0, '\x1aE\xdf\xa3', RECORDING],
  [0, '\x1f\x8b', ARCHIVE],
  [0, '7z\xbc\xaf', ARCHIVE],
  [0, 'Rar!\x1a', ARCHIVE],
  [0, 'BZh91AY', ARCHIVE],
  [0, '\xfd7zXZ', ARCHIVE],
  [0, '\x28\xb5\x2f\xfd', ARCHIVE],
  [257, 'ustar', ARCHIVE],
  [0, 'PK\x05\x06', 'This is an empty archive.'],
  [0, '\x7fELF', PROGRAM],
  [0, 'MZ\x90\0', PROGRAM],
  [0, '\xca\xfe\xba\xbe', PROGRAM],
  [0, 'SQLite format 3\0', PROGRAM],
  [0, '%!PS-', OTHER_BOOK],
  [0, 'AT&TFORM', OTHER_BOOK],
  [60, 'BOOKMOBI', OTHER_BOOK],
];

/** Times beside each line would be spoken: "00:00:01,000 --> 00:00:04,000". */
const SUBTITLES = /^\s*(?:WEBVTT\b|\d{1,6}\s*\n)[^\0]{0,1000}?\d{1,2}:\d{2}[.,]\d{3}\s*-->/;
const HTML = /<(?:!doctype\s+html|html|head|body)\b/iy;
const XML = /^\s*<(?:\?xml|!doctype|!entity|svg|rss|feed)\b/i;

/** Throws `invalid_source` for what is no kind that is read. */
export function sniffKind(bytes: Uint8Array, name: string | undefined): SourceKind {
  if (bytes.length === 0) throw invalidSource('The file is empty; choose one that has text in it.');
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  // Acrobat finds the mark anywhere in the first kilobyte, and files rely on it.
  if (/^(?:[^\n]{0,200}\n){0,5}[^\n]{0,80}%PDF-\d/.test(head)) return 'pdf';
  if (head.startsWith('PK\x03\x04')) return 'zip';
  for (const [at, mark, what] of FOREIGN) if (head.startsWith(mark, at)) throw unacceptedKind(what);

  const text = decodeText(bytes.subarray(0, 4096));
  if (isBinary(text)) throw unacceptedKind('This is no document that can be read.');
  if (isHtml(text)) return 'html';
  if (SUBTITLES.test(text)) throw unacceptedKind('These are subtitles; save their text without the times.');
  if (XML.test(text)) throw unacceptedKind('This is a file of data, not a text.');
  if (isJson(bytes, text)) throw unacceptedKind('This is a file of data, not a text.');
  return byName(name) ?? 'text';
}

/**
 * Whether it begins as a page, behind blanks, comments and XML declarations. Each is passed once, from its beginning to its
 * end.
 */
function isHtml(text: string): boolean {
  let at = 0;
  for (;;) {
    while (/\s/.test(text[at] ?? '')) at++;
    const end = text.startsWith('<!--', at)
      ? '-->'
      : text.slice(at, at + 5).toLowerCase() === '<?xml'
        ? '>'
        : undefined;
    if (end === undefined) break;
    const found = text.indexOf(end, at + (end === '>' ? 5 : 4));
    if (found === -1) return false;
    at = found + end.length;
  }
  HTML.lastIndex = at;
  return HTML.test(text);
}

/** Control characters that no text has, zeros among them; UTF-16 has been decoded before. */
function isBinary(text: string): boolean {
  let odd = 0;
  for (const char of text) if (/[^\P{Cc}\s]/u.test(char)) odd++;
  return odd > text.length / 200;
}

/** How JSON begins; a text may begin so, too. */
export const mayBeJson = (text: string): boolean => /^\s*(\{\s*"|\{\s*\}|\[\s*[[{"\d\]])/.test(text);

function isJson(bytes: Uint8Array, text: string): boolean {
  if (!mayBeJson(text)) return false;
  // Too long for a text in any case, which says so sooner than a parser would.
  if (bytes.length > MAX_TEXT_BYTES) return false;
  try {
    JSON.parse(decodeText(bytes));
    return true;
  } catch {
    // As far as its beginning goes, it is: many lines that are JSON, each by itself.
    return /^\{"[^\n]*\}\r?\n\{"/.test(text);
  }
}

function byName(name: string | undefined): SourceKind | undefined {
  const [, ending] = /\.([a-z]{2,9})$/i.exec(name ?? '') ?? [];
  return BY_ENDING.get(ending?.toLowerCase() ?? '');
}

const BY_ENDING = new Map<string, SourceKind>([
  ['md', 'markdown'],
  ['markdown', 'markdown'],
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['htm', 'html'],
  ['html', 'html'],
  ['xhtml', 'html'],
]);
