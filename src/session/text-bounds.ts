// How much text a session takes: in one message, waiting in one turn, in one turn, and in memory. What is too much is
// refused before anything of it is kept.

import { AppError } from '../base/app-error.ts';
import type { SessionLimits } from './session-runtime.ts';
import { fullTextBytes, maxTextBytes } from './turn/turn-script.ts';

/** The longest text of one appended turn, so that what was heard of it can be told in one message. */
const MAX_TURN_CHARACTERS = 500_000;

export class TextBounds {
  private readonly limits: Pick<SessionLimits, 'textChars' | 'pendingTextChars' | 'textBytes'>;
  private readonly takenBytes: () => number;

  /** `takenBytes`: memory that the texts of the session take, their words included. */
  constructor(limits: TextBounds['limits'], takenBytes: () => number) {
    this.limits = limits;
    this.takenBytes = takenBytes;
  }

  /** Of one message. Throws `text_too_long`. */
  checkLength(characters: number): void {
    const { textChars } = this.limits;
    if (characters <= textChars) return;
    throw new AppError(
      'text_too_long',
      `text: must have at most ${textChars} characters (got ${characters}); split it into turns, or append it in pieces`,
    );
  }
  /** Of one turn, `before` of it there already. Throws `text_too_long`. */
  checkTurn(characters: number, before: number): void {
    if (before + characters <= MAX_TURN_CHARACTERS) return;
    const message = `A turn has at most ${MAX_TURN_CHARACTERS} characters; go on in another turn.`;
    throw new AppError('text_too_long', message);
  }
  /** Of one turn, `pending` of it not spoken yet. Throws `text_full`. */
  checkRoom(characters: number, pending: number): void {
    const { pendingTextChars } = this.limits;
    if (pending + characters <= pendingTextChars) return;
    const message = `At most ${pendingTextChars} characters of a turn may wait; append again when some have been spoken.`;
    throw new AppError('text_full', message, { retryAfterMs: 1000 });
  }
  /** A text that is alone in its session is taken, whatever it needs. Throws `text_full`. */
  checkMemory(text: string): void {
    const { textBytes } = this.limits;
    const taken = this.takenBytes();
    if (taken === 0 || taken + maxTextBytes(text.length) <= textBytes) return; // without reading it
    if (taken + fullTextBytes(text) <= textBytes) return;
    const message = `The texts of a session may take ${textBytes} bytes of memory, words included; send this again when a turn has ended.`;
    throw new AppError('text_full', message, { retryAfterMs: 1000 });
  }
}
