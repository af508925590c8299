// Flushes of one turn: each is answered once, behind the last audio of the text before it.

export type TurnFlushes = {
  /** The client asks. */
  ask(): void;
  /** All text before the next `count` unanswered flushes has become audio, up to media position `madeMs`. */
  made(madeMs: number, count: number): void;
  /** Answers, in order, the flushes whose audio has been sent. */
  pass(sentMs: number): void;
  /** Answers all that are left: a flush that came after the last request stands at the end of the turn. */
  settleAll(): void;
};

export function createTurnFlushes(answer: () => void): TurnFlushes {
  const made: { readonly atMs: number; readonly count: number }[] = [];
  let owed = 0;
  const answerOne = () => {
    owed -= 1;
    answer();
  };
  return {
    ask() {
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
