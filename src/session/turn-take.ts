// One take of a turn's speech: from where it begins to speak, up to its end or until it is cut because another place is
// wanted. It has the spool, the requests and the words of that stretch; queue and codec are lent to it, and a take that
// has been cut touches them no more, whatever of it is still under way.

import { hearingBelow } from '../audio/mp3-decoder.ts';
import { heardHzOf } from '../audio/transcoder.ts';
import { AppError } from '../base/app-error.ts';
import { createMp3Spool } from '../pipeline/mp3-spool.ts';
import { type SpeechSink, speak, type TurnAudio } from '../pipeline/speak.ts';
import { createSpeechWords } from '../pipeline/speech-words.ts';
import { passesThrough } from '../speech/audio-format.ts';
import type { QueuedNotice, SpeechBody } from '../upstream/speech-upstream.ts';
import type { ScriptStretch } from './script-stretch.ts';
import { type SessionRuntime, toTurnError } from './session-runtime.ts';
import { isSentAtOnce, outputOf, type TurnSettings } from './turn-settings.ts';
import type { TurnWork } from './turn-work.ts';

export type TurnTake = {
  begin(): void;
  /** Hangs up on the upstream; nothing comes of it any more. */
  cut(): void;
  /** Of what has come: compressed bytes, and audio that they are, ms. */
  bytes(): number;
  waitingMs(): number;
  /** All that was asked for has come and gone. */
  isDrained(): boolean;
  wantsRefill(): boolean;
  refill(): void;
  /** A request is under way. */
  isAsking(): boolean;
  /** Some request has been answered whole. */
  hasArrived(): boolean;
};

export type TakeEvents = {
  readonly queued: (notice: QueuedNotice) => void;
  sent(): void;
  resumed(): void;
  /** By the first request of the take. */
  answered(body: SpeechBody): void;
  /** A request's speech is whole. */
  arrived(): void;
  flushed(count: number): void;
  /** The last frame has been queued, or `failure` says why not. */
  done(failure: AppError | undefined): void;
};

export type TurnTakeOptions = {
  readonly settings: TurnSettings;
  readonly stretch: ScriptStretch;
  readonly runtime: SessionRuntime;
  readonly tenant: string;
  readonly work: TurnWork;
  readonly frames: TurnAudio['frames'];
  readonly transcoder: SpeechSink;
  readonly spoolCapacityBytes: () => number;
  readonly remainingMs: () => number;
  readonly place: () => 'ahead' | 'first';
  readonly events: TakeEvents;
};

/**
 * Speech that is sent as it is made waits for nothing but our own work. What waits long is old by the time it is let go,
 * and the collector leaves what is old where it is: a chapter would cost more than it needs.
 */
const BURST_SPOOL_BYTES = 96 * 1024;

/** Even beside a full neighbour a turn may keep some seconds, so that it can begin without a gap. */
const SMALLEST_SPOOL_BYTES = 64 * 1024;

const NOTHING_TO_DO = Promise.resolve();
/** One for all: an abort without a reason makes a new exception, with its stack. */
const OVER = new AppError('internal', 'The take is over.');

export function createTurnTake(options: TurnTakeOptions): TurnTake {
  const { stretch, runtime, settings, events, frames, transcoder } = options;
  const { phrases } = runtime;
  const output = outputOf(settings);
  const controller = new AbortController();
  let state: 'live' | 'cut' = 'live';
  let asked = 0;
  let arrived = 0;
  const words = createSpeechWords({
    timer: runtime.timer,
    synthesis: settings.synthesis,
    defaultVoice: runtime.defaultVoice,
    output,
    urgency: settings.captions === 'words' ? 'captions' : 'heard-text',
    onEstimate: (index, estimate) => stretch.timeline.align(index, estimate),
  });
  const mostSpoolBytes = isSentAtOnce(settings) ? BURST_SPOOL_BYTES : Number.POSITIVE_INFINITY;
  const spool = createMp3Spool({
    capacityBytes: () => Math.min(options.spoolCapacityBytes(), mostSpoolBytes),
    leastBytes: SMALLEST_SPOOL_BYTES,
    tap: words.tap,
  });
  const isLive = () => state === 'live';
  const whileLive =
    <Given extends readonly unknown[]>(act: (...given: Given) => void) =>
    (...given: Given) => {
      if (isLive()) act(...given);
    };
  const lentFrames: TurnAudio['frames'] = {
    room: (signal) => frames.room(signal),
    end: whileLive(() => frames.end()),
    isFull: () => frames.isFull(),
  };
  const lentTranscoder: SpeechSink = {
    prepare: () => transcoder.prepare(),
    push: whileLive((item) => transcoder.push(item)),
    release: () => (isLive() ? transcoder.release() : NOTHING_TO_DO),
    silence: whileLive((ms) => transcoder.silence(ms)),
    rest: whileLive((ms) => transcoder.rest(ms)),
    flush: () => (isLive() ? transcoder.flush() : NOTHING_TO_DO),
    close: whileLive(() => transcoder.close()),
    isSilent: () => transcoder.isSilent(),
  };

  const run = async () => {
    let failure: AppError | undefined;
    try {
      await speak(
        {
          upstream: runtime.upstream,
          requests: stretch.requests,
          spool,
          transcoder: lentTranscoder,
          frames: lentFrames,
          isFirst: () => options.place() === 'first',
          toSpeechRequest: stretch.toRequest,
          toWork: () => options.work.next(options.place()),
          pauseBetween: stretch.pauseBetween,
          phrases:
            phrases === undefined || settings.cache !== 'on'
              ? undefined
              : { store: phrases, tenant: options.tenant },
          wholeness: {
            clock: runtime.clock,
            decoders: hearingBelow(runtime.codecs.decoders, heardHzOf(output)),
            upkeep: runtime.upkeep,
            resumeWork: options.work.resume,
            remainingMs: options.remainingMs,
            reads: isSentAtOnce(settings) ? 'as-it-comes' : 'in-bouts',
            passesThrough: (rate) => passesThrough(output, rate),
          },
          report: {
            queued: whileLive((notice) => events.queued(notice)),
            asked(text, pauseMs) {
              asked += 1;
              const spoken = stretch.place(text, pauseMs);
              words.request(() => stretch.aligned(text, spoken));
            },
            sent: () => events.sent(),
            answered(body) {
              if (arrived === 0) events.answered(body);
            },
            resumed(kind) {
              if (kind !== 'failed') events.resumed();
            },
            arrived: whileLive((knownMs, part) => {
              if (part === 'complete') arrived += 1;
              stretch.timeline.progress(asked - 1, knownMs, part);
              runtime.playout.keepTime();
              if (part === 'complete') events.arrived();
            }),
            flushed: whileLive((count) => events.flushed(count)),
          },
        },
        controller.signal,
      );
    } catch (error) {
      if (!isLive()) return;
      failure = toTurnError(runtime.log, error);
    }
    if (!isLive()) return;
    controller.abort(OVER);
    // The last words may be found after the last frame; whoever hears the turn is not there yet.
    void words.settled().then(words.close);
    events.done(failure);
  };

  return {
    begin() {
      words.begin();
      void run();
    },
    cut() {
      state = 'cut';
      controller.abort(new AppError('internal', 'The turn has been stopped.'));
      words.close();
    },
    bytes: () => spool.bytes(),
    waitingMs: () => spool.waitingMs(),
    isDrained: () => spool.isEnded(),
    wantsRefill: () => spool.wantsRefill(),
    refill: () => spool.refill(),
    isAsking: () => asked > arrived,
    hasArrived: () => arrived > 0,
  };
}
