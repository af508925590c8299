// The pages of the repository and their code blocks, with how each block is checked: the words behind its language, as in
// ```sh run. test/docs/blocks.test.ts tells what each of them means, and fails for a block without one.

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { marked, type Token, type Tokens } from 'marked';

export const ROOT = resolve(import.meta.dirname, '../..');

export type PageBlock = {
  readonly page: string;
  /** Of its first line, from 1. */
  readonly line: number;
  readonly language: string;
  /** How it is checked; empty: nobody does. */
  readonly check: string;
  readonly text: string;
};

/** Paths from the root, sorted. */
export const PAGES: readonly string[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
].sort();

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** All tokens of a page, those inside of others too, in order. */
export function tokensOf(page: string): readonly Token[] {
  const tokens: Token[] = [];
  void marked.walkTokens(marked.lexer(readPage(page)), (token) => void tokens.push(token));
  return tokens;
}

/** Fenced and indented ones, wherever they stand. */
export function blocksOf(page: string): readonly PageBlock[] {
  const source = readPage(page);
  let from = 0;
  return tokensOf(page)
    .filter((token): token is Tokens.Code => token.type === 'code')
    .map(({ raw, lang = '', text }) => {
      // Inside of a list or a quotation the raw text has lost its indentation; its first line has not.
      const at = source.indexOf(raw.trim().split('\n')[0]!, from);
      from = at + 1;
      const [language = '', ...check] = lang.trim().split(/\s+/);
      return { page, line: source.slice(0, at).split('\n').length, language, check: check.join(' '), text };
    });
}

/** The blocks of `page` that are checked by `check`. */
export const blocksBy = (page: string, check: string): readonly PageBlock[] =>
  blocksOf(page).filter((block) => block.check === check);
