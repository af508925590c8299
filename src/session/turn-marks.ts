// Marks of one turn: each waits for a place in the text or for the end of the audio, and is answered once.

import { AppError } from '../base/app-error.ts';

export type MarkOutcome = 'played' | 'cleared';

export type TurnMarks = {
  /**
   * `endMs` says where the text before the mark has been spoken; undefined while that is unknown, 'never' when its
   * listener has sought past it.
   * Throws `marks_full`.
   */
  readonly add: (name: string, endMs: () => number | 'never' | undefined) => void;
  /** Answers, in order, the marks that have been passed at `playedMs`. */
  pass(playedMs: number): void;
  settleAll(outcome: MarkOutcome): void;
  pending(): number;
};

/** One a second for four minutes ahead; nobody waits for more. */
const MOST_MARKS = 256;

export function createTurnMarks(answer: (name: string, outcome: MarkOutcome) => void): TurnMarks {
  let waiting: { readonly name: string; readonly endMs: () => number | 'never' | undefined }[] = [];
  return {
    add(name, endMs) {
      if (waiting.length >= MOST_MARKS) {
        throw new AppError(
          'marks_full',
          `${MOST_MARKS} marks of this turn wait already; send more when some have come back.`,
          {
            retryAfterMs: 1000,
          },
        );
      }
      waiting.push({ name, endMs });
    },
    pass(playedMs) {
      while (waiting.length > 0) {
        const endMs = waiting[0]!.endMs();
        if (endMs === undefined || (endMs !== 'never' && endMs > playedMs)) return;
        answer(waiting.shift()!.name, endMs === 'never' ? 'cleared' : 'played');
      }
    },
    settleAll(outcome) {
      const all = waiting;
      waiting = [];
      for (const mark of all) answer(mark.name, outcome);
    },
    pending: () => waiting.length,
  };
}
