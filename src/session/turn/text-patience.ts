// How long one turn waits for further text. Where a writer stops, a person reading aloud says what there is: after a second
// what is complete enough, whatever mark it lacks; after three what clearly is not (a number without what it counts, a word
// or a tag that breaks off, the beginning of a turn prefix); after twenty the turn is taken to have ended, for its caller may
// have gone without saying so.

import type { TurnScript } from './turn-script.ts';

/** Longer than writers pause between two tokens, as short as a listener takes for a breath. */
const IDLE_TEXT_MS = 1000;
/** Most stalls of a token stream are over by then, and a listener begins to ask whether anybody is there. */
const UNFINISHED_TEXT_MS = 3000;
const ABANDONED_TEXT_MS = 20_000;

type PatientScript = Pick<TurnScript, 'input' | 'idle' | 'end'>;

/** What has been done since text came last. */
type Waited = 'nothing' | 'short' | 'long';

const DUE_MS: Readonly<Record<Waited, number>> = {
  nothing: IDLE_TEXT_MS,
  short: UNFINISHED_TEXT_MS,
  long: ABANDONED_TEXT_MS,
};

export class TextPatience {
  private readonly script: PatientScript;
  private lastTextMs: number;
  private waited: Waited = 'nothing';

  constructor(script: PatientScript, openedAtMs: number) {
    this.script = script;
    this.lastTextMs = openedAtMs;
  }

  /** Text has come. */
  touch(nowMs: number): void {
    this.lastTextMs = nowMs;
    this.waited = 'nothing';
  }
  /** Does what is due. */
  tend(nowMs: number): void {
    const { script } = this;
    if (script.input() === 'ended') return;
    const quietMs = nowMs - this.lastTextMs;
    if (quietMs >= ABANDONED_TEXT_MS) return script.end();
    if (quietMs >= UNFINISHED_TEXT_MS) this.idle('long');
    else if (quietMs >= IDLE_TEXT_MS) this.idle('short');
  }
  /** When that is next; infinite once the text has ended. */
  dueMs(): number {
    if (this.script.input() === 'ended') return Number.POSITIVE_INFINITY;
    return this.lastTextMs + DUE_MS[this.waited];
  }

  private idle(pause: 'short' | 'long'): void {
    if (this.waited === 'long' || this.waited === pause) return;
    this.waited = pause;
    this.script.idle(pause);
  }
}
