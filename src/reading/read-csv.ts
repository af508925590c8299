// Tables of values separated by commas, semicolons, tabs or bars (RFC 4180, and what spreadsheets make of it): each
// row with the names of its columns, so that it can be said.

import { parse } from 'csv-parse/sync';
import type { DocumentFacts } from './document-facts.ts';
import { invalidSource } from './invalid-source.ts';
import type { SourceBlocks } from './source-blocks.ts';

const SEPARATORS = [',', ';', '\t', '|'];
const MAX_ROW_CHARS = 200_000;
const MAX_COLUMNS = 500;
/** Far more than a person listens to; the library makes a record of each before its cells are counted. */
const MAX_ROWS = 40_000;
/** Numbers, amounts and dates; a name of a column is none. */
const FIGURE = /^[\s\d.,:/%+€$£¥()'-]*\d[\s\d.,:/%+€$£¥()'-]*$/;

/** In the text itself, which may have some of them in its cells. */
const MAX_SEPARATORS = 200_000;

const tooWide = () =>
  invalidSource(
    'The table has more cells than can be read; keep the rows and columns that are to be spoken.',
  );

/** Counts no further than one more than `MAX_SEPARATORS`. */
function separatorsIn(text: string): number {
  const separator = separatorOf(text);
  let found = 0;
  for (
    let at = text.indexOf(separator);
    at !== -1 && found <= MAX_SEPARATORS;
    at = text.indexOf(separator, at + 1)
  )
    found += 1;
  return found;
}

/** `name`: what the file is called, which says what the table is about. Throws `invalid_source` for what is no table. */
export function readCsv(text: string, name: string | undefined, blocks: SourceBlocks): DocumentFacts {
  if (separatorsIn(text) > MAX_SEPARATORS) throw tooWide();
  const parsed = parseRows(text);
  if (parsed.length > MAX_ROWS) throw tooWide();
  const rows = parsed.filter((row) => row.some((cell) => cell.trim() !== ''));
  const [first = []] = rows;
  if (rows.some((row) => row.length > MAX_COLUMNS))
    throw invalidSource(`The table has more than ${MAX_COLUMNS} columns; keep those that are to be spoken.`);
  const hasHead = rows.length > 1 && isHead(first);
  const names = hasHead ? first.map((name) => name.replaceAll('_', ' ')) : [];
  for (const row of rows.slice(hasHead ? 1 : 0))
    blocks.addRow(row.map((value, i) => ({ name: names[i] ?? '', value })));
  return { title: titleOf(name) ?? (names.join(', ') || undefined), language: undefined };
}

/** The name of the file without its ending, if it has words. */
function titleOf(name: string | undefined): string | undefined {
  const title = (name ?? '')
    .replace(/^.*[\\/]/, '')
    .replace(/\.[a-z]{1,5}$/i, '')
    .replace(/[_\s-]+/g, ' ')
    .trim();
  return /\p{L}/u.test(title) ? title : undefined;
}

function parseRows(text: string): string[][] {
  try {
    return parse(text, {
      delimiter: separatorOf(text),
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MAX_ROW_CHARS,
      to: MAX_ROWS + 1,
    });
  } catch {
    throw invalidSource(
      'The table could not be read: a quotation mark is not closed, or a row is far too long.',
    );
  }
}

/** The separator that most of the first lines have equally often. */
function separatorOf(text: string): string {
  const lines = text
    .slice(0, 20_000)
    .split(/\r?\n/)
    .slice(0, 20)
    .filter((line) => line.trim() !== '');
  const score = (separator: string) => {
    const counts = lines.map((line) => line.replace(/"[^"]*"/g, '').split(separator).length - 1);
    const usual = counts[0] ?? 0;
    return usual === 0 ? 0 : counts.filter((count) => count === usual).length * 100 + Math.min(usual, 50);
  };
  return SEPARATORS.toSorted((a, b) => score(b) - score(a))[0]!;
}

/** All cells named, no two alike, none a figure. */
const isHead = (row: readonly string[]): boolean =>
  row.length > 0 &&
  row.every((cell) => cell.trim() !== '' && cell.length <= 80 && !FIGURE.test(cell)) &&
  new Set(row.map((cell) => cell.trim().toLowerCase())).size === row.length;
