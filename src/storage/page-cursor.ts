// Where a page of a list ends: time and id of its last row. Rows that come or go meanwhile move nothing, and a cursor
// says nothing that its owner does not know.

export type Position = { readonly atMs: number; readonly id: string };

/** Before every row of a list that begins with the newest. */
const NEWEST: Position = { atMs: Number.MAX_SAFE_INTEGER, id: '' };

const MAX_CURSOR = 256;

const toCursor = ({ atMs, id }: Position): string =>
  Buffer.from(JSON.stringify([atMs, id])).toString('base64url');

/** What is no cursor of ours is the start of the list. */
export function fromCursor(cursor: string | undefined): Position {
  if (cursor === undefined || cursor.length > MAX_CURSOR) return NEWEST;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(parsed) || parsed.length !== 2) return NEWEST;
    const [atMs, id] = parsed as readonly unknown[];
    if (!Number.isSafeInteger(atMs) || typeof id !== 'string' || id.includes('\0')) return NEWEST;
    return { atMs: atMs as number, id };
  } catch {
    return NEWEST;
  }
}

/**
 * A page of what was asked for with one row more than `limit`: the rows, and the cursor of the next page when that one
 * row was there.
 */
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => Position,
): { readonly rows: readonly Row[]; readonly next: string | undefined } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown,
    next: rows.length > limit && last !== undefined ? toCursor(positionOf(last)) : undefined,
  };
}

/** Newest first; of equal times, an order that stays. SQLite compares text by its bytes, as this does for ASCII. */
export const isAfter = (one: Position, other: Position): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.id < other.id);
