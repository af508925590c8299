// Markdown: made to HTML, and read as that. Footnotes and what a site's generator wants to know at the top are taken
// out before, because plain Markdown knows neither.

import { Lexer, Parser } from 'marked';
import type { DocumentFacts } from './document-facts.ts';
import { addMarkup } from './markup-blocks.ts';
import { parseHTML } from './markup-library.ts';
import type { SourceBlocks } from './source-blocks.ts';
import { tooWild, trimMarkup } from './trim-markup.ts';

const FRONT_MATTER = /^---[ \t]*\n([\s\S]{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
/** A note's text, with the indented lines that belong to it. */
const NOTE = /^\[\^[^\]\n]{1,80}\]:[^\n]*(?:\n(?:[ \t]+[^\n]+|(?=\n[ \t]+\S)))*/gm;
const NOTE_MARK = /\[\^[^\]\s]{1,80}\]/g;
const INLINE_NOTE = /\^\[[^\]\n]{1,2000}\]/g;

/** Quotes in quotes and lists in lists beyond any use, which cost marked a recursion and more for each. */
const DEEP_QUOTE = /^(?:[ \t]{0,3}>[ \t]?){10,}/gm;
const DEEP_INDENT = /^[ \t]{40,}/gm;

/** What may begin or end something in running text; a run of the same counts once. */
const MARK = /([*_~`[\]<])\1*/g;
/** A book of 2,000,000 characters has 30,000; each may be a paragraph or an item, and 1,000,000 take marked 280 MB. */
const MOST_LINES = 40_000;
/** In all running text; 20,000 spans or so, a third of what markup may have. */
const MOST_MARKS = 40_000;
/**
 * marked looks for the end of each emphasis through all marks of its paragraph: 2,500 times "*_a " takes it half a
 * second, four times as many 8 s. This many looks take at most half a second; a paragraph of a book has a few hundred.
 */
const MOST_LOOKS = 10_000_000;

/** Throws `invalid_source` for what is nested or marked up beyond all use. */
export function readMarkdown(text: string, blocks: SourceBlocks): DocumentFacts {
  const source = text.replace(/\r\n?/g, '\n');
  let lines = 0;
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1))
    if (++lines > MOST_LINES) throw tooWild('in more lines');
  const front = FRONT_MATTER.exec(source);
  const plain = source
    .slice(front?.[0].length ?? 0)
    .replace(DEEP_INDENT, '    ')
    .replace(DEEP_QUOTE, '> ')
    .replace(NOTE, '')
    .replace(INLINE_NOTE, '')
    .replace(NOTE_MARK, '');
  const html = toHtml(plain);
  const { document } = parseHTML(`<!doctype html><html><body>${trimMarkup(html, 'html')}</body></html>`);
  addMarkup(document.body, blocks);
  const field = (name: string) =>
    new RegExp(`^${name}\\s*:\\s*["']?(.{1,300}?)["']?\\s*$`, 'im').exec(front?.[1] ?? '')?.[1];
  return { title: field('title'), language: field('lang(?:uage)?') };
}

/** Code blocks may hold any marks: only running text is looked through, so only that is counted, as it comes to it. */
function toHtml(markdown: string): string {
  const lexer = new Lexer({ gfm: true });
  const inlineTokens = lexer.inlineTokens.bind(lexer);
  let allMarks = 0;
  let looks = 0;
  lexer.inlineTokens = (text: string, ...tokens) => {
    let marks = 0;
    let openings = 0;
    for (const [mark] of text.matchAll(MARK)) {
      marks += 1;
      if (/[*_~]/.test(mark)) openings += 1;
      if (allMarks + marks > MOST_MARKS) break;
    }
    allMarks += marks;
    looks += openings * marks;
    if (allMarks > MOST_MARKS || looks > MOST_LOOKS) throw tooWild('more finely marked up');
    return inlineTokens(text, ...tokens);
  };
  return Parser.parse(lexer.lex(markdown), { gfm: true });
}
