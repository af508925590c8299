// The making of one turn's audio: runs speak() once, holds what it fills and counts what it did. `stop` aborts
// the upstream, frees the codec and drops everything queued, in one call.

import type { AudioFrame } from '../audio/stage.ts';
import { createTranscoder } from '../audio/transcoder.ts';
import { AppError } from '../base/app-error.ts';
import { createMp3Spool } from '../pipeline/mp3-spool.ts';
import { speak } from '../pipeline/speak.ts';
import { createSpeechWords } from '../pipeline/speech-words.ts';
import { createFrameQueue, type FrameQueue } from '../playout/frame-queue.ts';
import { type OutputFormat, passesThrough } from '../speech/audio-format.ts';
import type { QueuedNotice } from '../upstream/speech-upstream.ts';
import { type SessionRuntime, toTurnError } from './session-runtime.ts';
import type { TurnAudience } from './turn-programme.ts';
import type { TurnScript } from './turn-script.ts';
import { outputOf, type TurnSettings } from './turn-settings.ts';
import { createTurnTape, type TurnTape } from './turn-tape.ts';
import type { TurnWork } from './turn-work.ts';

export type TurnSpeech = {
  readonly frames: FrameQueue;
  /** What onlookers hear of it. */
  readonly tape: TurnTape;
  /** Hz of the frames. */
  readonly sampleRate: number;
  /** It is this turn's time to be heard. */
  readonly comeFirst: () => void;
  /** Starts speaking; further calls do nothing. */
  readonly begin: () => void;
  readonly stop: () => void;
  /** No further frame will come, and whether it broke off is known; the queue's own end is told a moment before. */
  readonly isOver: boolean;
  /** Why the speech broke off; what had arrived can still be played. */
  readonly failure: AppError | undefined;
  /** Audio made so far, ms. */
  readonly madeMs: number;
  /** Audio that has arrived and has not been taken from the queue, ms. */
  readonly waitingMs: number;
  readonly bufferedBytes: number;
  /** Decoding waits for room among the frames, or reading for room beside the turn's neighbours, and there is some. */
  readonly wantsRefill: boolean;
  readonly refill: () => void;
  /** Upstream requests that were sent, with their retries. */
  readonly requests: number;
  /** All of it had been kept: nothing was asked for. */
  readonly isCached: boolean;
  /** How often speech that broke was taken up again. */
  readonly resumes: number;
  /** Of the first request: the wait for quota, and from sending to the first byte. */
  readonly queueMs: number;
  readonly ttfbMs: number;
  /** An upstream request is under way. */
  readonly isAsking: boolean;
  /**
   * The media position that is reached without further text: the codec keeps the rest of a frame back until more
   * comes. Infinite while audio is on its way.
   */
  readonly reachableMs: number;
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

/** Encoded audio that waits in front of the socket, beyond what has been sent. */
const QUEUE_MS = 300;
/** What a turn begins with; the clock's next tick makes room for the rest. */
const FIRST_MS = 60;

/** MP3 without a rate of its own always passes through as it came, and only silence has to be made. */
const mayNeedHeavyEncoder = ({ format, sampleRate }: OutputFormat): boolean =>
  format === 'ogg' || format === 'flac' || (format === 'mp3' && sampleRate !== undefined);

export function createTurnSpeech(options: TurnSpeechOptions): TurnSpeech {
  const { script, runtime, tenant } = options;
  const { phrases } = runtime;
  const isCacheable = options.settings.cache === 'on';
  const controller = new AbortController();
  const output = outputOf(options.settings);
  const words = createSpeechWords({
    timer: runtime.timer,
    synthesis: options.settings.synthesis,
    defaultVoice: runtime.defaultVoice,
    output,
    urgency: options.settings.captions === 'words' ? 'captions' : 'heard-text',
    onEstimate: (index, estimate) => script.timeline.align(index, estimate),
  });
  const spool = createMp3Spool({ capacityBytes: options.spoolCapacityBytes, tap: words.tap });
  let phase: 'idle' | 'speaking' | 'over' = 'idle';
  let place: 'ahead' | 'first' = 'ahead';
  /** A turn made ahead keeps its speech compressed until its time: a session holds one dear encoder, not three. */
  const isHeldBack = () =>
    place === 'ahead' && (mayNeedHeavyEncoder(output) || (output.format === 'mp3' && hasNothingToSay()));
  const hasNothingToSay = () => spool.isEnded && transcoder.isSilent;
  let failure: AppError | undefined;
  let madeSamples = 0;
  let asked = 0;
  let arrived = 0;
  let requests = 0;
  let resumes = 0;
  let queueMs = 0;
  let ttfbMs = 0;

  const frames = createFrameQueue(
    () => (isHeldBack() ? 0 : (QUEUE_MS * sampleRate()) / 1000 - transcoder.pendingSamples),
    options.onFrame,
    options.onStall,
    () => (FIRST_MS * sampleRate()) / 1000,
  );
  const onMade = (frame: AudioFrame) => {
    madeSamples += frame.samples;
    frames.push(frame);
  };
  const refillFrames = () => {
    if (frames.wantsRefill) frames.refill();
  };
  const transcoder = createTranscoder(output, runtime.codecs, onMade, refillFrames);
  const tape = createTurnTape({
    codecs: runtime.codecs,
    frameMs: output.frameMs,
    isWanted: () => options.audience.wantsTape(options.settings),
    madeMs: () => toMs(madeSamples + transcoder.pendingSamples),
  });
  const sampleRate = () => transcoder.sampleRate ?? 8000;
  const toMs = (samples: number) => (samples * 1000) / sampleRate();

  const run = async () => {
    try {
      await speak(
        {
          upstream: runtime.upstream,
          requests: script.requests,
          spool,
          transcoder: tape.overhear(transcoder),
          frames,
          isFirst: () => place === 'first',
          toSpeechRequest: script.toRequest,
          toWork: () => options.work.next(place),
          phrases: phrases === undefined || !isCacheable ? undefined : { store: phrases, tenant },
          wholeness: {
            clock: runtime.clock,
            decoders: runtime.codecs.decoders,
            upkeep: runtime.upkeep,
            resumeWork: options.work.resume,
            remainingMs: options.remainingMs,
            passesThrough: (rate) => passesThrough(output, rate),
          },
          report: {
            queued: options.onQueued,
            asked(text) {
              asked += 1;
              const spoken = script.place(text);
              words.request(() => script.aligned(text, spoken));
            },
            sent() {
              requests += 1;
            },
            answered(body) {
              if (arrived === 0) ({ queueMs, ttfbMs } = body);
            },
            resumed(kind) {
              if (kind !== 'failed') resumes += 1;
            },
            arrived(knownMs, state) {
              if (state === 'complete') arrived += 1;
              script.timeline.progress(asked - 1, knownMs, state);
              if (state === 'complete') options.onStall();
            },
            flushed: (count) => options.onFlushed(count, toMs(madeSamples), transcoder.insertedMs),
          },
        },
        controller.signal,
      );
    } catch (error) {
      if (controller.signal.aborted) return;
      failure = toTurnError(runtime.log, error);
    }
    phase = 'over';
    controller.abort();
    // The last words may be found after the last frame; whoever hears the turn is not there yet.
    void words.settled().then(words.close);
    options.onDone();
  };

  return {
    frames,
    tape,
    get sampleRate() {
      return sampleRate();
    },
    comeFirst() {
      if (place === 'first') return;
      place = 'first';
      options.work.rise();
      refillFrames();
    },
    begin() {
      if (phase !== 'idle') return;
      phase = 'speaking';
      words.begin();
      void run();
    },
    stop() {
      phase = 'over';
      controller.abort(new AppError('internal', 'The turn has been stopped.'));
      words.close();
      frames.clear();
      transcoder.close();
    },
    get isOver() {
      return phase === 'over';
    },
    get failure() {
      return failure;
    },
    get madeMs() {
      return toMs(madeSamples);
    },
    get waitingMs() {
      return spool.waitingMs + toMs(frames.queuedSamples + transcoder.pendingSamples);
    },
    get bufferedBytes() {
      return spool.bytes + frames.queuedBytes;
    },
    get wantsRefill() {
      return frames.wantsRefill || spool.wantsRefill;
    },
    refill() {
      refillFrames();
      spool.refill();
    },
    get requests() {
      return requests;
    },
    get isCached() {
      return arrived > 0 && requests === 0;
    },
    get resumes() {
      return resumes;
    },
    get queueMs() {
      return queueMs;
    },
    get ttfbMs() {
      return ttfbMs;
    },
    get isAsking() {
      return asked > arrived;
    },
    get reachableMs() {
      const isComing = asked > arrived || spool.waitingMs > 0 || transcoder.pendingSamples > 0;
      return isComing ? Number.POSITIVE_INFINITY : toMs(madeSamples);
    },
  };
}
