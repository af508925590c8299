// A turn's speech as the turn sees it: frames that come of it, and what is known of how it is made.

import type { AudioFrame } from '../../audio/stage.ts';
import type { AppError } from '../../base/app-error.ts';
import type { FrameQueue } from '../../playout/frame-queue.ts';
import type { QueuedNotice } from '../../upstream/speech-upstream.ts';
import type { TurnAudience } from '../observers/turn-programme.ts';
import type { TurnTape } from '../observers/turn-tape.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import type { TurnSettings } from '../turn-settings.ts';
import type { TurnScript } from './turn-script.ts';
import type { TurnWork } from './turn-work.ts';

export type TurnSpeech = {
  readonly frames: FrameQueue;
  /** What onlookers hear of it. */
  readonly tape: TurnTape;
  /** Hz of the frames. */
  sampleRate(): number;
  /** It is this turn's time to be heard. */
  comeFirst(): void;
  /** Starts speaking; further calls do nothing. */
  begin(): void;
  stop(): void;
  /** Frames that had been sent were not played, and are to be taken from the queue again. */
  putBack(frames: readonly AudioFrame[]): void;
  /**
   * What is queued and under way is given up, the script's place is spoken from instead. Answers with the media
   * position from which that comes, ms; undefined, and nothing has happened, when the container has been closed.
   * `sentMs`: how much has been sent. `seek` moves the script; it is told up to where a container still brings what
   * it holds of the place before.
   */
  speakOn(seek: (keptUntilMs: number | undefined) => void, sentMs: number): number | undefined;
  /** Silence of flushes in the audio made so far, ms. */
  insertedMs(): number;
  /** No further frame will come, and whether it broke off is known; the queue's own end is told a moment before. */
  isOver(): boolean;
  /** Why the speech broke off; what had arrived can still be played. */
  failure(): AppError | undefined;
  /** Audio made so far, ms. */
  madeMs(): number;
  /** Audio that has arrived and has not been taken from the queue, ms. */
  waitingMs(): number;
  bufferedBytes(): number;
  /** Decoding waits for room among the frames, or reading for room beside the turn's neighbours, and there is some. */
  wantsRefill(): boolean;
  refill(): void;
  /** Upstream requests that were sent, with their retries. */
  requests(): number;
  /** All of it had been kept: nothing was asked for. */
  isCached(): boolean;
  /** How often speech that broke was taken up again. */
  resumes(): number;
  /** Of the first request: the wait for quota, and from sending to the first byte. */
  queueMs(): number;
  ttfbMs(): number;
  /** A request has not been sent yet, because no key takes it now. */
  waitsForQuota(): boolean;
  /** An upstream request is under way. */
  isAsking(): boolean;
  /** Resolves when the words of what is spoken have been found, or will not be; it has a deadline. */
  wordsFound(): Promise<void>;
  /**
   * The media position that is reached without further text: the codec keeps the rest of a frame back until more
   * comes. Infinite while audio is on its way.
   */
  reachableMs(): number;
};

export type TurnSpeechOptions = {
  readonly settings: TurnSettings;
  readonly script: TurnScript;
  readonly runtime: SessionRuntime;
  readonly tenant: string;
  readonly audience: Pick<TurnAudience, 'wantsTape'>;
  readonly work: TurnWork;
  readonly spoolCapacityBytes: () => number;
  /** Audio that the listener has not heard yet, ms. */
  readonly remainingMs: () => number;
  readonly onQueued: (notice: QueuedNotice) => void;
  readonly onFrame: () => void;
  /** The making waits for what only the clock gives: room that is there, or a time for the next request. */
  readonly onStall: () => void;
  /** Everything asked for before `count` flushes has been made, up to `madeMs`; `insertedMs` of it is silence of flushes. */
  onFlushed(count: number, madeMs: number, insertedMs: number): void;
  /** The last frame has been queued, or `failure` says why not. */
  onDone(): void;
};
