// Markup before a parser is given it: one pass over the characters that leaves out what is never read (comments,
// scripts, drawings, oversized attributes) and refuses what would cost a parser minutes (linkedom takes 33 s for
// 200,000 nested elements, and 10 KB of memory for each element).

import { invalidSource } from '../invalid-source.ts';
import { MAX_DEPTH } from '../reading-limits.ts';

/** How much markup there may be; what is read of it is taken off, so that several parts can share one. */
export type MarkupRoom = { marks: number; elements: number; references: number; keptReferences: number };

/**
 * Tags that begin or end something, and elements: a book in one page has about 60,000 and 30,000. References (`&quot;`):
 * one where each quotation mark is one has 60,000. Those that stay (`&amp;`) part their text into nodes of linkedom's, and
 * 100,000 in one paragraph take it 12 s.
 */
export const markupRoom = (): MarkupRoom => ({
  marks: 100_000,
  elements: 40_000,
  references: 100_000,
  keptReferences: 8_000,
});

/** What a text of any length may be full of, as the characters that they are. */
const REFERENCE = /&(?:#(\d{2,7})|#x([\da-f]{2,6})|(quot|apos|nbsp|shy|[lr][sd]quo|[nm]dash|hellip));/gi;
const NAMED: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  shy: '\u00ad',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  ndash: '–',
  mdash: '—',
  hellip: '…',
};

function withoutReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (reference, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? reference;
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    // `<` and `&` stay what they are; the standard has rules of its own for what is no character (HTML 13.2.5.80).
    const isPlain = code >= 0x20 && code !== 0x26 && code !== 0x3c && (code < 0x7f || code > 0x9f);
    const isCharacter = isPlain && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : reference;
  });
}
/** Said as one blank in the end; libraries look for their ends by the square of how many there are. */
const MANY_BLANKS = /[ \t\r\n\f]{2,}/g;
/** linkedom looks through all attributes of an element for each of them; a page's busiest elements have twenty. */
const MAX_ATTRIBUTES = 60;
const ATTRIBUTE = /[\s/][^\s/>]/g;

const hasManyAttributes = (tag: string): boolean =>
  tag.length > 2 * MAX_ATTRIBUTES &&
  (tag.replace(/"[^"]*"|'[^']*'/g, '').match(ATTRIBUTE)?.length ?? 0) > MAX_ATTRIBUTES;

/** Pictures inside attributes; a link or a class is never as long. */
const MAX_TAG_CHARS = 4_000;

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
 * `syntax` says whether `<a/>` ends its element (XML) or not. Throws `invalid_source` for more than there is room for, or
 * more than 400 elements inside each other.
 */
export function trimMarkup(markup: string, syntax: 'html' | 'xml', room: MarkupRoom = markupRoom()): string {
  const kept: string[] = [];
  const open: string[] = [];
  const take = (what: keyof MarkupRoom) => {
    room[what] -= 1;
    if (room[what] < 0) throw tooWild('more finely marked up');
  };
  const takeEach = (text: string, what: keyof MarkupRoom) => {
    for (let sign = text.indexOf('&'); sign !== -1; sign = text.indexOf('&', sign + 1)) take(what);
  };
  let at = 0;
  while (at < markup.length) {
    const start = markup.indexOf('<', at);
    const text = markup.slice(at, start === -1 ? undefined : start);
    takeEach(text, 'references');
    const plain = withoutReferences(text).replace(MANY_BLANKS, ' ');
    takeEach(plain, 'keptReferences');
    kept.push(plain);
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
    take('marks');
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
    const written = at - start > MAX_TAG_CHARS ? undefined : markup.slice(start, at);
    const tag = written === undefined || hasManyAttributes(written) ? `<${slash}${name}>` : written;
    if (slash === '') take('elements');
    const isEmpty = VOID.has(element) || (syntax === 'xml' && tag.endsWith('/>'));
    if (slash === '/') close(open, element);
    else if (!isEmpty) {
      if (ENDED_BY_NEXT.has(element) && open.at(-1) === element) open.pop();
      open.push(element);
      if (open.length > MAX_DEPTH) throw tooWild('more deeply nested');
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
  const end = new RegExp(`</${element}\\b`, 'gi');
  end.lastIndex = from;
  return end.exec(markup) === null ? markup.length : after(markup, '>', end.lastIndex);
}

function close(open: string[], element: string): void {
  const at = open.lastIndexOf(element);
  if (at !== -1) open.length = at;
}
