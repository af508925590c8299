// Files made to hurt: each small or cheap to send, and endless, enormous or twisted for its reader. Built here
// byte by byte, because libraries refuse to write most of them.

import { Buffer } from 'node:buffer';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

type Part = {
  readonly name: string;
  readonly content: Uint8Array;
  /** What the directory says, if not the truth. */
  readonly claimedBytes?: number;
  readonly stored?: true;
};

const MB = 1024 * 1024;
const text = (value: string) => Buffer.from(value);

/** A ZIP archive of these parts; `end` changes its last record. */
export function zip(parts: readonly Part[], end?: (record: Buffer) => void): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, claimedBytes = content.length, stored } of parts) {
    const packed = stored ? Buffer.from(content) : deflateRawSync(content, { level: 9 });
    const label = text(name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(stored ? 0 : 8, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(claimedBytes, 22);
    local.writeUInt16LE(label.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(stored ? 0 : 8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(claimedBytes, 24);
    entry.writeUInt16LE(label.length, 28);
    entry.writeUInt32LE(at, 42);
    locals.push(local, label, packed);
    directory.push(entry, label);
    at += local.length + label.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(parts.length & 0xffff, 8);
  record.writeUInt16LE(parts.length & 0xffff, 10);
  record.writeUInt32LE(listed.length, 12);
  record.writeUInt32LE(at, 16);
  end?.(record);
  return Buffer.concat([...locals, listed, record]);
}

const TYPES =
  '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ' +
  'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ' +
  'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
const RELATIONS =
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" ' +
  'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>' +
  '</Relationships>';

/** A Word document whose main part is `document`, with further parts. */
export const docx = (document: string | Uint8Array, more: readonly Part[] = []): Buffer =>
  zip([
    { name: '[Content_Types].xml', content: text(TYPES) },
    { name: '_rels/.rels', content: text(RELATIONS) },
    { name: 'word/document.xml', content: typeof document === 'string' ? text(document) : document },
    ...more,
  ]);

export const wordXml = (body: string, before = ''): string =>
  `<?xml version="1.0"?>${before}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">` +
  `<w:body>${body}</w:body></w:document>`;

/** An e-book of these chapters, its package as given or made. */
export const epub = (
  chapters: readonly (string | Uint8Array)[],
  packageXml?: string,
  more: readonly Part[] = [],
): Buffer =>
  zip([
    { name: 'mimetype', content: text('application/epub+zip'), stored: true },
    {
      name: 'META-INF/container.xml',
      content: text(
        '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>' +
          '<rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
      ),
    },
    {
      name: 'book/package.opf',
      content: text(
        packageXml ??
          '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>' +
            '<dc:title>A book</dc:title><dc:language>en</dc:language></metadata><manifest>' +
            chapters
              .map((_, i) => `<item id="c${i}" href="c${i}.xhtml" media-type="application/xhtml+xml"/>`)
              .join('') +
            `</manifest><spine>${chapters.map((_, i) => `<itemref idref="c${i}"/>`).join('')}</spine></package>`,
      ),
    },
    ...chapters.map((chapter, i) => ({
      name: `book/c${i}.xhtml`,
      content: typeof chapter === 'string' ? text(chapter) : chapter,
    })),
    ...more,
  ]);

/** A PDF of these objects, numbered from 1; the first is the catalog. Its table is left for the reader to rebuild. */
const pdf = (objects: readonly (string | Uint8Array)[], trailer = ''): Buffer =>
  Buffer.concat([
    text('%PDF-1.7\n'),
    ...objects.flatMap((object, i) => [text(`${i + 1} 0 obj\n`), Buffer.from(object), text('\nendobj\n')]),
    text(`trailer\n<< /Root 1 0 R /Size ${objects.length + 1} ${trailer} >>\n%%EOF\n`),
  ]);

export const stream = (content: Uint8Array, dictionary: string): Buffer =>
  Buffer.concat([
    text(`<< /Length ${content.length} ${dictionary} >>\nstream\n`),
    content,
    text('\nendstream'),
  ]);

/** A page whose content is the fourth object. */
export const pdfPage = (content: Uint8Array, ...more: readonly (string | Uint8Array)[]): Buffer =>
  pdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >>',
    content,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...more,
  ]);

const spaces = (bytes: number) => Buffer.alloc(bytes, 0x20);
const FORMS = 12;

/** By name: what is uploaded. */
export const HOSTILE: Readonly<Record<string, () => Uint8Array>> = {
  'a DOCX whose text unpacks a thousandfold': () => docx(Buffer.concat([text(wordXml('')), spaces(60 * MB)])),
  'a DOCX of 3,000 parts': () =>
    docx(
      wordXml(''),
      Array.from({ length: 3_000 }, (_, i) => ({ name: `word/p${i}.xml`, content: text('<a/>') })),
    ),
  'a DOCX of 300 MB in members below the ratio': () => {
    const half = Buffer.alloc(1 * MB - 1, 0x20);
    return docx(
      wordXml(''),
      Array.from({ length: 300 }, (_, i) => ({ name: `word/media/${i}.bin`, content: half })),
    );
  },
  'a DOCX with a member that lies about its size': () =>
    zip([
      { name: '[Content_Types].xml', content: text(TYPES) },
      { name: 'word/document.xml', content: spaces(20 * MB), claimedBytes: 900_000 },
    ]),
  'a DOCX that declares entities by the billion': () =>
    docx(
      wordXml(
        '<w:p><w:r><w:t>&f;</w:t></w:r></w:p>',
        `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${'bcdef'.replace(/./g, (name) => `<!ENTITY ${name} "${`&${String.fromCharCode(name.charCodeAt(0) - 1)};`.repeat(10)}">`)}]>`,
      ),
    ),
  'a DOCX of 100,000 nested tables': () => docx(wordXml('<w:tbl><w:tr><w:tc>'.repeat(100_000))),
  'a DOCX of a million empty runs': () => docx(wordXml(`<w:p>${'<w:r/>'.repeat(1_000_000)}</w:p>`)),
  'a DOCX of 700,000 runs that hardly shrink': () =>
    docx(
      wordXml(
        `<w:p>${Array.from({ length: 700_000 }, (_, i) => `<w:r a="${Math.imul(i, 2654435761)}"/>`).join('')}</w:p>`,
      ),
    ),
  'an archive in an archive': () =>
    zip([{ name: 'inner.zip', content: zip([{ name: 'inner.zip', content: zip([]) }]) }]),
  'an EPUB whose chapter is an archive': () => epub([zip([{ name: 'a', content: spaces(MB) }])]),
  'an EPUB whose spine names its own package': () =>
    epub(
      ['<p>one</p>'],
      '<package><manifest><item id="a" href="package.opf" media-type="application/xhtml+xml"/></manifest><spine>' +
        '<itemref idref="a"/>'.repeat(5_000) +
        '</spine></package>',
    ),
  'an EPUB with external entities': () =>
    epub([
      '<!DOCTYPE html [<!ENTITY file SYSTEM "file:///etc/passwd">]><html><body><p>&file;</p></body></html>',
    ]),
  'an EPUB of 30 chapters of spaces': () => epub(Array.from({ length: 30 }, () => spaces(MB - 1))),
  'members that share their bytes': () => {
    const whole = zip([
      { name: 'a', content: spaces(1000) },
      { name: 'b', content: spaces(1000) },
    ]);
    const second = whole.lastIndexOf('PK\x01\x02');
    whole.writeUInt32LE(0, second + 42);
    return whole;
  },
  'an archive that claims to be ZIP64': () =>
    zip([{ name: 'a', content: text('a') }], (end) => end.writeUInt32LE(0xffffffff, 16)),
  'an archive cut short': () => docx(wordXml('<w:p/>')).subarray(0, 400),
  'a GZIP of a gigabyte': () => gzipSync(Buffer.alloc(64 * MB)),
  'a PDF with a stream that unpacks a thousandfold': () =>
    pdfPage(stream(deflateSync(Buffer.alloc(64 * MB, 0x20)), '/Filter /FlateDecode')),
  'a PDF with a stream packed twice': () =>
    pdfPage(
      stream(deflateSync(deflateSync(Buffer.alloc(64 * MB, 0x20))), '/Filter [/FlateDecode /FlateDecode]'),
    ),
  'a PDF whose filter hides behind escapes': () =>
    pdfPage(stream(deflateSync(Buffer.alloc(64 * MB, 0x20)), '/Filter /F#6cateDecode')),
  'a PDF with a picture for its text': () =>
    pdfPage(stream(deflateSync(Buffer.alloc(64 * MB, 0x20)), '/Subtype /Image /Filter /FlateDecode')),
  'a PDF whose pages hold each other': () =>
    pdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000000 >>']),
  'a PDF whose pages hold each other in a ring': () =>
    pdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 3 >>',
      '<< /Type /Pages /Kids [2 0 R] /Count 3 /Parent 2 0 R >>',
    ]),
  'a PDF of 5,000 pages': () =>
    pdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids [${'3 0 R '.repeat(5_000)}] /Count 5000 >>`,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
    ]),
  'a PDF whose drawings call each other': () =>
    pdfPage(
      stream(text('/X Do'), ''),
      ...Array.from({ length: FORMS }, (_, i) =>
        stream(
          text(i === FORMS - 1 ? 'BT /F 9 Tf (x) Tj ET' : '/X Do '.repeat(10)),
          `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${i + 7} 0 R >> /Font << /F 5 0 R >> >>`,
        ),
      ),
    ),
  'a PDF with millions of letters on one page': () =>
    pdfPage(
      stream(
        deflateSync(text(`BT /F 9 Tf ${'1 0 0 1 5 5 Tm (ab) Tj '.repeat(150_000)} ET`)),
        '/Filter /FlateDecode',
      ),
    ),
  'a PDF of nested arrays': () => pdf([`<< /Type /Catalog /Pages ${'['.repeat(500_000)} >>`]),
  'a PDF cut short': () => text('%PDF-1.7\n1 0 obj\n<< /Type /Cat'),
  'an encrypted PDF': () =>
    pdf(['<< /Type /Catalog /Pages 2 0 R >>'], '/Encrypt << /Filter /Standard /V 1 >>'),
  'HTML of 300,000 nested elements': () => text(`<!doctype html><body>${'<div>'.repeat(300_000)}deep`),
  'HTML of 300,000 paragraphs': () => text(`<!doctype html><body>${'<p>text'.repeat(300_000)}`),
  'HTML of one element with a million attributes': () =>
    text(`<!doctype html><body><p ${'a=b '.repeat(1_000_000)}>`),
  'HTML of millions of brackets': () => text(`<!doctype html>${'<'.repeat(4_000_000)}`),
  'HTML of a comment that never ends': () => text(`<!doctype html>${'<!-- <a '.repeat(900_000)}`),
  'HTML of scripts that never end': () => text(`<!doctype html>${'<script>'.repeat(900_000)}`),
  'HTML of quotes that never end': () => text(`<!doctype html>${'<a href="'.repeat(400_000)}`),
  'Markdown of nested quotes': () => text(`${'>'.repeat(200_000)} deep`),
  'Markdown of open brackets': () => text('['.repeat(200_000)),
  'Markdown of stars': () => text('*a '.repeat(100_000)),
  'Markdown of backticks': () => text('`` ` '.repeat(60_000)),
  'Markdown of emphasis in emphasis that never ends': () => text('*_a '.repeat(25_000)),
  'Markdown of emphasis in links that never end': () => text('[*a '.repeat(25_000)),
  'Markdown of many short paragraphs': () => text('a\n\n'.repeat(1_300_000)),
  'Markdown of many short items': () => text('- a\n'.repeat(1_000_000)),
  'Markdown of as many items as may be': () => text('- a\n'.repeat(39_000)),
  'Markdown of as many marks as may be': () => text(`${'*_a '.repeat(1_500)}\n\n${'[a](b) '.repeat(18_000)}`),
  'Markdown of nested lists': () =>
    text(Array.from({ length: 2_000 }, (_, i) => `${'  '.repeat(i)}- x`).join('\n')),
  'Markdown of a wide table': () =>
    text(`${'|a'.repeat(100)}|\n${'|-'.repeat(100)}|\n${`${'|a'.repeat(100)}|\n`.repeat(30_000)}`),
  'Markdown of one wide row': () => text(`${'|a'.repeat(1_000_000)}|\n${'|-'.repeat(1_000_000)}|\n`),
  'Markdown of escapes': () => text('\\! '.repeat(1_000_000)),
  'Markdown of addresses': () => text('www.a.b '.repeat(500_000)),
  'Markdown of signs that stand for others': () => text('&amp; '.repeat(1_000_000)),
  'Markdown of headings': () => text('# a\n'.repeat(39_000)),
  'Markdown of breaks': () => text('a  \n'.repeat(39_000)),
  'HTML of 119,000 paragraphs': () => text(`<!doctype html><body>${'<p>text'.repeat(119_000)}`),
  'HTML of a million quotation marks': () => text(`<!doctype html><body>${'&quot;a&quot; '.repeat(500_000)}`),
  'Markdown of a million marks of notes': () => text('a[^b] '.repeat(1_000_000)),
  'HTML of signs that stand for others': () => text(`<!doctype html><body>${'&amp; '.repeat(99_000)}`),
  'a text of a million paragraphs of a letter': () => text('a\n\n'.repeat(1_000_000)),
  'a text of two million lines': () => text('a\n'.repeat(2_000_000)),
  'a table of 500,000 rows': () => text('a,b\n'.repeat(500_000)),
  'a table of 900,000 cells': () => text(`${'a,'.repeat(100)}\n`.repeat(9_000)),
  'an EPUB of 60 chapters of empty elements': () =>
    epub(Array.from({ length: 60 }, () => `<html><body>${'<b></b>'.repeat(30_000)}</body></html>`)),
  'a line of seven million letters': () => Buffer.alloc(7 * MB, 0x61),
  'a line of 49 MB': () => Buffer.alloc(49 * MB, 0x61),
  'a line of 100 MB': () => Buffer.alloc(100 * MB, 0x61),
  'a table whose quotation never ends': () => text(`a,b\n"${'x,'.repeat(2_000_000)}`),
  'a table of a million columns': () => text(','.repeat(1_000_000)),
  noise: () => Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 2654435761) >>> 24)),
  'a picture called a document': () =>
    Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), spaces(1000)]),
  'an empty file': () => Buffer.alloc(0),
};
