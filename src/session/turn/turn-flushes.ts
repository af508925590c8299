// Flushes of one turn: each is answered once, behind the last audio of the text before it.

import { AppError } from '../../base/app-error.ts';

/** One for each sentence of an hour. */
const MAX_OWED = 1000;

export class TurnFlushes {
  private readonly answer: () => void;
  private readonly audible: { readonly atMs: number; readonly count: number }[] = [];
  private owed = 0;

  constructor(answer: () => void) {
    this.answer = answer;
  }

  /** The client asks. Throws `text_full` when too many wait for their answer: they would all be said at once. */
  ask(): void {
    if (this.owed >= MAX_OWED) {
      const message = `${MAX_OWED} flushes of this turn wait for their answer; flush again when some have been answered.`;
      throw new AppError('text_full', message, { retryAfterMs: 1000 });
    }
    this.owed += 1;
  }
  /** All text before the next `count` unanswered flushes has become audio, up to media position `madeMs`. */
  made(madeMs: number, count: number): void {
    this.audible.push({ atMs: madeMs, count });
  }
  /** Answers, in order, the flushes whose audio has been sent. */
  pass(sentMs: number): void {
    const { audible } = this;
    while (audible.length > 0 && audible[0]!.atMs <= sentMs) {
      for (let left = audible.shift()!.count; left > 0; left -= 1) this.answerOne();
    }
  }
  /** Answers all that are left: a flush that came after the last request stands at the end of the turn. */
  settleAll(): void {
    this.audible.length = 0;
    while (this.owed > 0) this.answerOne();
  }

  private answerOne(): void {
    this.owed -= 1;
    this.answer();
  }
}
