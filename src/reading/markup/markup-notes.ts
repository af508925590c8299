// Notes of a page that nothing marks as such: what a mark in the text (a link whose text is a number or a sign) leads
// to. Books keep them in files of their own, so that places are remembered from file to file.

import type { MarkupDocument, MarkupElement } from './markup-library.ts';
import { textUpTo } from './markup-text.ts';

/** A mark of a note: digits, a letter, a sign, with or without brackets. */
export const NOTE_MARK =
  /^\s*[[(]?(?:\d{1,3}|[a-z]|[ivx]{1,5}|[*†‡§¶#^↩↑]{1,3})[\])]?(?:\s*,\s*\d{1,3})*[.)]?\s*$/i;

/** With the blanks of its source around it. */
const MAX_MARK_CHARS = 200;
/** What a link says, if it is as short as a mark; else nothing. */
export const markTextOf = (link: MarkupElement): string => textUpTo(link, MAX_MARK_CHARS) ?? '';
export const isNoteMark = (link: MarkupElement): boolean => NOTE_MARK.test(markTextOf(link));

const MAX_NOTE_CHARS = 3_000;
/** With the blanks and elements of its source. */
const MAX_NOTE_SOURCE_CHARS = 6_000;
/** How far a note and the place in it are compared. */
const COMPARED_CHARS = 20;
/** What holds one note; a mark that leads to a heading or a section is an entry of a table of contents. */
const NOTE_ELEMENT = /^(?:li|p|dd|div|aside|blockquote|td|tr)$/;

/**
 * Takes the notes out of `document`, whose address in its book is `path`. `places` (`path#id`) is what marks have led
 * to so far; those of this document are added.
 */
export function removeNotes(document: MarkupDocument, path: string, places: Set<string>): void {
  for (const link of document.querySelectorAll('a')) {
    const [file, id] = (link.getAttribute('href') ?? '').split('#');
    if (!id || !isNoteMark(link)) continue;
    places.add(`${file === '' ? path : lastPart(file!)}#${id}`);
  }
  // Many places may stand in one element, whose text is looked at once.
  const texts = new Map<MarkupElement, string | undefined>();
  const textOf = (note: MarkupElement) => {
    if (!texts.has(note)) texts.set(note, textUpTo(note, MAX_NOTE_SOURCE_CHARS)?.trim());
    return texts.get(note);
  };
  for (const element of [...document.querySelectorAll('[id]')]) {
    if (!places.has(`${path}#${element.getAttribute('id')}`)) continue;
    const note = noteAround(element);
    // The mark itself is such a place, too: its note leads back to it.
    if (note !== undefined && isNote(note, element, textOf(note))) note.remove();
  }
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function noteAround(element: MarkupElement): MarkupElement | undefined {
  let around: MarkupElement | null = element;
  for (let i = 0; i < 3 && around !== null; i++) {
    if (NOTE_ELEMENT.test(around.localName)) return around;
    around = around.parentNode as MarkupElement | null;
  }
  return undefined;
}

/** The place is the note itself, or stands at its very beginning. */
function isNote(note: MarkupElement, place: MarkupElement, text: string | undefined): boolean {
  if (text === undefined || text.length > MAX_NOTE_CHARS) return false;
  return (
    note === place ||
    (text.startsWith(placeTextOf(place) || text.slice(0, 1)) && /^[[(]?[\d*†‡^↩]/.test(text))
  );
}

const placeTextOf = (place: MarkupElement): string =>
  (textUpTo(place, MAX_NOTE_SOURCE_CHARS) ?? '').trim().slice(0, COMPARED_CHARS);
