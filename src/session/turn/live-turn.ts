// What the line of turns knows of a turn: how it is begun, sent, heard and cut. `create-live-turn.ts` makes one.

import type { TurnAudience } from '../observers/turn-programme.ts';
import type { TurnOutlet } from '../session-outlet.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import type { TurnSettings } from '../turn-settings.ts';
import type { ReportedBy } from './heard-ledger.ts';
import type { Turn } from './turn.ts';
import type { MarkOutcome } from './turn-marks.ts';
import type { TurnScript, WholeText } from './turn-script.ts';
import type { Speaker } from './turn-work.ts';

export type LiveTurnOptions = {
  readonly id: string;
  readonly settings: TurnSettings;
  readonly whole: WholeText | undefined;
  readonly runtime: SessionRuntime;
  readonly speaker: Speaker;
  /** Turns of the client that had not ended when this one was named. */
  readonly turnsBefore: number;
  /** When they will have been heard. */
  readonly freeAtMs: number;
  /** Compressed audio that this turn may keep, given what its neighbours keep. */
  readonly spoolCapacityBytes: (keptBytes: number) => number;
  readonly outlet: TurnOutlet;
  readonly audience: TurnAudience;
};

export type LiveTurn = {
  readonly id: string;
  readonly settings: TurnSettings;
  readonly script: TurnScript;
  phase(): Turn['phase'];
  /** How marks fare that come when the turn is finished. */
  lateMarks(): MarkOutcome;
  /** Lets synthesis begin; further calls do nothing. */
  begin(): void;
  /** Sends what is due; a turn that has not begun to play is heard from `freeAtMs` on. */
  sendDue(nowMs: number, freeAtMs: number): void;
  /**
   * When time alone will let `sendDue` do more, as of its last run: `nowMs` when it is worth a look at every tick,
   * infinite when something must happen first.
   */
  nextSendMs(nowMs: number): number;
  /** Answers marks that have been passed, and ends a turn that has been heard. */
  settle(nowMs: number): void;
  /** As `nextSendMs`, for `settle`. */
  nextSettleMs(nowMs: number): number;
  /** When text that is held back, because enough is left to hear, is to be looked at again. */
  nextRequestMs(nowMs: number): number;
  /** Nothing more is sent until `resume`; `playedMs` is where the listener stopped, as reported by the client. */
  pause(playedMs: number | undefined): void;
  resume(): void;
  /** It is paused, before its first audio or in it. */
  isStill(): boolean;
  /**
   * Goes on from another paragraph. With `playedMs` the listener has dropped what had not been played. Throws
   * `invalid_request` when there is no such paragraph.
   */
  seek(paragraph: number, playedMs: number | undefined): void;
  cancel(playedMs: number | undefined): void;
  /** Something broke inside: the turn ends, its neighbours go on. */
  fail(fault: unknown): void;
  /** Stops without a word: the client is gone. */
  abandon(): void;
  played(ms: number, by: ReportedBy): void;
  /** What has been heard of it, ms; 0 before its first audio. */
  heardMs(nowMs: number): number;
  flush(): void;
  mark(name: string): void;
  /** When the listener will have heard all that was sent; undefined before the first audio. */
  heardUntilMs(): number | undefined;
  /** Audio that has been sent and will be heard from `nowMs` on, what comes before it not counted. */
  unheardMs(nowMs: number): number;
  /** The listener dropped `ms` of earlier audio: this turn is heard that much sooner. */
  pullForward(ms: number): void;
  /** Audio that has arrived and has not been heard, ms. */
  remainingMs(): number;
  /** Compressed and encoded audio that is kept. */
  bufferedBytes(): number;
  /** Memory that its text takes, and what has been made of it; `full`: when all its words are known. */
  textBytes(when: 'now' | 'full'): number;
  wantsRefill(): boolean;
  refill(): void;
};

/** It has said its `ended`, whether it has been heard or not. */
export const isEnded = (turn: LiveTurn): boolean =>
  turn.phase() === 'draining' || turn.phase() === 'finished';
