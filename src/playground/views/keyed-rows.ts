// A table that is read anew every few seconds: its rows are found by their keys and only what has changed is written, so
// that the keyboard stays where it is, a selection stays, and a screen reader is not told everything again. Roles are
// written out because on a narrow page the rows are shown as cards, which takes a table's own roles from it.

import { madeElement, setText } from './page-element.ts';

export type Column<Item> = {
  readonly label: string;
  /** Writes what changes; called with an empty cell at first. */
  readonly fill: (cell: HTMLTableCellElement, item: Item) => void;
};

export type KeyedRows<Item> = { show(items: readonly Item[]): void };

export type KeyedRowsOptions<Item> = {
  readonly table: HTMLTableElement;
  readonly columns: readonly Column<Item>[];
  /** Never the same twice in one list. */
  readonly keyOf: (item: Item) => string;
  /** In place of rows when there are none. */
  readonly none: string;
  /** Gets the focus when the row that has it goes. */
  readonly fallback: HTMLElement;
};

export const textColumn = <Item>(label: string, of: (item: Item) => string): Column<Item> => ({
  label,
  fill: (cell, item) => setText(cell, of(item)),
});

function roled<Tag extends 'thead' | 'tbody' | 'tr' | 'th' | 'td'>(tag: Tag, role: string) {
  const element = madeElement(tag);
  element.setAttribute('role', role);
  return element;
}

export function createKeyedRows<Item>(options: KeyedRowsOptions<Item>): KeyedRows<Item> {
  const { table, columns, keyOf, none, fallback } = options;
  table.setAttribute('role', 'table');
  const head = roled('thead', 'rowgroup');
  const headRow = roled('tr', 'row');
  for (const { label } of columns) {
    const cell = roled('th', 'columnheader');
    cell.scope = 'col';
    cell.textContent = label;
    headRow.append(cell);
  }
  head.append(headRow);
  const body = roled('tbody', 'rowgroup');
  table.append(head, body);
  const rows = new Map<string, HTMLTableRowElement>();

  const empty = roled('tr', 'row');
  const nothing = roled('td', 'cell');
  nothing.colSpan = columns.length;
  nothing.className = 'none';
  nothing.textContent = none;
  empty.append(nothing);

  function opened(): HTMLTableRowElement {
    const row = roled('tr', 'row');
    for (const [at, { label }] of columns.entries()) {
      const cell = at === 0 ? roled('th', 'rowheader') : roled('td', 'cell');
      if (at === 0) cell.scope = 'row';
      cell.dataset.label = label;
      row.append(cell);
    }
    return row;
  }

  return {
    show(items) {
      const there = new Set(items.map(keyOf));
      for (const [key, row] of rows) {
        if (there.has(key)) continue;
        const hadFocus = row.contains(document.activeElement);
        row.remove();
        rows.delete(key);
        if (hadFocus) fallback.focus();
      }
      for (const [at, item] of items.entries()) {
        const key = keyOf(item);
        const row = rows.get(key) ?? opened();
        rows.set(key, row);
        for (const [column, { fill }] of columns.entries()) fill(row.cells[column]!, item);
        // A row that is in its place is not moved: moving takes the focus away.
        if (body.rows[at] !== row) body.insertBefore(row, body.rows[at] ?? null);
      }
      if (items.length === 0) body.append(empty);
      else empty.remove();
    },
  };
}
