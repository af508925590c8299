// A turn as onlookers follow it: where the listener is in it, its words, and its sound.

import type { WordReader } from '../../captions/word-timeline.ts';
import type { EventOf } from '../../dialects/native-events.ts';
import type { Position } from '../turn/heard-ledger.ts';
import type { TurnSettings } from '../turn-settings.ts';
import type { TurnRecording } from './turn-recording.ts';

export type TurnPlayback = {
  readonly turn: string;
  readonly settings: TurnSettings;
  /** Where the listener is by the clock, whatever was reported; media position 0 was heard at `anchorMs`. */
  position(nowMs: number): Position;
  /** The caller's text so far, line by line. */
  lines(): readonly string[];
  /** Reads the words for itself, from the first one on, by their times as sent. */
  readWords(): WordReader;
  /** Where a time of a word lies in what is sent, ms. */
  toSentMs(ownMs: number): number;
  readonly recording: TurnRecording;
};

/** What a turn tells of itself, and asks before it does something for onlookers alone. */
export type TurnAudience = {
  /** `started` has been said, perhaps in an earlier life of the session. */
  began(playback: TurnPlayback, started: EventOf<'started'>): void;
  /** An onlooker wants its sound in a format in which it is not sent. */
  wantsRecording(settings: TurnSettings): boolean;
};
