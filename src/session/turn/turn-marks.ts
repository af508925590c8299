// Marks of one turn: each waits for a place in the text or for the end of the audio, and is answered once.

import { AppError } from '../../base/app-error.ts';

export type MarkOutcome = 'played' | 'cleared';

/**
 * Says where the text before a mark has been spoken; undefined while that is unknown, 'never' when its listener has
 * sought past it.
 */
export type MarkPlace = () => number | 'never' | undefined;

export type TurnMarks = {
  /** Throws `marks_full`. */
  add(name: string, endMs: MarkPlace): void;
  /** Answers, in order, the marks that have been passed at `playedMs`. */
  pass(playedMs: number): void;
  settleAll(outcome: MarkOutcome): void;
  pending(): number;
};

/** One a second for four minutes ahead; nobody waits for more. */
const MOST_MARKS = 256;

type AnswerMark = (name: string, outcome: MarkOutcome) => void;

class WaitingMarks implements TurnMarks {
  private readonly answer: AnswerMark;
  private waiting: { readonly name: string; readonly endMs: MarkPlace }[] = [];

  constructor(answer: AnswerMark) {
    this.answer = answer;
  }

  add(name: string, endMs: MarkPlace): void {
    if (this.waiting.length >= MOST_MARKS) {
      throw new AppError(
        'marks_full',
        `${MOST_MARKS} marks of this turn wait already; send more when some have come back.`,
        {
          retryAfterMs: 1000,
        },
      );
    }
    this.waiting.push({ name, endMs });
  }
  pass(playedMs: number): void {
    while (this.waiting.length > 0) {
      const endMs = this.waiting[0]!.endMs();
      if (endMs === undefined || (endMs !== 'never' && endMs > playedMs)) return;
      this.answer(this.waiting.shift()!.name, endMs === 'never' ? 'cleared' : 'played');
    }
  }
  settleAll(outcome: MarkOutcome): void {
    const all = this.waiting;
    this.waiting = [];
    for (const mark of all) this.answer(mark.name, outcome);
  }
  pending(): number {
    return this.waiting.length;
  }
}

export const createTurnMarks = (answer: AnswerMark): TurnMarks => new WaitingMarks(answer);
