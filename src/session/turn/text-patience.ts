// How long one turn waits for further text: after a second without any, what is complete enough is spoken; after
// twenty, the turn is taken to have ended, for its caller may have gone without saying so.

import type { TurnScript } from './turn-script.ts';

const IDLE_TEXT_MS = 1000;
const ABANDONED_TEXT_MS = 20_000;

type PatientScript = Pick<TurnScript, 'input' | 'idle' | 'end'>;

export class TextPatience {
  private readonly script: PatientScript;
  private lastTextMs: number;
  private text: 'flowing' | 'idle' = 'flowing';

  constructor(script: PatientScript, openedAtMs: number) {
    this.script = script;
    this.lastTextMs = openedAtMs;
  }

  /** Text has come. */
  touch(nowMs: number): void {
    this.lastTextMs = nowMs;
    this.text = 'flowing';
  }
  /** Does what is due. */
  tend(nowMs: number): void {
    const { script } = this;
    if (script.input() === 'ended') return;
    const quietMs = nowMs - this.lastTextMs;
    if (quietMs >= ABANDONED_TEXT_MS) script.end();
    else if (quietMs >= IDLE_TEXT_MS && this.text === 'flowing') {
      this.text = 'idle';
      script.idle();
    }
  }
  /** When that is next; infinite once the text has ended. */
  dueMs(): number {
    if (this.script.input() === 'ended') return Number.POSITIVE_INFINITY;
    return this.lastTextMs + (this.text === 'flowing' ? IDLE_TEXT_MS : ABANDONED_TEXT_MS);
  }
}
