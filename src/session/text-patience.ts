// How long one turn waits for further text: after a second without any, what is complete enough is spoken; after
// twenty, the turn is taken to have ended, for its caller may have gone without saying so.

import type { TurnScript } from './turn-script.ts';

export type TextPatience = {
  /** Text has come. */
  touch(nowMs: number): void;
  /** Does what is due. */
  tend(nowMs: number): void;
  /** When that is next; infinite once the text has ended. */
  dueMs(): number;
};

const IDLE_TEXT_MS = 1000;
const ABANDONED_TEXT_MS = 20_000;

export function createTextPatience(
  script: Pick<TurnScript, 'input' | 'idle' | 'end'>,
  openedAtMs: number,
): TextPatience {
  let lastTextMs = openedAtMs;
  let text: 'flowing' | 'idle' = 'flowing';
  return {
    touch(nowMs) {
      lastTextMs = nowMs;
      text = 'flowing';
    },
    tend(nowMs) {
      if (script.input() === 'ended') return;
      const quietMs = nowMs - lastTextMs;
      if (quietMs >= ABANDONED_TEXT_MS) script.end();
      else if (quietMs >= IDLE_TEXT_MS && text === 'flowing') {
        text = 'idle';
        script.idle();
      }
    },
    dueMs() {
      if (script.input() === 'ended') return Number.POSITIVE_INFINITY;
      return lastTextMs + (text === 'flowing' ? IDLE_TEXT_MS : ABANDONED_TEXT_MS);
    },
  };
}
