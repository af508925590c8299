// Markup before a parser is given it: one pass over the characters that leaves out what is never read (comments,
// scripts, drawings, oversized attributes) and refuses what would cost a parser minutes (linkedom takes 33 s for
// 200,000 nested elements, and 10 KB of memory for each element).

import { invalidSource } from './invalid-source.ts';
import { MOST_DEPTH } from './reading-limits.ts';

/** Tags that begin or end something; a book in one page has about 60,000. */
const MOST_MARKS = 120_000;
/** Pictures inside attributes; a link or a class is never as long. */
const LONGEST_TAG_CHARS = 4_000;

const SKIPPED = new Set([
  'script',
  'style',
  'svg',
  'math',
  'template',
  'noscript',
  'object',
  'iframe',
  'select',
  'textarea',
  'canvas',
]);
const VOID = new Set(
  'area base basefont br col embed frame hr img input link meta param source track wbr'.split(' '),
);
/** Elements whose end tag may be missing: the next of their kind ends them (HTML 13.1.2.4). */
const ENDED_BY_NEXT = new Set('p li dt dd tr td th thead tbody option rt rp'.split(' '));

/** `what` completes "The document is … than can be read". */
export const tooWild = (what: string) =>
  invalidSource(`The document is ${what} than can be read; save it as plain text and try again.`);

/**
 * `syntax` says whether `<a/>` ends its element (XML) or not. Throws `invalid_source` for more than 60,000 elements or so
 * or 400 inside each other.
 */
export function trimMarkup(markup: string, syntax: 'html' | 'xml', mostMarks = MOST_MARKS): string {
  const kept: string[] = [];
  const open: string[] = [];
  let marks = 0;
  let at = 0;
  while (at < markup.length) {
    const start = markup.indexOf('<', at);
    kept.push(markup.slice(at, start === -1 ? undefined : start));
    if (start === -1) break;
    if (markup.startsWith('<!--', start)) {
      at = after(markup, '-->', start + 4);
      continue;
    }
    if (markup.startsWith('<![CDATA[', start)) {
      at = after(markup, ']]>', start);
      kept.push(asText(markup.slice(start + 9, at - 3)));
      continue;
    }
    if (/[!?]/.test(markup[start + 1] ?? '')) {
      at = after(markup, '>', start);
      continue;
    }
    const [, slash, name] = /^<(\/?)([a-z][a-z0-9:_-]{0,40})/i.exec(markup.slice(start, start + 43)) ?? [];
    if (++marks > mostMarks) throw tooWild('more finely marked up');
    if (name === undefined) {
      kept.push('&lt;');
      at = start + 1;
      continue;
    }
    const element = name.toLowerCase();
    at = tagEnd(markup, start + name.length);
    if (SKIPPED.has(element) && slash === '') {
      if (markup[at - 2] !== '/') at = afterElement(markup, element, at);
      continue;
    }
    const tag = at - start > LONGEST_TAG_CHARS ? `<${slash}${name}>` : markup.slice(start, at);
    const isEmpty = VOID.has(element) || (syntax === 'xml' && tag.endsWith('/>'));
    if (slash === '/') close(open, element);
    else if (!isEmpty) {
      if (ENDED_BY_NEXT.has(element) && open.at(-1) === element) open.pop();
      open.push(element);
      if (open.length > MOST_DEPTH) throw tooWild('more deeply nested');
    }
    kept.push(isEmpty && !VOID.has(element) ? `${tag.slice(0, -2)}></${name}>` : tag);
  }
  return kept.join('');
}

const asText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The place behind `mark`, or the end. */
function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
}

/** Behind the `>` that is in no quoted value. Quotes that never end are taken as none. */
function tagEnd(markup: string, from: number): number {
  const first = after(markup, '>', from);
  let quote = '';
  const last = Math.min(markup.length, from + 1_000_000);
  for (let i = from; i < last; i++) {
    const char = markup[i]!;
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '>') return i + 1;
    else if ((char === '"' || char === "'") && markup[i - 1] === '=') quote = char;
  }
  return first;
}

function afterElement(markup: string, element: string, from: number): number {
  const end = new RegExp(`</${element}\\b[^>]*>`, 'gi');
  end.lastIndex = from;
  return end.exec(markup) === null ? markup.length : end.lastIndex;
}

function close(open: string[], element: string): void {
  const at = open.lastIndexOf(element);
  if (at !== -1) open.length = at;
}
