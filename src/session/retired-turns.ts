// Ids of turns that are over. A late message for one of them is told apart from a message for a turn that never
// was; the last 1,024 are kept, so a session of any length stays small.

import type { Outcome } from '../dialects/native-events.ts';

const MOST_KEPT = 1024;

type Retired = { readonly outcome: Outcome; told: boolean };

export type RetiredTurns = {
  add(id: string, outcome: Outcome): void;
  outcomeOf(id: string): Outcome | undefined;
  /** True the first time it is asked for `id`: the caller is told once that the turn has ended. */
  tellOnce(id: string): boolean;
};

export function createRetiredTurns(): RetiredTurns {
  const retired = new Map<string, Retired>();
  return {
    add(id, outcome) {
      retired.set(id, { outcome, told: false });
      if (retired.size > MOST_KEPT) retired.delete(retired.keys().next().value!);
    },
    outcomeOf: (id) => retired.get(id)?.outcome,
    tellOnce(id) {
      const found = retired.get(id);
      if (found === undefined || found.told) return false;
      found.told = true;
      return true;
    },
  };
}
