// Reads a document of fixtures/documents on this thread, as the reading thread does.

import { readFileSync } from 'node:fs';
import { readSource } from '../../src/reading/read-source.ts';
import { READING_LIMITS } from '../../src/reading/reading-limits.ts';
import type { SourceBlock, SourceDocument } from '../../src/script/source-document.ts';

const FOLDER = new URL('../../fixtures/documents/', import.meta.url);

const fixtureBytes = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, FOLDER)));

/** `name` is the file's own when it is not given. */
export const readFixture = (file: string, name: string | undefined = file): Promise<SourceDocument> =>
  readBytes(fixtureBytes(file), name);

export const readBytes = (bytes: Uint8Array, name?: string, contentType?: string): Promise<SourceDocument> =>
  readSource(bytes, { name, contentType }, READING_LIMITS.textChars, () => {});

export const readText = (text: string, name = 'text.txt'): Promise<SourceDocument> =>
  readBytes(new TextEncoder().encode(text), name);

export const textOf = (block: SourceBlock): string =>
  block.kind === 'row' ? block.cells.map(({ name, value }) => `${name}: ${value}`).join('; ') : block.text;

export const allText = ({ blocks }: SourceDocument): string => blocks.map(textOf).join('\n');

/** Paragraphs and headings of the Markdown that a fixture was printed from, as plain text. */
export function proseOf(source: string): { headings: string[]; paragraphs: string[] } {
  const markdown = readFileSync(new URL(`source/${source}`, FOLDER), 'utf8').replace(
    /^---[\s\S]*?\n---\n/,
    '',
  );
  const parts = markdown
    .split(/\n\n+/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^(?:\[\^|\||!\[|-)/.test(part));
  const plain = (part: string) =>
    part
      .replace(/\[\^[^\]]+\]/g, '')
      .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
      .replace(/\s+/g, ' ');
  return {
    headings: parts.filter((part) => part.startsWith('# ')).map((part) => plain(part.slice(2))),
    paragraphs: parts.filter((part) => !part.startsWith('#')).map(plain),
  };
}

/** Quotation marks and spaces as a keyboard has them: typesetters choose their own. */
export const plainMarks = (text: string): string =>
  text.replace(/[’‘]/g, "'").replace(/[“”„]/g, '"').replace(/[‐‑]/g, '-').replace(/\s+/g, ' ');

/** What must never be left in text that is to be spoken. */
export const LEFTOVERS =
  /https?:|www\.|@|\[\d+\]|[¹⁰⁴-⁹†‡↩]|\u00ad|[\ufb00-\ufb06]|example\.org|first edition|\p{L}-\s\p{Ll}|\s[,.)]|\(\s|\s{2}/u;
