// The media leg of a phone call, as a session plays to it: audio of turns in, cleared on barge-in, with the far side's reports of
// what it has played.

import type { LegAudio } from '../legs/leg.ts';

/** Audio of a turn, in order. */
export type LegPiece = {
  readonly turn: string;
  /** Media position of the first sample, and how long it lasts, ms. */
  readonly atMs: number;
  readonly ms: number;
  readonly bytes: Uint8Array;
  /** Of `bytes`; absent: the rate of the leg. */
  readonly sampleRate?: number;
};

export type CallLeg = {
  readonly id: string;
  readonly kind: string;
  /** The platform's id of the call. */
  readonly callId: string | undefined;
  /** Its present format: some platforms report the rate of a call late, and earlier turns are resampled to it. */
  audio(): LegAudio;
  readonly leadMs: number;
  /** Whether the far side reports what it has played. */
  readonly reports: 'marks' | 'nothing';
  /** Sent now, or after `cork` together with what follows until `uncork`. */
  play(piece: LegPiece): void;
  cork(): void;
  uncork(): void;
  isCongested(): boolean;
  /** How far a turn is heard even if it is cut now, ms; undefined where a clear also drops what the far side has. */
  committedMs(turn: string): number | undefined;
  /** The leg has got all audio of the turn; what was held back to be sent together goes out. */
  finish(turn: string): void;
  /**
   * Drops all audio that has not been played, also at the far side, even when nothing seems to be there; only a far side that has
   * nothing but turns that go on is not cleared. `heardMs` returns how far a turn that goes on has been heard, and undefined
   * for others; the rest of those that go on is sent again.
   */
  clear(heardMs: (turn: string) => number | undefined): void;
  /**
   * As `clear`, for one turn that is paused: returns the media position from which it has not been played, ms; undefined, without
   * effect, when all of it was played, or the far side cannot drop audio.
   */
  takeBack?(turn: string, heardMs: (turn: string) => number | undefined): number | undefined;
  /** Ends the call. */
  hangUp(): void;
  /** Releases the leg; it drops what it has to play. */
  release(): void;
};

/** The callbacks of a leg to the session that owns it. */
export type LegListener = {
  /** The far side has played a turn up to here, ms; never more than was sent. */
  onPlayed(turn: string, playedMs: number): void;
  /** The caller's audio. */
  onAudio(bytes: Uint8Array): void;
  onDigit(digit: string): void;
  /** From now on the caller's audio has this format, and new turns are to be made in it. */
  onAudioChanged(audio: LegAudio): void;
  /** The instance that has its socket stops within so long: what is said by then is heard to its end. */
  onLeaving?(deadlineMs: number): void;
  /** The call is over, or its socket is gone. */
  onGone(reason: string): void;
};
