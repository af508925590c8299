// Flushes of one turn: each is answered once, behind the last audio of the text before it.

export type TurnFlushes = {
  /** The client asks. */
  ask(): void;
  /** All text before the next unanswered flush has become audio, up to media position `madeMs`. */
  made(madeMs: number): void;
  /** Answers, in order, the flushes whose audio has been sent. */
  pass(sentMs: number): void;
  /** Answers all that are left: a flush that came after the last request stands at the end of the turn. */
  settleAll(): void;
};

export function createTurnFlushes(answer: () => void): TurnFlushes {
  const madeAtMs: number[] = [];
  let owed = 0;
  const answerOne = () => {
    owed -= 1;
    answer();
  };
  return {
    ask() {
      owed += 1;
    },
    made(madeMs) {
      madeAtMs.push(madeMs);
    },
    pass(sentMs) {
      while (madeAtMs.length > 0 && madeAtMs[0]! <= sentMs) {
        madeAtMs.shift();
        answerOne();
      }
    },
    settleAll() {
      madeAtMs.length = 0;
      while (owed > 0) answerOne();
    },
  };
}
