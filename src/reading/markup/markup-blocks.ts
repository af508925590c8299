// The text of a page's elements as blocks, in their order: what word processors, e-books and sites have in common once
// their files are HTML. Left out is what leads elsewhere or back: navigation, notes and their marks, forms, pictures
// and their captions.

import { GrowingText } from '../growing-text.ts';
import { createSourceBlocks, type SourceBlocks } from '../source-blocks.ts';
import { ELEMENT_NODE, type MarkupElement, type MarkupNode, TEXT_NODE } from './markup-library.ts';
import { isNoteMark, markTextOf, NOTE_MARK } from './markup-notes.ts';
import { holdsTable } from './markup-text.ts';

const NOT_READ = new Set(
  (
    'head title script style noscript template nav aside form button select option textarea input label svg math iframe object ' +
    'embed audio video canvas img picture map dialog menu pre samp kbd rt rp hr del s strike'
  ).split(' '),
);
const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data dfn em font i ins mark q ruby rb small span strong sub sup time tt u var wbr ' +
    'nobr'
  ).split(' '),
);
const ROLES =
  /\b(?:navigation|banner|contentinfo|complementary|search|dialog|alertdialog|menu|toolbar|doc-(?:footnotes?|endnotes?|noteref|backlink|toc|pagebreak|pagelist|index|bibliography))\b/;
const EPUB_TYPES =
  /\b(?:footnotes?|endnotes?|rearnotes?|noteref|backlink|toc|landmarks|page-list|pagebreak|index|bibliography|cover)\b/;
const CLASSES =
  /(?:^|[\s_-])(?:footnotes?|footnote-?(?:ref|back)|endnotes?|noteref|reflist|references|mw-editsection|cookie\w*|consent\w*|gdpr\w*|breadcrumbs?|share|sharing|social|related|recommended|newsletter|subscribe|advert\w*|promo|comments?|sr-only|visually-hidden|screen-reader-text|skip-link|pagination|reading-?time|side-?notes?|margin-?notes?|pagenum|page-?numbers?|byline|(?:post|entry|article)-meta|meta|toc)(?:$|[\s_-])/i;
const VERSES = /(?:^|[\s_-])(?:poem|poetry|verses?|stanza|lyrics|block-?quote|letter)(?:$|[\s_-])/i;
const NOTE_ID = /^(?:foot|end)note-\d+$/;
const POWERS: Readonly<Record<string, string>> = { '2': '²', '3': '³' };

/** Adds what is to be read of `root`. */
export function addMarkup(root: MarkupElement, blocks: SourceBlocks): void {
  const text = new GrowingText();
  let term: string | undefined;
  let under: string | undefined;
  let isQuoted = false;
  const flush = (kind: 'paragraph' | 'item') => blocks.add(kind, text.take(), { under, isQuoted });
  /** `kind` is what loose text at this place is. Depth was bounded before parsing. */
  const walk = (node: MarkupNode, kind: 'paragraph' | 'item'): void => {
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (child.nodeType === TEXT_NODE) text.add(child.textContent);
      else if (child.nodeType === ELEMENT_NODE) enter(child as MarkupElement, kind);
    }
  };
  const enter = (element: MarkupElement, kind: 'paragraph' | 'item'): void => {
    const name = element.localName.toLowerCase();
    if (isNotRead(element)) return;
    if (name === 'br') text.add(' ');
    else if (name === 'sup') text.add(raised(element, text.tail()));
    else if (INLINE.has(name)) walk(element, kind);
    else {
      flush(kind);
      if (/^h[1-6]$/.test(name)) {
        walk(element, kind);
        blocks.addHeading(Number(name[1]), text.take());
      } else if (name !== 'table' || addTable(element, blocks, textOf) === undefined) {
        const inside = /^(?:li|dt|dd)$/.test(name) ? 'item' : kind;
        const outer = { under, isQuoted };
        isQuoted ||= name === 'blockquote' || VERSES.test(element.getAttribute('class') ?? '');
        // An explanation is under the term before it, whatever it consists of.
        under = name === 'dd' ? term : name === 'dt' ? undefined : under;
        walk(element, inside);
        if (name === 'dt') term = text.peek();
        flush(inside);
        ({ under, isQuoted } = outer);
      }
    }
  };
  walk(root, 'paragraph');
  flush('paragraph');
}

/** What a cell of a table says, its paragraphs one after another. */
function textOf(element: MarkupElement): string {
  const inside = createSourceBlocks(Number.POSITIVE_INFINITY);
  addMarkup(element, inside);
  return inside.list
    .map((block) => (block.kind === 'row' ? block.cells.map(({ value }) => value).join(' ') : block.text))
    .join(' ');
}

/** Whether an element is left out with all that it holds. */
export function isNotRead(element: MarkupElement): boolean {
  const name = element.localName.toLowerCase();
  if (NOT_READ.has(name)) return true;
  const attribute = (key: string) => element.getAttribute(key) ?? '';
  if (element.getAttribute('hidden') !== null || attribute('aria-hidden') === 'true') return true;
  if (ROLES.test(attribute('role')) || EPUB_TYPES.test(attribute('epub:type'))) return true;
  if (name !== 'body' && name !== 'html' && CLASSES.test(attribute('class'))) return true;
  if (NOTE_ID.test(attribute('id')) || /display\s*:\s*none/i.test(attribute('style'))) return true;
  // A picture's caption makes no sense without the picture ("left", "above"); a table's is read.
  if (name === 'figcaption') return !holdsTable(element.parentNode as MarkupElement);
  return name === 'a' && leadsBack(element, attribute('href'));
}

/** A link inside the document whose text is only a mark. */
const leadsBack = (link: MarkupElement, href: string): boolean =>
  (href.includes('#') && isNoteMark(link)) || /^\s*[↩↑⤴⬆^]\ufe0e?\s*$/.test(markTextOf(link));

/** A raised text is a mark of a note, unless it is the end of an ordinal (1st, XIXe) or the power of a unit. */
function raised(element: MarkupElement, before: string): string {
  const text = element.textContent.trim();
  if (element.querySelector('a') !== null || element.localName !== 'sup') return '';
  if (/^\p{L}{1,4}$/u.test(text) && /[\dIVXLCMivxlcm.]$/.test(before)) return text;
  if (/(?:^|[\s\d/])(?:[kcdm]?m|ft|in|mi)$/i.test(before)) return POWERS[text] ?? '';
  if (NOTE_MARK.test(text) || /^[\d\s,–-]+$/.test(text)) return '';
  return text;
}

/**
 * A table as rows that can be said: each cell with the name of its column. Tables that only lay out a page, of one column or
 * with tables inside, are read as the text that they hold: for them it returns undefined. `textOf` is all the text of a cell.
 */
function addTable(
  table: MarkupElement,
  blocks: SourceBlocks,
  textOf: (element: MarkupElement) => string,
): 'added' | undefined {
  // Before the rows are looked for: tables in tables would be looked through once for each that is around them.
  const isLayout = table.getAttribute('role') === 'presentation' || table.querySelector('table') !== null;
  if (isLayout) return undefined;
  const rows = [...table.querySelectorAll('tr')].map(cellsOf).filter((cells) => cells.length > 0);
  const columns = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  if (columns < 2) return undefined;
  const caption = table.querySelector('caption');
  if (caption !== null) blocks.add('paragraph', textOf(caption));
  const [first = []] = rows;
  const hasHead = table.querySelector('thead') !== null || first.every((cell) => cell.localName === 'th');
  const names = hasHead ? first.map(textOf) : [];
  for (const cells of rows.slice(hasHead ? 1 : 0))
    blocks.addRow(cells.map((cell, i) => ({ name: names[i] ?? '', value: textOf(cell) })));
  return 'added';
}

const cellsOf = (row: MarkupElement): MarkupElement[] =>
  [...row.children].filter(({ localName }) => localName === 'td' || localName === 'th');
