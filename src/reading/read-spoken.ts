// The one way from the bytes of a file, or of standard input, to text that is spoken as it stands, for the commands that take
// one: decoded, read and refused as the source of a PlayNote is.

import { AppError } from '../base/app-error.ts';
import type { SourceBlock } from '../script/source-document.ts';
import { declaredCharset, decodeDocument } from './decode-text.ts';
import { damagedFile, fileTooLarge, invalidSource } from './invalid-source.ts';
import { readSource } from './read-source.ts';
import { MAX_TEXT_BYTES, READING_LIMITS } from './reading-limits.ts';
import { sniffKind } from './sniff-kind.ts';

export type SpokenText = {
  /** Paragraphs with a blank line between them. */
  readonly text: string;
  /** Whether signs of Markdown may be in it: what was read as a document has none, and keeps its signs. */
  readonly markup: 'strip' | 'keep';
};

const { fileBytes, textChars } = READING_LIMITS;

/**
 * Plain text and Markdown come as they are; all else as the blocks of the document. Text without a name may be what a model wrote,
 * which is Markdown often. `bytes` may be used up. `name`: what
 * the file is called. Throws `invalid_source`.
 */
export async function readSpoken(bytes: Uint8Array, name: string | undefined): Promise<SpokenText> {
  if (bytes.length > fileBytes) throw fileTooLarge(fileBytes);
  const kind = sniffKind(bytes, name);
  if (kind === 'text' || kind === 'markdown') {
    if (bytes.length > MAX_TEXT_BYTES)
      throw invalidSource('The text is longer than 8 MB; split it into several sources.');
    const text = decodeDocument(bytes, declaredCharset(bytes));
    if (!/[\p{L}\p{N}]/u.test(text)) throw invalidSource('The file holds no text.');
    return { text, markup: kind === 'markdown' || name === undefined ? 'strip' : 'keep' };
  }
  const { blocks } = await readSource(bytes, { name, contentType: undefined }, textChars, () => {}).catch(
    (thrown: unknown) => {
      throw thrown instanceof AppError ? thrown : Object.assign(damagedFile(), { cause: thrown });
    },
  );
  return { text: blocks.map(saidOf).join('\n\n'), markup: 'keep' };
}

const saidOf = (block: SourceBlock): string =>
  block.kind === 'row'
    ? block.cells.map(({ name, value }) => (name === '' ? value : `${name}: ${value}`)).join(', ')
    : block.text;
