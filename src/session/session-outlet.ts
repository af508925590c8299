// Where a turn's messages and audio go. What stands behind it decides what a client's socket gets.

import type { ServerEvent } from '../dialects/native-events.ts';

export type OutgoingAudio = {
  readonly turn: string;
  readonly encoding: 'binary' | 'base64';
  readonly seq: number;
  /** Media position of the first sample, ms. */
  readonly atMs: number;
  readonly durationMs: number;
  /** Good until `sendAudio` returns. */
  readonly bytes: Uint8Array;
};

/** The client's side, as its session sees it. Its members are properties: each turn has them as its own. */
export type SessionOutlet = {
  readonly say: (event: ServerEvent) => void;
  readonly sendAudio: (audio: OutgoingAudio) => void;
  /** True while the client's socket holds more than it should; nothing is sent then. */
  readonly isCongested: () => boolean;
  /** What is said and sent between the two leaves together: a turn begins with all of its lead at once. */
  readonly cork: () => void;
  readonly uncork: () => void;
  /** The session ends within so long, when what is said has been heard: its call does. */
  readonly leave?: (deadlineMs: number) => void;
};

export type TurnOutlet = SessionOutlet & {
  /** Whether its player tells what it has played. */
  readonly reports: 'marks' | 'none';
  /** How far the turn is heard even when it is cut now, ms; undefined where a cut is heard at once. */
  readonly committedMs: () => number | undefined;
  /**
   * What its player has not played is silent at once; tells from which media position, ms, and undefined when that
   * cannot be. Absent: what was sent is the client's own.
   */
  readonly takeBack?: (() => number | undefined) | undefined;
};
