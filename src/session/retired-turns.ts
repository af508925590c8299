// Ids of turns that are over. A late message for one of them is told apart from a message for a turn that never
// was; the last 1,024 are kept, so a session of any length stays small.

import type { MarkOutcome } from './turn-marks.ts';

const MOST_KEPT = 1024;

export type RetiredTurns = {
  /** The turn has ended, of which its client may have been `told` before; until it is known better, nothing of it was heard. */
  add(id: string, client: 'told' | 'untold'): void;
  has(id: string): boolean;
  /** The turn has been heard, or cut: so are marks that still come for it. */
  settle(id: string, lateMarks: MarkOutcome): void;
  lateMarks(id: string): MarkOutcome | undefined;
  /** True the first time it is asked for `id`: the caller is told once that the turn has ended. */
  tellOnce(id: string): boolean;
};

/** What is known of an id is one small number: a session that is open for hours keeps a thousand of them. */
const HEARD = 1;
const TOLD = 2;

export function createRetiredTurns(): RetiredTurns {
  const retired = new Map<string, number>();
  return {
    add(id, client) {
      retired.set(id, client === 'told' ? TOLD : 0);
      if (retired.size > MOST_KEPT) retired.delete(retired.keys().next().value!);
    },
    has: (id) => retired.has(id),
    settle(id, lateMarks) {
      const known = retired.get(id);
      if (known !== undefined) retired.set(id, lateMarks === 'played' ? known | HEARD : known & ~HEARD);
    },
    lateMarks(id) {
      const known = retired.get(id);
      if (known === undefined) return undefined;
      return (known & HEARD) === 0 ? 'cleared' : 'played';
    },
    tellOnce(id) {
      const known = retired.get(id);
      if (known === undefined || (known & TOLD) !== 0) return false;
      retired.set(id, known | TOLD);
      return true;
    },
  };
}
