// One synthesis run of a turn: from where it begins to speak, up to its end or until it is cut because the listener wants
// another place. It owns the spool, the requests and the words of that stretch. Queue and codec are the turn's: a run that
// has been cut does not touch them any more (`speak` looks at the signal), whatever of it is still under way.

import { hearingBelow } from '../../audio/mp3/mp3-decoder.ts';
import { heardHzOf } from '../../audio/transcoder.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { BodySpool } from '../../pipeline/body-spool.ts';
import { handOver } from '../../pipeline/hand-over.ts';
import { saidLength } from '../../pipeline/outgoing-request.ts';
import type { RequestVoice } from '../../pipeline/say-request.ts';
import type { TurnChain } from '../../pipeline/service-chain.ts';
import { type SpeechSink, speak, type TurnAudio } from '../../pipeline/speak.ts';
import type { ServedLink, ServedTurn } from '../../pipeline/speech-services.ts';
import type { ResumeKind } from '../../pipeline/whole-body/speech-recovery.ts';
import { SpeechWords } from '../../pipeline/word-timing/speech-words.ts';
import { passesThrough } from '../../speech/audio-format.ts';
import type { OutgoingRequest } from '../../speech/speech-request.ts';
import type { SwitchReason } from '../../speech/upstream-names.ts';
import { wantsWords } from '../../speech/wanted-words.ts';
import type { RequestText } from '../../text/request-text.ts';
import type { QueuedNotice, SpeechBody, SpeechUpstream } from '../../upstream/speech-upstream.ts';
import type { SpeechWork } from '../../upstream/speech-work.ts';
import { type SessionRuntime, toTurnError } from '../session-runtime.ts';
import { isSentAtOnce, outputOf, type TurnSettings } from '../turn-settings.ts';
import type { ScriptStretch } from './script-stretch.ts';
import type { TurnWork } from './turn-work.ts';

/** Which service was to speak, and why it does not. */
export type SwitchedFrom = { readonly of: ServedLink; readonly reason: SwitchReason };

export type RunEvents = {
  queued(notice: QueuedNotice): void;
  sent(): void;
  resumed(): void;
  /** By the first request of the run. */
  answered(body: SpeechBody): void;
  /** A request's speech is whole. */
  arrived(): void;
  flushed(count: number): void;
  /** `link` speaks from `atMs` of the stretch's own audio on; `instead`: of another one. */
  speaks(link: ServedLink, instead: SwitchedFrom | undefined, atMs: number): void;
  /** The last frame has been queued, or `failure` says why not. */
  done(failure: AppError | undefined): void;
};

export type SynthesisRunOptions = {
  readonly settings: TurnSettings;
  readonly stretch: ScriptStretch;
  readonly runtime: SessionRuntime;
  readonly served: ServedTurn;
  readonly tenant: string;
  readonly work: TurnWork;
  readonly frames: TurnAudio['frames'];
  readonly transcoder: TurnAudio['transcoder'];
  /** Where what is spoken goes now. */
  readonly sink: () => SpeechSink;
  readonly spoolCapacityBytes: () => number;
  readonly remainingMs: () => number;
  readonly place: () => 'ahead' | 'first';
  readonly events: RunEvents;
};

/**
 * Speech that is sent as it is made waits for nothing but our own work. What waits long is old by the time it is let go,
 * and the collector leaves what is old where it is: a chapter would cost more than it needs.
 */
const MAX_BURST_SPOOL_BYTES = 96 * 1024;

/** Even beside a full neighbour a turn may keep some seconds, so that it can begin without a gap. */
const MIN_SPOOL_BYTES = 64 * 1024;

/** One for all: an abort without a reason makes a new exception, with its stack. */
const OVER = new AppError('internal', 'The run is over.');

type RunReport = TurnAudio['report'];

/** One object is what `speak` reads, and what it reports to. */
export class SynthesisRun implements TurnAudio, RunReport, TurnChain {
  private readonly options: SynthesisRunOptions;
  private readonly stretch: ScriptStretch;
  private readonly controller = new AbortController();
  private readonly words: SpeechWords;
  private state: 'live' | 'cut' = 'live';
  private requestsAsked = 0;
  private requestsArrived = 0;
  private waiting: 'waiting' | 'over' = 'over';

  readonly served: ServedTurn;
  readonly clock: Clock;
  /** Itself, where there is more than one service. */
  readonly chain: TurnChain | undefined;
  readonly upstream: SpeechUpstream;
  readonly saidLength: TurnAudio['saidLength'];
  readonly requests: TurnAudio['requests'];
  readonly spool: BodySpool;
  readonly sink: () => SpeechSink;
  readonly transcoder: TurnAudio['transcoder'];
  readonly frames: TurnAudio['frames'];
  readonly phrases: TurnAudio['phrases'];
  readonly listening: TurnAudio['listening'];
  readonly recoveryPolicy: TurnAudio['recoveryPolicy'];
  /** Itself: what `speak` reports of the run is the run's to know. */
  readonly report: RunReport = this;

  constructor(options: SynthesisRunOptions) {
    const { stretch, runtime, served, settings, work } = options;
    const { phrases } = runtime;
    const output = outputOf(settings);
    const link = served.now();
    this.served = served;
    this.clock = runtime.clock;
    this.chain = served.links.length > 1 ? this : undefined;
    this.options = options;
    this.stretch = stretch;
    this.words = new SpeechWords({
      timer: runtime.timer,
      synthesis: link.synthesis,
      defaultVoice: link.defaultVoice,
      output,
      urgency: wantsWords(settings) ? 'captions' : 'heard-text',
      whenBehind: isSentAtOnce(settings) && settings.wordList === 'final' ? 'hold-back' : 'give-up',
      onCaughtUp: () => this.spool.refill(),
      onEstimate: (index, estimate) => stretch.timeline.align(index, estimate),
    });
    this.upstream = link.upstream;
    this.listening = { output, namedRate: settings.sampleRate, reader: 'live' };
    this.saidLength = saidLength(settings.pronunciations);
    this.requests = stretch.requests;
    const mostSpoolBytes = isSentAtOnce(settings) ? MAX_BURST_SPOOL_BYTES : Number.POSITIVE_INFINITY;
    this.spool = new BodySpool({
      capacityBytes: () => Math.min(options.spoolCapacityBytes(), mostSpoolBytes),
      leastBytes: MIN_SPOOL_BYTES,
      tap: this.words.tap,
      isHeldBack: () => this.words.isBehind(),
    });
    this.sink = options.sink;
    this.transcoder = options.transcoder;
    this.frames = options.frames;
    this.phrases =
      phrases === undefined || settings.cache !== 'on'
        ? undefined
        : { store: phrases, tenant: options.tenant, service: link.identity };
    this.recoveryPolicy = {
      clock: runtime.clock,
      decoders: hearingBelow(runtime.codecs.decoders, heardHzOf(output)),
      recovery: link.recovery,
      resumeWork: () => work.resume(),
      remainingMs: options.remainingMs,
      leadMs: settings.leadMs,
      reads: isSentAtOnce(settings) ? 'as-it-comes' : 'in-batches',
      passesThrough: (rate) => passesThrough(output, rate),
      endings: this.words,
    };
  }

  begin(): void {
    this.words.begin();
    void this.run();
  }
  /** Hangs up on the upstream; nothing comes of it any more. */
  cut(): void {
    this.state = 'cut';
    this.controller.abort(new AppError('internal', 'The turn has been stopped.'));
    this.words.close();
  }
  /** Of what has come: compressed bytes, and audio that they are, ms. */
  chargedBytes(): number {
    return this.spool.charged();
  }
  bytes(): number {
    return this.spool.bytes();
  }
  waitingMs(): number {
    return this.spool.waitingMs();
  }
  /** All that was asked for has come and gone. */
  isDrained(): boolean {
    return this.spool.isEnded();
  }
  wantsRefill(): boolean {
    return this.spool.wantsRefill();
  }
  refill(): void {
    this.spool.refill();
  }
  /** A request is under way. */
  isAsking(): boolean {
    return this.waiting === 'waiting' || this.requestsAsked > this.requestsArrived;
  }
  /** Resolves when its words have been found, or will not be; it has a deadline. */
  wordsFound(): Promise<void> {
    return this.words.settled();
  }

  isFirst(): boolean {
    return this.options.place() === 'first';
  }
  toSpeechRequest(text: RequestText): OutgoingRequest {
    return this.stretch.toRequest(text, this.served.now());
  }
  toWork(): SpeechWork {
    return this.options.work.next(this.options.place());
  }
  pauseBetween(before: RequestText, after: RequestText): number {
    return this.stretch.pauseBetween(before, after);
  }

  voiceAt(link: ServedLink): RequestVoice {
    const { spool, listening, phrases, recoveryPolicy, report, stretch } = this;
    return {
      upstream: link.upstream,
      spool,
      toSpeechRequest: (text) => stretch.toRequest(text, link),
      listening,
      phrases: phrases === undefined ? undefined : { ...phrases, service: link.identity },
      recoveryPolicy: { ...recoveryPolicy, recovery: link.recovery },
      report,
    };
  }
  handOver(
    text: RequestText,
    inHand: Parameters<TurnChain['handOver']>[1],
  ): ReturnType<TurnChain['handOver']> {
    if (!this.isLive()) return undefined;
    return handOver(this.stretch.timeline, text, { ...inHand, remainingMs: this.options.remainingMs() });
  }
  waits(state: 'waiting' | 'over'): void {
    this.waiting = state;
  }
  speaks(link: ServedLink, instead: SwitchedFrom | undefined): void {
    if (!this.isLive()) return;
    if (instead !== undefined) this.words.spokenBy(link);
    // All that was asked for before has come: what it lasts is exact, wherever it is by now.
    this.options.events.speaks(link, instead, this.stretch.timeline.totalMs());
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
      failure = toTurnError(this.options.runtime.log, error, this.options.work.ids());
    }
    if (!this.isLive()) return;
    this.controller.abort(OVER);
    // The last words may be found after the last frame; the listener has not heard so far yet.
    void this.words.settled().then(() => this.words.close());
    this.options.events.done(failure);
  }
}
