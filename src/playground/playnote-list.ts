// Which PlayNotes the page lists, from the pages that the gateway has given: the newest is asked for again and again, older
// ones once. A PlayNote that was made or deleted elsewhere comes and goes as if it had been here.

import type { PlayNoteRecord } from '../speech/service-records.ts';

export type ListedNote = Pick<PlayNoteRecord, 'id' | 'requestedAt'>;
export type NotePage<Note extends ListedNote> = {
  /** Newest first. */
  readonly notes: readonly Note[];
  /** Where the page of older ones is. */
  readonly next: string | undefined;
};

/** `known`: what is listed, newest first; `newest`: the first page as it is now. */
export function withNewest<Note extends ListedNote>(
  known: readonly Note[],
  { notes, next }: NotePage<Note>,
): readonly Note[] {
  // The page is all that there is, or all down to its last one: what was newer and is not in it has been deleted.
  const last = notes.at(-1);
  if (next === undefined || last === undefined) return notes;
  const there = new Set(notes.map(({ id }) => id));
  return [...notes, ...known.filter((note) => !there.has(note.id) && note.requestedAt <= last.requestedAt)];
}

/** `older`: the page behind the last one of `known`. */
export function withOlder<Note extends ListedNote>(
  known: readonly Note[],
  older: NotePage<Note>,
): readonly Note[] {
  const there = new Set(known.map(({ id }) => id));
  return [...known, ...older.notes.filter(({ id }) => !there.has(id))];
}

const NEXT = /<([^>]+)>;\s*rel="next"/;

/** Of a `Link` header (RFC 8288), as the gateway writes it. */
export const nextOf = (link: string | null): string | undefined => NEXT.exec(link ?? '')?.[1];
