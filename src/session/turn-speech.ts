// The making of one turn's audio: a take of its speech, or one after another when its listener seeks, into one queue
// through one codec. `stop` aborts the upstream, frees the codec and drops everything queued, in one call.

import type { AudioFrame } from '../audio/stage.ts';
import { createTranscoder } from '../audio/transcoder.ts';
import type { AppError } from '../base/app-error.ts';
import { createFrameQueue, type FrameQueue } from '../playout/frame-queue.ts';
import { mayNeedHeavyEncoder } from '../speech/audio-format.ts';
import type { QueuedNotice } from '../upstream/speech-upstream.ts';
import type { SessionRuntime } from './session-runtime.ts';
import type { TurnAudience } from './turn-programme.ts';
import type { TurnScript } from './turn-script.ts';
import { outputOf, type TurnSettings } from './turn-settings.ts';
import { createTurnTake, type TurnTake } from './turn-take.ts';
import { createTurnTape, type TurnTape } from './turn-tape.ts';
import type { TurnWork } from './turn-work.ts';

export type TurnSpeech = {
  readonly frames: FrameQueue;
  /** What onlookers hear of it. */
  readonly tape: TurnTape;
  /** Hz of the frames. */
  sampleRate(): number;
  /** It is this turn's time to be heard. */
  readonly comeFirst: () => void;
  /** Starts speaking; further calls do nothing. */
  readonly begin: () => void;
  readonly stop: () => void;
  /**
   * Frames that had been sent were not played, and are to be taken from the queue again.
   */
  readonly putBack: (frames: readonly AudioFrame[]) => void;
  /**
   * What is queued and under way is given up, the script's place is spoken from instead. Answers with the media
   * position from which that comes, ms; undefined, and nothing has happened, when the container has been closed.
   * `sentMs`: how much has been sent. `seek` moves the script; it is told up to where a container still brings what
   * it holds of the place before.
   */
  readonly speakOn: (seek: (keptUntilMs: number | undefined) => void, sentMs: number) => number | undefined;
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
  readonly refill: () => void;
  /** Upstream requests that were sent, with their retries. */
  requests(): number;
  /** All of it had been kept: nothing was asked for. */
  isCached(): boolean;
  /** How often speech that broke was taken up again. */
  resumes(): number;
  /** Of the first request: the wait for quota, and from sending to the first byte. */
  queueMs(): number;
  ttfbMs(): number;
  /** An upstream request is under way. */
  isAsking(): boolean;
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

/**
 * Encoded audio that waits in front of the socket, beyond what has been sent. Half of it is decoded in one go: of hundreds
 * of decoders each finds nothing of its own in the cache when its turn comes.
 */
const QUEUE_MS = 480;
/**
 * What a turn begins with: the most of a lead, so that a loop that is busy right then is not heard. The clock's next tick
 * makes room for the rest.
 */
const FIRST_MS = 160;

export function createTurnSpeech(options: TurnSpeechOptions): TurnSpeech {
  const { script, runtime } = options;
  const output = outputOf(options.settings);
  let phase: 'idle' | 'speaking' | 'over' | 'stopped' = 'idle';
  let place: 'ahead' | 'first' = 'ahead';
  /** A turn made ahead keeps its speech compressed until its time: a session holds one dear encoder, not three. */
  const isHeldBack = () =>
    place === 'ahead' && (mayNeedHeavyEncoder(output) || (output.format === 'mp3' && hasNothingToSay()));
  const hasNothingToSay = () => take.isDrained() && transcoder.isSilent();
  let failure: AppError | undefined;
  let madeSamples = 0;
  let requests = 0;
  let resumes = 0;
  let queueMs = 0;
  let ttfbMs = 0;
  let timings: 'open' | 'known' = 'open';
  let hasArrived = false;

  const frames = createFrameQueue(
    () => (isHeldBack() ? 0 : (QUEUE_MS * sampleRate()) / 1000 - transcoder.pendingSamples()),
    options.onFrame,
    options.onStall,
    () => (FIRST_MS * sampleRate()) / 1000,
  );
  const onMade = (frame: AudioFrame) => {
    madeSamples += frame.samples;
    frames.push(frame);
  };
  const refillFrames = () => {
    if (frames.wantsRefill()) frames.refill();
  };
  const transcoder = createTranscoder(output, runtime.codecs, onMade, refillFrames);
  const tape = createTurnTape({
    codecs: runtime.codecs,
    frameMs: output.frameMs,
    isWanted: () => options.audience.wantsTape(options.settings),
    madeMs: () => toMs(madeSamples + transcoder.pendingSamples()),
  });
  const sampleRate = () => transcoder.sampleRate() ?? 8000;
  const toMs = (samples: number) => (samples * 1000) / sampleRate();

  const openTake = (): TurnTake =>
    createTurnTake({
      ...options,
      stretch: script.stretch(),
      frames,
      transcoder: tape.overhear(transcoder),
      place: () => place,
      events: {
        queued: options.onQueued,
        sent() {
          requests += 1;
        },
        resumed() {
          resumes += 1;
        },
        answered(body) {
          if (timings === 'open') ({ queueMs, ttfbMs } = body);
        },
        arrived() {
          timings = 'known';
          hasArrived = true;
          options.onStall();
        },
        flushed: (count) => options.onFlushed(count, toMs(madeSamples), transcoder.insertedMs()),
        done(error) {
          failure = error;
          phase = 'over';
          options.onDone();
        },
      },
    });
  let take = openTake();

  return {
    frames,
    tape,
    sampleRate,
    comeFirst() {
      if (place === 'first') return;
      place = 'first';
      options.work.rise();
      refillFrames();
    },
    begin() {
      if (phase !== 'idle') return;
      phase = 'speaking';
      take.begin();
    },
    stop() {
      phase = 'stopped';
      take.cut();
      frames.clear();
      transcoder.close();
    },
    putBack: (taken) => frames.putBack(taken),
    speakOn(seek, sentMs) {
      const cut = transcoder.cut(sentMs > 0 ? 'some' : 'none');
      if (cut === 'over') return undefined;
      take.cut();
      if (cut === 'drop') {
        frames.drop();
        madeSamples = Math.round((sentMs * sampleRate()) / 1000);
      } else frames.reopen();
      failure = undefined;
      const atMs = toMs(madeSamples + transcoder.pendingSamples());
      tape.seek(atMs);
      seek(cut === 'keep' ? atMs : undefined);
      take = openTake();
      if (phase === 'over') phase = 'speaking';
      if (phase === 'speaking') take.begin();
      return atMs;
    },
    insertedMs: () => transcoder.insertedMs(),
    isOver: () => phase === 'over' || phase === 'stopped',
    failure: () => failure,
    madeMs: () => toMs(madeSamples),
    waitingMs: () => take.waitingMs() + toMs(frames.queuedSamples() + transcoder.pendingSamples()),
    bufferedBytes: () => take.bytes() + frames.queuedBytes(),
    wantsRefill: () => frames.wantsRefill() || take.wantsRefill(),
    refill() {
      refillFrames();
      take.refill();
    },
    requests: () => requests,
    isCached: () => hasArrived && requests === 0,
    resumes: () => resumes,
    queueMs: () => queueMs,
    ttfbMs: () => ttfbMs,
    isAsking: () => take.isAsking(),
    reachableMs() {
      const isComing = take.isAsking() || take.waitingMs() > 0 || transcoder.pendingSamples() > 0;
      return isComing ? Number.POSITIVE_INFINITY : toMs(madeSamples);
    },
  };
}
