// A table as rows that can be said: each cell with the name of its column. Tables that only lay out a page, of one
// column or with tables inside, are read as the text that they are.

import type { SourceBlocks } from '../source-blocks.ts';
import type { MarkupElement } from './markup-library.ts';

/** `textOf` is all the text of a cell; undefined is returned for a table that is to be read as what it holds. */
export function addTable(
  table: MarkupElement,
  blocks: SourceBlocks,
  textOf: (element: MarkupElement) => string,
): 'added' | undefined {
  // Before the rows are looked for: tables in tables would be looked through once for each that is around them.
  const isLayout = table.getAttribute('role') === 'presentation' || table.querySelector('table') !== null;
  if (isLayout) return undefined;
  const rows = [...table.querySelectorAll('tr')].map(cellsOf).filter((cells) => cells.length > 0);
  const columns = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  if (columns < 2) return undefined;
  const caption = table.querySelector('caption');
  if (caption !== null) blocks.add('paragraph', textOf(caption));
  const [first = []] = rows;
  const hasHead = table.querySelector('thead') !== null || first.every((cell) => cell.localName === 'th');
  const names = hasHead ? first.map(textOf) : [];
  for (const cells of rows.slice(hasHead ? 1 : 0))
    blocks.addRow(cells.map((cell, i) => ({ name: names[i] ?? '', value: textOf(cell) })));
  return 'added';
}

const cellsOf = (row: MarkupElement): MarkupElement[] =>
  [...row.children].filter(({ localName }) => localName === 'td' || localName === 'th');
