// Flushes of one turn: each is answered once, behind the last audio of the text before it.

import { AppError } from '../base/app-error.ts';

export type TurnFlushes = {
  /** The client asks. Throws `text_full` when too many wait for their answer: they would all be said at once. */
  ask(): void;
  /** All text before the next `count` unanswered flushes has become audio, up to media position `madeMs`. */
  made(madeMs: number, count: number): void;
  /** Answers, in order, the flushes whose audio has been sent. */
  pass(sentMs: number): void;
  /** Answers all that are left: a flush that came after the last request stands at the end of the turn. */
  settleAll(): void;
};

/** One for each sentence of an hour. */
const MOST_OWED = 1000;

export function createTurnFlushes(answer: () => void): TurnFlushes {
  const made: { readonly atMs: number; readonly count: number }[] = [];
  let owed = 0;
  const answerOne = () => {
    owed -= 1;
    answer();
  };
  return {
    ask() {
      if (owed >= MOST_OWED) {
        const message = `${MOST_OWED} flushes of this turn wait for their answer; flush again when some have been answered.`;
        throw new AppError('text_full', message, { retryAfterMs: 1000 });
      }
      owed += 1;
    },
    made(atMs, count) {
      made.push({ atMs, count });
    },
    pass(sentMs) {
      while (made.length > 0 && made[0]!.atMs <= sentMs) {
        for (let left = made.shift()!.count; left > 0; left -= 1) answerOne();
      }
    },
    settleAll() {
      made.length = 0;
      while (owed > 0) answerOne();
    },
  };
}
