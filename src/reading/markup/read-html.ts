// A saved page: the article in it, found by Readability, else all of its body. What a page says of itself (title,
// language) is taken before, because Readability takes the page apart.

import type { DocumentFacts } from '../document-facts.ts';
import { invalidSource } from '../invalid-source.ts';
import { createSourceBlocks, type SourceBlocks } from '../source-blocks.ts';
import { addMarkup, isNotRead } from './markup-blocks.ts';
import {
  type MarkupDocument,
  type MarkupElement,
  type MarkupNode,
  parseHTML,
  Readability,
} from './markup-library.ts';
import { removeNotes } from './markup-notes.ts';
import { textLengths } from './markup-text.ts';
import { trimMarkup } from './trim-markup.ts';

/**
 * Finding the article takes Readability longer than linear: 11 s for 250,000 elements, 2 s for 15,000. A book needs no finding.
 */
const MAX_ELEMENTS_TO_JUDGE = 6_000;
/**
 * And it makes the text of each element again and again: of all elements together, what stands in several of them counted in
 * each. A long article has 300,000 characters in ten elements around each other.
 */
const MAX_CHARS_TO_JUDGE = 4_000_000;
const MIN_ARTICLE_CHARS = 250;

/** Of pages alone: in a book, a class may be called anything. */
const CLUTTER = /cookie|consent|comments|related|newsletter|share|breadcrumb|sidebar|promo/i;

const isClutter = (element: MarkupElement): boolean =>
  CLUTTER.test(`${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`);

/** Throws `invalid_source` for a page beyond the bounds, or without text. */
export function readHtml(html: string, blocks: SourceBlocks, mostChars: number): DocumentFacts {
  const { document } = parseHTML(completed(trimMarkup(html, 'html')));
  if (document.documentElement === null)
    throw invalidSource('The page holds no text; choose one that has some.');
  const found: DocumentFacts = {
    title: titleOf(document),
    language:
      document.documentElement.getAttribute('lang') ?? metaOf(document, 'http-equiv', 'content-language'),
  };
  // Before Readability, which throws classes away and so would keep what only its class tells.
  removeNotes(document, '', new Set());
  removeUnread(document.body);
  const whole = createSourceBlocks(mostChars);
  addMarkup(document.body, whole);
  const article = articleOf(document, mostChars);
  const chosen = lengthOf(article) >= Math.min(MIN_ARTICLE_CHARS, lengthOf(whole)) ? article : whole;
  const [first] = chosen.list;
  if (found.title !== undefined && first?.kind !== 'heading') blocks.addHeading(1, found.title);
  for (const block of chosen.list) blocks.put(block);
  return found;
}

/** Pages may leave out the tags of their frame (HTML 13.1.2.4), which linkedom does not add. */
function completed(markup: string): string {
  const page = /<html\b/i.test(markup) ? markup : `<html>${markup}</html>`;
  if (/<body\b/i.test(page)) return page;
  const [head = ''] = /^[\s\S]*<\/head\s*>/i.exec(page) ?? /^[\s\S]*?<html\b[^>]*>/i.exec(page) ?? [];
  return `${head}<body>${page.slice(head.length)}`;
}

/** Clutter and what is not read; a page's outermost element may bear a class as clutter does, and stays. */
function removeUnread(body: MarkupElement): void {
  const lengths = textLengths(body);
  let left = lengths.get(body) ?? 0;
  const removed = new Set<MarkupNode | null>();
  for (const element of [...body.querySelectorAll('*')]) {
    // What stands in a removed element went with it.
    if (removed.has(element.parentNode)) removed.add(element);
    else if (isNotRead(element) || isClutter(element)) {
      const length = lengths.get(element) ?? 0;
      if (length > left / 2) continue;
      left -= length;
      element.remove();
      removed.add(element);
    }
  }
}

function articleOf(document: MarkupDocument, mostChars: number): SourceBlocks {
  const blocks = createSourceBlocks(mostChars);
  // Readability looks for a title of its own by the square of its length; ours has been found.
  for (const title of document.querySelectorAll('title')) title.remove();
  if ([...document.querySelectorAll('*')].length > MAX_ELEMENTS_TO_JUDGE) return blocks;
  if ([...textLengths(document.body).values()].reduce((sum, chars) => sum + chars, 0) > MAX_CHARS_TO_JUDGE)
    return blocks;
  const article = new Readability(document, {
    maxElemsToParse: MAX_ELEMENTS_TO_JUDGE,
    charThreshold: 200,
  }).parse();
  if (typeof article?.content === 'string')
    addMarkup(parseHTML(`<!doctype html><html><body>${article.content}</body></html>`).document.body, blocks);
  return blocks;
}

function titleOf(document: MarkupDocument): string | undefined {
  const headings = [...document.querySelectorAll('h1')];
  const heading = headings.length === 1 ? headings[0]!.textContent : '';
  const title =
    heading.trim() ||
    metaOf(document, 'property', 'og:title') ||
    document.querySelector('title')?.textContent;
  return title?.trim() || undefined;
}

const metaOf = (document: MarkupDocument, key: string, name: string): string | undefined =>
  document.querySelector(`meta[${key}="${name}" i]`)?.getAttribute('content') ?? undefined;

const lengthOf = ({ list }: SourceBlocks): number =>
  list.reduce((sum, block) => sum + (block.kind === 'row' ? block.cells.length * 8 : block.text.length), 0);
