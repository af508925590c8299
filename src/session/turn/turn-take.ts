// One take of a turn's speech: from where it begins to speak, up to its end or until it is cut because another place is
// wanted. It has the spool, the requests and the words of that stretch; queue and codec are lent to it, and a take that
// has been cut touches them no more, whatever of it is still under way.

import { hearingBelow } from '../../audio/mp3/mp3-decoder.ts';
import { heardHzOf } from '../../audio/transcoder.ts';
import { AppError } from '../../base/app-error.ts';
import { createMp3Spool, type Mp3Spool } from '../../pipeline/mp3-spool.ts';
import { type SpeechSink, speak, type TurnAudio } from '../../pipeline/speak.ts';
import type { ResumeKind } from '../../pipeline/whole-body/speech-upkeep.ts';
import { createSpeechWords, type SpeechWords } from '../../pipeline/word-timing/speech-words.ts';
import { passesThrough } from '../../speech/audio-format.ts';
import type { OutgoingRequest } from '../../speech/speech-request.ts';
import { wantsWords } from '../../speech/wanted-words.ts';
import type { RequestText } from '../../text/request-text.ts';
import type { QueuedNotice, SpeechBody, SpeechUpstream } from '../../upstream/speech-upstream.ts';
import type { SpeechWork } from '../../upstream/speech-work.ts';
import { type SessionRuntime, toTurnError } from '../session-runtime.ts';
import { isSentAtOnce, outputOf, type TurnSettings } from '../turn-settings.ts';
import { type LentAudio, lendAudio } from './lent-audio.ts';
import type { ScriptStretch } from './script-stretch.ts';
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
  /** Resolves when its words have been found, or will not be; it has a deadline. */
  wordsFound(): Promise<void>;
};

export type TakeEvents = {
  queued(notice: QueuedNotice): void;
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

/** One for all: an abort without a reason makes a new exception, with its stack. */
const OVER = new AppError('internal', 'The take is over.');

type TakeReport = TurnAudio['report'];

/** One object is what `speak` reads, and what it reports to. */
class SpokenTake implements TurnTake, TurnAudio, TakeReport {
  private readonly options: TurnTakeOptions;
  private readonly stretch: ScriptStretch;
  private readonly controller = new AbortController();
  private readonly words: SpeechWords;
  private state: 'live' | 'cut' = 'live';
  private requestsAsked = 0;
  private requestsArrived = 0;

  readonly upstream: SpeechUpstream;
  readonly requests: TurnAudio['requests'];
  readonly spool: Mp3Spool;
  readonly transcoder: LentAudio;
  readonly frames: LentAudio;
  readonly phrases: TurnAudio['phrases'];
  readonly wholeness: TurnAudio['wholeness'];
  readonly report: TakeReport = this;

  constructor(options: TurnTakeOptions) {
    const { stretch, runtime, settings, work } = options;
    const { phrases } = runtime;
    const output = outputOf(settings);
    this.options = options;
    this.stretch = stretch;
    this.words = createSpeechWords({
      timer: runtime.timer,
      synthesis: settings.synthesis,
      defaultVoice: runtime.defaultVoice,
      output,
      urgency: wantsWords(settings) ? 'captions' : 'heard-text',
      onEstimate: (index, estimate) => stretch.timeline.align(index, estimate),
    });
    this.upstream = runtime.upstream;
    this.requests = stretch.requests;
    const mostSpoolBytes = isSentAtOnce(settings) ? BURST_SPOOL_BYTES : Number.POSITIVE_INFINITY;
    this.spool = createMp3Spool({
      capacityBytes: () => Math.min(options.spoolCapacityBytes(), mostSpoolBytes),
      leastBytes: SMALLEST_SPOOL_BYTES,
      tap: this.words.tap,
    });
    this.transcoder = lendAudio(options.frames, options.transcoder);
    this.frames = this.transcoder;
    this.phrases =
      phrases === undefined || settings.cache !== 'on'
        ? undefined
        : { store: phrases, tenant: options.tenant };
    this.wholeness = {
      clock: runtime.clock,
      decoders: hearingBelow(runtime.codecs.decoders, heardHzOf(output)),
      upkeep: runtime.upkeep,
      resumeWork: () => work.resume(),
      remainingMs: options.remainingMs,
      leadMs: settings.leadMs,
      reads: isSentAtOnce(settings) ? 'as-it-comes' : 'in-bouts',
      passesThrough: (rate) => passesThrough(output, rate),
      endings: this.words,
    };
  }

  begin(): void {
    this.words.begin();
    void this.run();
  }
  cut(): void {
    this.state = 'cut';
    this.transcoder.takeAway();
    this.controller.abort(new AppError('internal', 'The turn has been stopped.'));
    this.words.close();
  }
  bytes(): number {
    return this.spool.bytes();
  }
  waitingMs(): number {
    return this.spool.waitingMs();
  }
  isDrained(): boolean {
    return this.spool.isEnded();
  }
  wantsRefill(): boolean {
    return this.spool.wantsRefill();
  }
  refill(): void {
    this.spool.refill();
  }
  isAsking(): boolean {
    return this.requestsAsked > this.requestsArrived;
  }
  wordsFound(): Promise<void> {
    return this.words.settled();
  }

  isFirst(): boolean {
    return this.options.place() === 'first';
  }
  toSpeechRequest(text: RequestText): OutgoingRequest {
    return this.stretch.toRequest(text);
  }
  toWork(): SpeechWork {
    return this.options.work.next(this.options.place());
  }
  pauseBetween(before: RequestText, after: RequestText): number {
    return this.stretch.pauseBetween(before, after);
  }

  /** Handed on by itself, for each request; `sent`, too. */
  readonly queued = (notice: QueuedNotice): void => {
    if (this.isLive()) this.options.events.queued(notice);
  };
  readonly sent = (): void => this.options.events.sent();
  asked(text: RequestText, pauseMs: number): void {
    const { stretch } = this;
    this.requestsAsked += 1;
    const spoken = stretch.place(text, pauseMs);
    this.words.request(() => stretch.aligned(text, spoken));
  }
  answered(body: SpeechBody): void {
    if (this.requestsArrived === 0) this.options.events.answered(body);
  }
  resumed(kind: ResumeKind): void {
    if (kind !== 'failed') this.options.events.resumed();
  }
  arrived(knownMs: number, part: 'arriving' | 'complete'): void {
    if (!this.isLive()) return;
    const { runtime, events } = this.options;
    if (part === 'complete') this.requestsArrived += 1;
    this.stretch.timeline.progress(this.requestsAsked - 1, knownMs, part);
    runtime.playout.keepTime();
    if (part === 'complete') events.arrived();
  }
  flushed(count: number): void {
    if (this.isLive()) this.options.events.flushed(count);
  }

  private isLive(): boolean {
    return this.state === 'live';
  }
  private async run(): Promise<void> {
    let failure: AppError | undefined;
    try {
      await speak(this, this.controller.signal);
    } catch (error) {
      if (!this.isLive()) return;
      failure = toTurnError(this.options.runtime.log, error);
    }
    if (!this.isLive()) return;
    this.controller.abort(OVER);
    // The last words may be found after the last frame; whoever hears the turn is not there yet.
    void this.words.settled().then(() => this.words.close());
    this.options.events.done(failure);
  }
}

export const createTurnTake = (options: TurnTakeOptions): TurnTake => new SpokenTake(options);
