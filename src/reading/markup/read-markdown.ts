// Markdown: made to HTML, and read as that. Footnotes and what a site's generator wants to know at the top are taken
// out before, because plain Markdown knows neither.

import { Lexer, Parser, Tokenizer } from 'marked';
import { judgeFrontMatter } from '../../text/front-matter.ts';
import { countLines } from '../count-lines.ts';
import type { DocumentFacts } from '../document-facts.ts';
import type { SourceBlocks } from '../source-blocks.ts';
import { addMarkup } from './markup-blocks.ts';
import { parseHTML } from './markup-library.ts';
import { tooWild, trimMarkup } from './trim-markup.ts';

const MAX_FRONT_UNITS = 20_000;
/** A note's text, with the indented lines that belong to it. */
const NOTE = /^\[\^[^\]\n]{1,80}\]:[^\n]*(?:\n(?:[ \t]+[^\n]+|(?=\n[ \t]+\S)))*/gm;
/** Neither holds another bracket: a mark that never ends is not tried to its bound from each of a million of them. */
const NOTE_MARK = /\[\^[^[\]\s]{1,80}\]/g;
const INLINE_NOTE = /\^\[(?:[^[\]\n]|(?<!\^)\[[^[\]\n]{0,200}\]){1,2000}\]/g;

/** marked looks for the end of an address by the square of the punctuation in it; more is never read aloud. */
const LONG_PUNCTUATION = /([?!.,:;*_'"~()&]{30})[?!.,:;*_'"~()&]+/g;

const MAX_NOTES = 10_000;

/** Quotes in quotes and lists in lists beyond any use, which cost marked a recursion and more for each. */
const DEEP_MARKS = /^[ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){10,}/gm;
const DEEP_INDENT = /^[ \t]{40,}/gm;

/** Of one item: marked looks through all that are left for an underline, again from each of them. */
const MAX_ITEM_LINES = 2_000;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;

/** What may begin or end something in running text; a run of the same counts once. */
const MARK = /([*_~`[\]<\\])\1*/g;
/** A book of 2,000,000 characters, broken to a width, has 30,000. */
const MAX_LINES = 40_000;
/**
 * Lines that begin something of their own: after a blank one, with the mark of an item, a heading, a quote, a row. A book
 * of 300 pages has 5,000; marked and linkedom take 6 KB and 100 µs for each, and 39,000 items took 2 s and 150 MB.
 */
const MAX_BEGINNINGS = 12_000;
const BEGINNING = /^[ \t]*(?:[-*+#>|<]|\d{1,9}[.)])|\n[ \t]*\n(?=[^\n])/gm;
/** In all running text: 10,000 spans or so; a book of 300 pages that is rich in links has 5,000. */
const MAX_MARKS = 20_000;
/** What marked makes of them and of addresses, escapes, breaks and definitions. */
const MAX_SPANS = 12_000;
/** Between the cells of tables, which marked makes one by one. */
const MAX_BARS = 12_000;
/** Each parts its text for linkedom. */
const MAX_REFERENCES = 8_000;
/**
 * marked looks for the end of each emphasis through all marks of its paragraph: 2,500 times "*_a " takes it half a
 * second, four times as many 8 s. This many looks take a quarter; a paragraph of a book has a few hundred.
 */
const MAX_LOOKS = 5_000_000;

/** Throws `invalid_source` for what is nested or marked up beyond all use. */
export function readMarkdown(text: string, blocks: SourceBlocks): DocumentFacts {
  const source = text.replace(/\r\n?/g, '\n');
  if (countLines(source, MAX_LINES) > MAX_LINES) throw tooWild('in more lines');
  refuseMore(source, BEGINNING, MAX_BEGINNINGS, 'in more paragraphs and items');
  refuseLongItems(source);
  refuseMore(source, NOTE_MARK, MAX_NOTES, 'more finely marked up');
  refuseMore(source, /&/g, MAX_REFERENCES, 'more finely marked up');
  refuseMore(source, /\|/g, MAX_BARS, 'more finely marked up');
  const judged = judgeFrontMatter(source, 'closed', MAX_FRONT_UNITS);
  const front = judged === 'wait' ? undefined : judged;
  const plain = source
    .slice(front?.length ?? 0)
    .replace(DEEP_INDENT, '    ')
    .replace(DEEP_MARKS, '> ')
    .replace(LONG_PUNCTUATION, '$1')
    .replace(NOTE, '')
    .replace(INLINE_NOTE, '')
    .replace(NOTE_MARK, '');
  const html = toHtml(plain);
  const { document } = parseHTML(`<!doctype html><html><body>${trimMarkup(html, 'html')}</body></html>`);
  addMarkup(document.body, blocks);
  const field = (name: string) =>
    new RegExp(`^${name}\\s*[:=]\\s*["']?(.{1,300}?)["']?\\s*$`, 'im').exec(front?.fields ?? '')?.[1];
  return { title: field('title'), language: field('lang(?:uage)?') };
}

/** Lines without a blank one between them, after the mark of an item or an indent. */
function refuseLongItems(text: string): void {
  let lines = 0;
  let isItem = false;
  for (const line of text.split('\n')) {
    if (line.trim() === '') [lines, isItem] = [0, false];
    else if (ITEM.test(line)) [lines, isItem] = [0, true];
    else if (lines === 0 && /^[ \t]/.test(line)) isItem = true;
    lines += 1;
    if (isItem && lines > MAX_ITEM_LINES) throw tooWild('in longer items');
  }
}

function refuseMore(text: string, what: RegExp, most: number, told: string): void {
  let found = 0;
  for (const _ of text.matchAll(what)) if (++found > most) throw tooWild(told);
}

/** Counts what the library makes besides text and paragraphs, as it makes it. */
class CountingTokenizer extends Tokenizer {
  #spans = 0;
  #count<Token>(token: Token): Token {
    if (token && ++this.#spans > MAX_SPANS) throw tooWild('more finely marked up');
    return token;
  }
  override escape = (src: string) => this.#count(super.escape(src));
  override tag = (src: string) => this.#count(super.tag(src));
  override link = (src: string) => this.#count(super.link(src));
  override reflink = (...given: Parameters<Tokenizer['reflink']>) => this.#count(super.reflink(...given));
  override emStrong = (...given: Parameters<Tokenizer['emStrong']>) => this.#count(super.emStrong(...given));
  override codespan = (src: string) => this.#count(super.codespan(src));
  override br = (src: string) => this.#count(super.br(src));
  override del = (...given: Parameters<Tokenizer['del']>) => this.#count(super.del(...given));
  override autolink = (src: string) => this.#count(super.autolink(src));
  override url = (src: string) => this.#count(super.url(src));
  override def = (src: string) => this.#count(super.def(src));
}

/** Code blocks may hold any marks: only running text is looked through, so only that is counted, as it comes to it. */
function toHtml(markdown: string): string {
  const lexer = new Lexer({ gfm: true, tokenizer: new CountingTokenizer() });
  const inlineTokens = lexer.inlineTokens.bind(lexer);
  let allMarks = 0;
  let looks = 0;
  lexer.inlineTokens = (text: string, ...tokens) => {
    let marks = 0;
    let openings = 0;
    for (const [mark] of text.matchAll(MARK)) {
      marks += 1;
      if (/[*_~]/.test(mark)) openings += 1;
      if (allMarks + marks > MAX_MARKS) break;
    }
    allMarks += marks;
    looks += openings * marks;
    if (allMarks > MAX_MARKS || looks > MAX_LOOKS) throw tooWild('more finely marked up');
    return inlineTokens(text, ...tokens);
  };
  return Parser.parse(lexer.lex(markdown), { gfm: true });
}
