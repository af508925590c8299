// The media leg of a phone call, as a session plays to it: audio of turns in, cleared on barge-in, with the far side's own
// word on what it has played.

import type { LegAudio } from '../legs/leg.ts';

/** Audio of a turn, in order. */
export type LegPiece = {
  readonly turn: string;
  /** Media position of the first sample, and how long it lasts, ms. */
  readonly atMs: number;
  readonly ms: number;
  readonly bytes: Uint8Array;
  /** What it is in; absent: the rate of the leg. */
  readonly sampleRate?: number;
};

export type CallLeg = {
  readonly id: string;
  readonly kind: string;
  /** The platform's id of the call. */
  readonly callId: string | undefined;
  /** What it carries now: some platforms tell the rate of a call late, and turns that were made before are brought to it. */
  audio(): LegAudio;
  readonly leadMs: number;
  /** Whether the far side tells what it has played. */
  readonly reports: 'marks' | 'nothing';
  /** To be sent now, or with what follows until `uncork`. */
  play(piece: LegPiece): void;
  cork(): void;
  uncork(): void;
  isCongested(): boolean;
  /** How far a turn is heard even when it is cut now, ms; undefined where a clear has the far side drop what it has. */
  committedMs(turn: string): number | undefined;
  /** All audio of the turn has been played to the leg; what was held back to be sent together goes out. */
  finish(turn: string): void;
  /**
   * Drops all that has not been played, at the far side, too, even when nothing seems to be there; only a far side that
   * has nothing but turns that go on is left alone. `heardMs` tells how far a turn that goes on has been heard, and
   * undefined for others; what is left of those that go on is sent again.
   */
  clear(heardMs: (turn: string) => number | undefined): void;
  /**
   * As `clear`, for one turn that is to be silent for a while: tells from which media position it has not been played, ms;
   * undefined, and nothing has happened, when that is none of it, or the far side takes nothing back.
   */
  takeBack?(turn: string, heardMs: (turn: string) => number | undefined): number | undefined;
  /** Ends the call. */
  hangUp(): void;
  /** Lets the leg go; it drops what it has to play. */
  release(): void;
};

/** What a leg tells the session that has it. */
export type LegListener = {
  /** The far side has played a turn up to here, ms; never more than was sent. */
  onPlayed(turn: string, playedMs: number): void;
  /** What the caller says. */
  onAudio(bytes: Uint8Array): void;
  onDigit(digit: string): void;
  /** From now on the caller is heard in this audio, and turns that are named are to be in it. */
  onAudioChanged(audio: LegAudio): void;
  /** The call is over, or its socket is gone. */
  onGone(reason: string): void;
};
