// The blocks of a document as a reader finds them: cleaned, without empty ones, and never more text than is allowed.

import type { SourceBlock } from '../script/source-document.ts';
import { cleanText, collapse, isBlank } from './clean-text.ts';
import { invalidSource } from './invalid-source.ts';

export type SourceBlocks = {
  /** `text` as it stands in the source. */
  add(kind: 'paragraph' | 'item', text: string): void;
  addHeading(level: number, text: string): void;
  addRow(cells: readonly { readonly name: string; readonly value: string }[]): void;
  /** A block that has been cleaned already. */
  put(block: SourceBlock): void;
  readonly list: readonly SourceBlock[];
};

/** Throws `invalid_source` when more than `mostChars` are added. */
export function createSourceBlocks(mostChars: number): SourceBlocks {
  const list: SourceBlock[] = [];
  let chars = 0;
  const refuse = () =>
    invalidSource(
      `The text is longer than ${mostChars.toLocaleString('en')} characters; split it into several sources.`,
    );
  const count = (text: string) => {
    chars += text.length;
    if (chars > mostChars) throw refuse();
  };
  /** What alone would be too long is not worth cleaning. */
  const cleaned = (text: string) => {
    const plain = collapse(text);
    if (plain.length > mostChars) throw refuse();
    return cleanText(plain);
  };
  return {
    list,
    add(kind, text) {
      const clean = cleaned(text);
      if (isBlank(clean)) return;
      count(clean);
      list.push({ kind, text: clean });
    },
    addHeading(level, text) {
      const clean = cleaned(text);
      if (isBlank(clean)) return;
      count(clean);
      list.push({ kind: 'heading', level: Math.min(6, Math.max(1, level)), text: clean });
    },
    put(block) {
      if (block.kind === 'row') for (const { name, value } of block.cells) count(name + value);
      else count(block.text);
      list.push(block);
    },
    addRow(cells) {
      const clean = cells
        .map(({ name, value }) => ({ name: cleaned(name), value: cleaned(value) }))
        .filter(({ value }) => !isBlank(value));
      if (clean.length === 0) return;
      for (const { name, value } of clean) count(name + value);
      list.push({ kind: 'row', cells: clean });
    },
  };
}
