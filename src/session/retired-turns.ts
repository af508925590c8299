// Ids of turns that are over. A late message for one of them is told apart from a message for a turn that never
// was; the last 1,024 are kept, so a session of any length stays small.

import type { MarkOutcome } from './turn-marks.ts';

const MOST_KEPT = 1024;

type Retired = { lateMarks: MarkOutcome; told: boolean };

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

export function createRetiredTurns(): RetiredTurns {
  const retired = new Map<string, Retired>();
  return {
    add(id, client) {
      retired.set(id, { lateMarks: 'cleared', told: client === 'told' });
      if (retired.size > MOST_KEPT) retired.delete(retired.keys().next().value!);
    },
    has: (id) => retired.has(id),
    settle(id, lateMarks) {
      const found = retired.get(id);
      if (found !== undefined) found.lateMarks = lateMarks;
    },
    lateMarks: (id) => retired.get(id)?.lateMarks,
    tellOnce(id) {
      const found = retired.get(id);
      if (found === undefined || found.told) return false;
      found.told = true;
      return true;
    },
  };
}
