// PDFs of running text in columns, written here so that every way in which programs place text can be had: whole lines, word
// by word without spaces, and row by row across the columns. In Helvetica, whose widths are those of Adobe's font metrics.

import { deflateSync } from 'node:zlib';

export type PdfLayout = {
  readonly columns: number;
  readonly gap: number;
  /** How lines are placed: each as a piece, each word as a piece, or the lines of all columns row by row. */
  readonly pieces?: 'lines' | 'words' | 'rows';
  readonly isJustified?: boolean;
  /** Across all columns of the first page. */
  readonly title?: string;
  /** At the foot of each page, before its number. */
  readonly footer?: string;
  readonly size?: number;
  readonly leading?: number;
  /** Columns stand so much lower than the one before, in points. */
  readonly shift?: number;
  /** These letters of the font are private characters, as where a program has not said which letters they draw. */
  readonly privateLetters?: string;
};

/** A table of letters for a font (PDF 1.7, 9.10.3). */
const cmapOf = (letters: string): string =>
  [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Private def /CMapType 2 def',
    '1 begincodespacerange <00> <FF> endcodespacerange',
    ...[...letters].map((letter) => {
      const code = letter.charCodeAt(0).toString(16).padStart(2, '0');
      return `1 beginbfchar <${code}> <E0${code}> endbfchar`;
    }),
    'endcmap CMapName currentdict /CMap defineresource pop end end',
  ].join('\n');

const PAGE = { width: 595, height: 842, margin: 54 };

/** From space to tilde, in thousandths of the size. */
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
  556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
  500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
  556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
  278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

const widthOf = (text: string, size: number): number =>
  [...text].reduce((sum, char) => sum + (WIDTHS[char.charCodeAt(0) - 32] ?? 556), 0) * (size / 1000);

type Line = { readonly words: readonly string[]; readonly isLast: boolean };

function breakLines(paragraph: string, width: number, size: number): Line[] {
  const lines: Line[] = [];
  let words: string[] = [];
  for (const word of paragraph.split(' ')) {
    if (words.length > 0 && widthOf([...words, word].join(' '), size) > width) {
      lines.push({ words, isLast: false });
      words = [];
    }
    words.push(word);
  }
  lines.push({ words, isLast: true });
  return lines;
}

const round = (value: number): string => value.toFixed(2);
const escaped = (text: string): string => text.replace(/[\\()]/g, (char) => `\\${char}`);
const show = (text: string, x: number, y: number, size: number, spacing = 0): string =>
  `BT /F1 ${size} Tf ${round(spacing)} Tw 1 0 0 1 ${round(x)} ${round(y)} Tm (${escaped(text)}) Tj ET\n`;

/** `paragraphs` in printable ASCII. */
export function writePdf(paragraphs: readonly string[], layout: PdfLayout): Uint8Array {
  const { columns, gap, pieces = 'lines', isJustified = true, size = 10, leading = 12, shift = 0 } = layout;
  const width = (PAGE.width - 2 * PAGE.margin - gap * (columns - 1)) / columns;
  const lines = paragraphs.flatMap((paragraph) => breakLines(paragraph, width, size));
  const pages: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const hasTitle = pages.length === 0 && layout.title !== undefined;
    const top = PAGE.height - PAGE.margin - (hasTitle ? 48 : 12);
    const perColumn = Math.floor((top - PAGE.margin - 36) / leading);
    // The last page is balanced, as browsers do.
    const rows = Math.min(perColumn, Math.ceil((lines.length - at) / columns));
    const placed: { row: number; column: number; text: string }[] = [];
    for (let column = 0; column < columns; column++)
      for (let row = 0; row < rows && at < lines.length; row++) {
        const x = PAGE.margin + column * (width + gap);
        const y = top - row * leading - column * shift;
        placed.push({ row, column, text: lineAt(lines[at++]!, x, y) });
      }
    if (pieces === 'rows') placed.sort((a, b) => a.row - b.row || a.column - b.column);
    const number = pages.length + 1;
    pages.push(
      [
        hasTitle ? show(layout.title!, PAGE.margin, PAGE.height - PAGE.margin - 18, 20) : '',
        ...placed.map(({ text }) => text),
        layout.footer === undefined ? '' : show(`${layout.footer} ${number}`, PAGE.width / 2 - 40, 40, 8),
      ].join(''),
    );
  }
  return toFile(pages, layout.privateLetters ?? '');

  function lineAt({ words, isLast }: Line, x: number, y: number): string {
    const text = words.join(' ');
    const free = isJustified && !isLast && words.length > 1 ? width - widthOf(text, size) : 0;
    const spacing = free / Math.max(1, words.length - 1);
    if (pieces !== 'words') return show(text, x, y, size, spacing);
    let from = x;
    return words
      .map((word) => {
        const shown = show(word, from, y, size);
        from += widthOf(`${word} `, size) + spacing;
        return shown;
      })
      .join('');
  }
}

function toFile(pages: readonly string[], privateLetters: string): Uint8Array {
  const objects: (string | Buffer)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${4 + i * 2} 0 R`).join(' ')}] >>`,
    `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 126 /Widths [${WIDTHS.join(' ')}]${privateLetters === '' ? '' : ` /ToUnicode ${4 + pages.length * 2} 0 R`} >>`,
  ];
  for (const [i, page] of pages.entries()) {
    const packed = deflateSync(Buffer.from(page, 'latin1'));
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + i * 2} 0 R >>`,
      Buffer.concat([
        Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
        packed,
        Buffer.from('\nendstream'),
      ]),
    );
  }
  if (privateLetters !== '') {
    const table = cmapOf(privateLetters);
    objects.push(`<< /Length ${table.length} >>\nstream\n${table}\nendstream`);
  }
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  let at = parts[0]!.length;
  const places: number[] = [];
  for (const [i, object] of objects.entries()) {
    const part = Buffer.concat([
      Buffer.from(`${i + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from('\nendobj\n'),
    ]);
    places.push(at);
    at += part.length;
    parts.push(part);
  }
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
}
