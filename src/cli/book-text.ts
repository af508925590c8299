// The text of a file that is to be narrated, with blank lines between its paragraphs. Plain text and Markdown are taken as
// they are, for the gateway strips markup itself; what holds its text in other ways is read as a source.

import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { readSource } from '../reading/read-source.ts';
import { READING_LIMITS } from '../reading/reading-limits.ts';
import type { SourceBlock } from '../script/source-document.ts';
import { type Terminal, UsageError } from './command.ts';

const READ_AS_SOURCE = ['.pdf', '.epub', '.docx', '.html', '.htm'];

/** Throws a UsageError when there is no such file, or nothing to say in it. */
export async function readBook(terminal: Terminal, path: string): Promise<string> {
  try {
    const text = READ_AS_SOURCE.includes(extname(path).toLowerCase())
      ? await readDocument(path)
      : terminal.readFile(path).replace(/^\uFEFF/, '');
    if (text.trim() !== '') return text;
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new UsageError(`FILE is ${JSON.stringify(path)}, which cannot be read (${reason})`);
  }
  throw new UsageError(`FILE is ${JSON.stringify(path)}, which holds no text`);
}

async function readDocument(path: string): Promise<string> {
  const hints = { name: basename(path), contentType: undefined };
  const { blocks } = await readSource(await readFile(path), hints, READING_LIMITS.textChars, () => {});
  const saidOf = (block: SourceBlock) =>
    block.kind === 'row' ? block.cells.map(({ value }) => value).join(', ') : block.text;
  return blocks.map(saidOf).join('\n\n');
}
