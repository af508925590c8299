// How much text an element holds, where only that is asked: making the text itself for each of many elements in each
// other, or of many marks in one paragraph, takes the square of it.

import { ELEMENT_NODE, type MarkupElement, type MarkupNode, TEXT_NODE } from './markup-library.ts';

/** All text inside; undefined when that is more than `maxChars`, or in more nodes than that. */
export function textUpTo(element: MarkupElement, maxChars: number): string | undefined {
  let text = '';
  let nodes = 0;
  const isWithin = (node: MarkupNode): boolean => {
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      nodes += 1;
      if (nodes > maxChars) return false;
      if (child.nodeType === TEXT_NODE) text += child.textContent;
      else if (child.nodeType === ELEMENT_NODE && !isWithin(child)) return false;
      if (text.length > maxChars) return false;
    }
    return true;
  };
  return isWithin(element) ? text : undefined;
}

/** How many characters each element under `root` holds, and `root`, found in one walk. Depth was bounded before parsing. */
export function textLengths(root: MarkupElement): ReadonlyMap<MarkupNode, number> {
  const lengths = new Map<MarkupNode, number>();
  const measure = (node: MarkupNode): number => {
    let length = 0;
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (child.nodeType === TEXT_NODE) length += child.textContent.length;
      else if (child.nodeType === ELEMENT_NODE) length += measure(child);
    }
    lengths.set(node, length);
    return length;
  };
  measure(root);
  return lengths;
}

const tables = new WeakMap<MarkupNode, 'table' | 'none'>();

/** Whether a table is inside; asked again and again of one element it is looked for once. */
export function holdsTable(element: MarkupElement): boolean {
  const found = tables.get(element) ?? (element.querySelector('table') === null ? 'none' : 'table');
  tables.set(element, found);
  return found === 'table';
}
