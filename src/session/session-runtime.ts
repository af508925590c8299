// What every session shares: ports, codecs, limits and the gauges that sessions feed.

import type { Codecs } from '../audio/transcoder.ts';
import { type AppError, toAppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import type { Outcome } from '../dialects/native-events.ts';
import type { SpeechServices } from '../pipeline/speech-services.ts';
import type { SpeechRecovery } from '../pipeline/whole-body/speech-recovery.ts';
import type { WordTimer } from '../pipeline/word-timing/word-timer.ts';
import type { PlayoutClock } from '../playout/playout-clock.ts';
import type { ListedVoice } from '../speech/listed-voice.ts';
import type { PhraseStore } from '../storage/phrase-store.ts';
import type { SpeechUpstream } from '../upstream/speech-upstream.ts';
import type { AdmissionControl } from './admission-control.ts';
import type { LegBroker } from './leg-broker.ts';
import type { OnlookerRuntime } from './observers/session-audience.ts';
import type { TextWork, WorkMeter } from './text-work.ts';

export type SessionLimits = {
  /** Longest whole text, characters. */
  readonly textChars: number;
  /** Most appended text of one turn that may wait to be spoken, characters. */
  readonly pendingTextChars: number;
  /** Memory that the texts of all turns may take together, with all that is made of them. */
  readonly textBytes: number;
  readonly turnsInFlight: number;
  /** Compressed audio that all turns of a session may keep together. */
  readonly spoolBytes: number;
  /** A turn under credit that hears nothing for so long ends `truncated`. */
  readonly creditTimeoutMs: number;
  /** A turn that is paused for so long ends. */
  readonly pauseTimeoutMs: number;
  /** How long a turn waits for a key while its listener has nothing to hear: at its beginning, and later on. */
  readonly upstreamMaxWaitMs: number;
};

export type SessionMetrics = {
  firstAudio(ms: number): void;
  underrun(gapMs: number): void;
  /** Once for each turn. `left`: its session ended first. `characters` of the caller's text, in code points. */
  turnEnded(outcome: Outcome | 'left', sentMs: number, characters: number): void;
};

/** How far the turn is that is being heard. `repeatedBytes`: as in `HadOfTurn`. */
export type HeardSoFar = { readonly turn: string; readonly ms: number; readonly repeatedBytes?: number };

/** What a listener has had of a turn that is spoken again, because the instance that spoke it is gone. */
export type HadOfTurn = {
  /** Its first message has been received. */
  readonly isStarted: boolean;
  /** How far it was heard when that was noted last, ms. */
  readonly heardMs: number;
  /** How much of what its client has received came twice: turns that go on at a word say it from its beginning. */
  readonly repeatedBytes: number;
  /** The place that had been sought last, and the media position from which it was sent. */
  readonly sought?: { readonly paragraph: number; readonly atMs: number } | undefined;
  /** Where it goes on: right behind so many bytes; or at the word that comes after so many bytes, or so many ms. */
  readonly from:
    | { readonly exactly: number }
    | { readonly wordAtBytes: number }
    | { readonly wordAtMs: number };
};

/** What a session that may be taken over by another instance has beyond others. */
export type SessionLife = {
  /** Seeds of turns that name none follow from it. */
  readonly salt: string;
  /** Ids of turns that were over when it was taken over. */
  readonly over: readonly string[];
  /** How far the turn was that was being heard then. */
  readonly heard: HeardSoFar | undefined;
  readonly had: (turn: string) => HadOfTurn | undefined;
};

export type SessionRuntime = {
  /** Where there are services to choose among; else `upstream` is the only one. */
  readonly services?: SpeechServices | undefined;
  readonly upstream: SpeechUpstream;
  readonly recovery: SpeechRecovery;
  /** Speech of turns that ask for it; undefined keeps none. */
  readonly phrases: PhraseStore | undefined;
  readonly codecs: Codecs;
  readonly timer: WordTimer;
  readonly legs: LegBroker;
  readonly onlookers: OnlookerRuntime;
  readonly clock: Clock;
  readonly playout: PlayoutClock;
  readonly textWork: TextWork;
  readonly random: Random;
  readonly log: Log;
  readonly admission: AdmissionControl;
  readonly limits: SessionLimits;
  readonly metrics: SessionMetrics;
  readonly defaultVoice: string | undefined;
  readonly defaultVoice2: string | undefined;
  /** The voices that there are for a user; absent: nobody knows any. */
  readonly listVoices?: (of: {
    readonly tenant: string;
    readonly upstream: readonly string[];
  }) => Promise<readonly ListedVoice[]>;
  /** Of one session; absent: nobody counts. */
  readonly work?: WorkMeter;
  /** Of one session; absent: it ends with this instance. */
  readonly life?: SessionLife | undefined;
};

/** Why a turn failed; what is not the client's or the upstream's doing is logged. */
export function toTurnError(
  log: Log,
  fault: unknown,
  ids: { readonly session: string; readonly turn: string | undefined },
): AppError {
  const error = toAppError(fault);
  if (error.code === 'internal') log.error('a turn failed inside', { ...ids, cause: String(error.cause) });
  return error;
}
