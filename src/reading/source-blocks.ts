// The blocks of a document as a reader finds them: cleaned, without empty ones, and never more text than is allowed.

import type { SourceBlock } from '../script/source-document.ts';
import { collapse, isBlank, plainLetters, withoutClutter } from './clean-text.ts';
import { invalidSource } from './invalid-source.ts';
import { withUnit } from './table-cell.ts';

export type SourceBlocks = {
  /**
   * `text` as it stands in the source. `under`: the term that an item explains, added before as an item of its own. `isQuoted`: a
   * paragraph of somebody else's words.
   */
  add(
    kind: 'paragraph' | 'item',
    text: string,
    about?: { readonly under?: string | undefined; readonly isQuoted?: boolean },
  ): void;
  addHeading(level: number, text: string): void;
  addRow(cells: readonly { readonly name: string; readonly value: string }[]): void;
  /** A block that has been cleaned already. */
  put(block: SourceBlock): void;
  readonly list: readonly SourceBlock[];
};

/**
 * Each block costs its reader as much as a line of text, however little is in it. A novel that is mostly talk has
 * 60 characters in each; so many blocks may hold next to nothing, and beyond them each needs a few words on average.
 */
const FREE_BLOCKS = 2_000;
const MIN_CHARS_EACH = 40;
/** A term is said with each of its explanations; a longer one is an item of its own and no more. Before it is cleaned, too. */
const MAX_TERM_CHARS = 200;
const MAX_WRITTEN_TERM_CHARS = 1_000;
/** Every sentence has the headings above it; a longer one is text. */
const MAX_HEADING_CHARS = 400;
/** Of all rows together, empty ones too. */
const MAX_CELLS = 40_000;

const tooBroken = () =>
  invalidSource(
    'The document is in more and shorter pieces than can be read; leave out its lists and tables.',
  );

/** Throws `invalid_source` when more than `mostChars` are added, or more blocks or cells than a person can listen to. */
export function createSourceBlocks(mostChars: number): SourceBlocks {
  const list: SourceBlock[] = [];
  let chars = 0;
  let cellCount = 0;
  const refuse = () =>
    invalidSource(
      `The text is longer than ${mostChars.toLocaleString('en')} characters; split it into several sources.`,
    );
  const count = (text: string) => {
    chars += text.length;
    if (chars > mostChars) throw refuse();
  };
  const push = (block: SourceBlock) => {
    list.push(block);
    if (list.length > FREE_BLOCKS + chars / MIN_CHARS_EACH) throw tooBroken();
  };
  const countCells = (cells: readonly unknown[]) => {
    cellCount += cells.length;
    if (cellCount > MAX_CELLS) throw tooBroken();
  };
  /** What alone would be too long is not worth cleaning. */
  const cleaned = (text: string) => {
    const plain = collapse(text);
    if (plain.length > mostChars) throw refuse();
    const letters = plainLetters(plain);
    if (letters.length > mostChars) throw refuse();
    return withoutClutter(letters);
  };
  /** Empty: none, or too long to be one. */
  const cleanTerm = (under: string | undefined) => {
    if (under === undefined || under.length > MAX_WRITTEN_TERM_CHARS) return '';
    const term = cleaned(under);
    return term.length > MAX_TERM_CHARS ? '' : term;
  };
  const heading = (level: number, text: string): SourceBlock =>
    text.length > MAX_HEADING_CHARS
      ? { kind: 'paragraph', text }
      : { kind: 'heading', level: Math.min(6, Math.max(1, level)), text };
  return {
    list,
    add(kind, text, { under, isQuoted = false } = {}) {
      const clean = cleaned(text);
      if (isBlank(clean)) return;
      count(clean);
      const term = kind === 'item' ? cleanTerm(under) : '';
      count(term);
      if (kind === 'item') push(term === '' ? { kind, text: clean } : { kind, text: clean, under: term });
      else push(isQuoted ? { kind, text: clean, isQuoted } : { kind, text: clean });
    },
    addHeading(level, text) {
      const clean = cleaned(text);
      if (isBlank(clean)) return;
      count(clean);
      push(heading(level, clean));
    },
    put(block) {
      if (block.kind === 'row') {
        countCells(block.cells);
        for (const { name, value } of block.cells) count(name + value);
      } else {
        count(block.text);
        if (block.kind === 'item') count(block.under ?? '');
      }
      push(block);
    },
    addRow(cells) {
      countCells(cells);
      const clean = cells
        .map(({ name, value }) => withUnit(cleaned(name), cleaned(value)))
        .filter(({ value }) => !isBlank(value));
      if (clean.length === 0) return;
      for (const { name, value } of clean) count(name + value);
      push({ kind: 'row', cells: clean });
    },
  };
}
