// Which PlayNotes are listed while others make and delete some, page by page.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextOf, withNewest, withOlder } from '../../src/playground/playnote-list.ts';
import '../support/property-seed.ts';

/** A newer one has a larger number. */
const note = (number: number) => ({
  id: `n${number}`,
  requestedAt: new Date(1e12 + number * 1000).toISOString(),
});
const notes = (...numbers: number[]) => numbers.map(note);
const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id);

describe('the list of PlayNotes', () => {
  it('takes what is new, and lets go what has been deleted', () => {
    const known = withNewest(notes(3, 2, 1), { notes: notes(4, 3, 1), next: undefined });
    expect(idsOf(known)).toEqual(['n4', 'n3', 'n1']);
    expect(withNewest(known, { notes: [], next: undefined })).toEqual([]);
  });

  it('keeps older ones that the first page does not reach, and those that a newer one pushed from it', () => {
    const first = withNewest([], { notes: notes(5, 4), next: '/more' });
    const all = withOlder(first, { notes: notes(3, 2), next: undefined });
    expect(idsOf(all)).toEqual(['n5', 'n4', 'n3', 'n2']);
    expect(idsOf(withNewest(all, { notes: notes(6, 5), next: '/more' }))).toEqual([
      'n6',
      'n5',
      'n4',
      'n3',
      'n2',
    ]);
    expect(idsOf(withNewest(all, { notes: notes(5, 3), next: '/more' }))).toEqual(['n5', 'n3', 'n2']);
  });

  it('is what the gateway has, whatever was made and deleted between two looks', () => {
    const numbers = fc.uniqueArray(fc.nat(30), { maxLength: 12 });
    fc.assert(
      fc.property(numbers, numbers, fc.integer({ min: 1, max: 12 }), (before, after, pageSize) => {
        const listed = (of: readonly number[]) => notes(...[...of].sort((a, b) => b - a));
        const now = listed(after);
        const page = { notes: now.slice(0, pageSize), next: now.length > pageSize ? '/more' : undefined };
        const list = withNewest(listed(before), page);
        expect(idsOf(list).slice(0, page.notes.length)).toEqual(idsOf(page.notes));
        expect(new Set(idsOf(list)).size).toBe(list.length);
        expect(idsOf(list)).toEqual(
          idsOf([...list].sort((a, b) => (a.requestedAt < b.requestedAt ? 1 : -1))),
        );
        if (page.next === undefined) expect(list).toEqual(now);
      }),
    );
  });

  it('finds the next page in the header', () => {
    expect(nextOf('</api/v1/playnotes?cursor=abc&limit=20>; rel="next"')).toBe(
      '/api/v1/playnotes?cursor=abc&limit=20',
    );
    expect(nextOf(null)).toBeUndefined();
  });
});
