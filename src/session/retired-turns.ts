// Ids of turns that are over. A late message for one of them is told apart from a message for a turn that never
// was; the last 1,024 are kept, so a session of any length stays small.

import type { MarkOutcome } from './turn/turn-marks.ts';

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

class KnownTurns implements RetiredTurns {
  private readonly retired = new Map<string, number>();

  add(id: string, client: 'told' | 'untold'): void {
    const { retired } = this;
    retired.set(id, client === 'told' ? TOLD : 0);
    if (retired.size > MOST_KEPT) retired.delete(retired.keys().next().value!);
  }
  has(id: string): boolean {
    return this.retired.has(id);
  }
  settle(id: string, lateMarks: MarkOutcome): void {
    const known = this.retired.get(id);
    if (known !== undefined) this.retired.set(id, lateMarks === 'played' ? known | HEARD : known & ~HEARD);
  }
  lateMarks(id: string): MarkOutcome | undefined {
    const known = this.retired.get(id);
    if (known === undefined) return undefined;
    return (known & HEARD) === 0 ? 'cleared' : 'played';
  }
  tellOnce(id: string): boolean {
    const known = this.retired.get(id);
    if (known === undefined || (known & TOLD) !== 0) return false;
    this.retired.set(id, known | TOLD);
    return true;
  }
}

export const createRetiredTurns = (): RetiredTurns => new KnownTurns();
