// The making of one turn's audio: one synthesis run, or one after another when its listener seeks, into one queue through
// one codec; and what is known of how it is made. `stop` aborts the upstream, frees the codec and drops everything queued,
// in one call.

import { MP3_BODY, soundOf } from '../../audio/bodies/body-type.ts';
import type { AudioFrame } from '../../audio/stage.ts';
import { Transcoder } from '../../audio/transcoder.ts';
import type { AppError } from '../../base/app-error.ts';
import type { SpeechSink } from '../../pipeline/speak.ts';
import type { ServedLink, ServedTurn, SpokenBy } from '../../pipeline/speech-services.ts';
import { FrameQueue } from '../../playout/frame-queue.ts';
import { type AskedSound, mayNeedHeavyEncoder, type OutputFormat } from '../../speech/audio-format.ts';
import type { QueuedNotice, SpeechBody } from '../../upstream/speech-upstream.ts';
import type { TurnAudience } from '../observers/turn-playback.ts';
import { TurnRecording } from '../observers/turn-recording.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import { outputOf, type TurnSettings } from '../turn-settings.ts';
import { type RunEvents, type SwitchedFrom, SynthesisRun } from './synthesis-run.ts';
import type { TurnScript } from './turn-script.ts';
import type { TurnWork } from './turn-work.ts';

export type TurnSpeechOptions = {
  readonly settings: TurnSettings;
  readonly script: TurnScript;
  readonly runtime: SessionRuntime;
  readonly served: ServedTurn;
  readonly tenant: string;
  readonly audience: Pick<TurnAudience, 'wantsRecording'>;
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
  /** From the stretch's own time to the media position. */
  toSent(ownMs: number): number;
  /** From media position `atMs` on another service speaks. */
  onSwitched(from: SwitchedFrom, to: ServedLink, atMs: number): void;
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

export class TurnSpeech implements RunEvents {
  private readonly options: TurnSpeechOptions;
  private readonly output: OutputFormat;
  private readonly transcoder: Transcoder;
  private run: SynthesisRun;
  private phase: 'idle' | 'speaking' | 'over' | 'stopped' = 'idle';
  private place: 'ahead' | 'first' = 'ahead';
  private error: AppError | undefined;
  private madeSamples = 0;
  private requestsSent = 0;
  private bodiesResumed = 0;
  private firstQueueMs = 0;
  private firstTtfbMs = 0;
  private timings: 'open' | 'known' = 'open';
  private firstSound: AskedSound = { format: 'mp3' };
  private hasArrived = false;
  private isQueued = false;
  private spoken: SpokenBy[] = [];

  readonly frames: FrameQueue;
  /** What onlookers hear of it. */
  readonly recording: TurnRecording;

  constructor(options: TurnSpeechOptions) {
    const { runtime } = options;
    this.options = options;
    this.output = outputOf(options.settings);
    this.frames = new FrameQueue(
      () => this.capacitySamples(),
      options.onFrame,
      options.onStall,
      () => (FIRST_MS * this.sampleRate()) / 1000,
    );
    this.transcoder = new Transcoder(
      this.output,
      runtime.codecs,
      (frame) => this.made(frame),
      () => this.refillFrames(),
    );
    this.recording = new TurnRecording({
      sink: this.transcoder,
      codecs: runtime.codecs,
      frameMs: this.output.frameMs,
      madeMs: () => this.comingMs(),
      gainDb: () => this.transcoder.gainDb(),
    });
    this.run = this.openRun();
  }

  /** Hz of the frames. */
  sampleRate(): number {
    return this.transcoder.sampleRate() ?? 8000;
  }
  /** It is this turn's time to be heard. */
  comeFirst(): void {
    if (this.place === 'first') return;
    this.place = 'first';
    this.options.work.rise();
    this.refillFrames();
  }
  /** Starts speaking; further calls do nothing. */
  begin(): void {
    if (this.phase !== 'idle') return;
    this.phase = 'speaking';
    this.run.begin();
  }
  stop(): void {
    this.phase = 'stopped';
    this.options.script.close();
    this.run.cut();
    this.frames.clear();
    this.transcoder.close();
  }
  /** Frames that had been sent were not played, and are to be taken from the queue again. */
  putBack(taken: readonly AudioFrame[]): void {
    this.frames.putBack(taken);
  }
  /**
   * What is queued and under way is given up, the script's place is spoken from instead. Answers with the media
   * position from which that comes, ms; undefined, and nothing has happened, when the container has been closed.
   * `sentMs`: how much has been sent. `seek` moves the script; it is told up to where a container still brings what
   * it holds of the place before.
   */
  speakOn(seek: (keptUntilMs: number | undefined) => void, sentMs: number): number | undefined {
    const cut = this.transcoder.cut(sentMs > 0 ? 'some' : 'none');
    if (cut === 'over') return undefined;
    this.run.cut();
    this.isQueued = false;
    if (cut === 'drop') {
      this.frames.drop();
      this.madeSamples = Math.round((sentMs * this.sampleRate()) / 1000);
    } else this.frames.reopen();
    this.error = undefined;
    const atMs = this.comingMs();
    this.spoken = this.spoken.filter(({ fromMs }) => fromMs < atMs);
    this.recording.seek(atMs);
    seek(cut === 'keep' ? atMs : undefined);
    this.run = this.openRun();
    if (this.phase === 'over') this.phase = 'speaking';
    if (this.phase === 'speaking') this.run.begin();
    return atMs;
  }
  /** Silence of flushes in the audio made so far, ms. */
  insertedMs(): number {
    return this.transcoder.insertedMs();
  }
  /** No further frame will come, and whether it broke off is known; the queue's own end is told a moment before. */
  isOver(): boolean {
    return this.phase === 'over' || this.phase === 'stopped';
  }
  /** Why the speech broke off; what had arrived can still be played. */
  failure(): AppError | undefined {
    return this.error;
  }
  /** Audio made so far, ms. */
  madeMs(): number {
    return this.toMs(this.madeSamples);
  }
  /** Audio that has arrived and has not been taken from the queue, ms. */
  waitingMs(): number {
    return this.run.waitingMs() + this.toMs(this.frames.queuedSamples() + this.transcoder.pendingSamples());
  }
  bufferedBytes(): number {
    return this.run.bytes() + this.frames.queuedBytes();
  }
  /** What of the spool's capacity it takes. */
  chargedBytes(): number {
    return this.run.chargedBytes() + this.frames.queuedBytes();
  }
  /** Decoding waits for room among the frames, or reading for room beside the turn's neighbours, and there is some. */
  wantsRefill(): boolean {
    return this.frames.wantsRefill() || this.run.wantsRefill();
  }
  refill(): void {
    this.refillFrames();
    this.run.refill();
  }
  /** Upstream requests that were sent, with their retries. */
  requests(): number {
    return this.requestsSent;
  }
  /** All of it had been kept: nothing was asked for. */
  isCached(): boolean {
    return this.hasArrived && this.requestsSent === 0;
  }
  /** How often speech that broke was taken up again. */
  resumes(): number {
    return this.bodiesResumed;
  }
  /** In media time, in order; empty where there is one service. */
  spokenBy(): readonly SpokenBy[] {
    return this.spoken;
  }
  /** Of the first request: the wait for quota, and from sending to the first byte. */
  queueMs(): number {
    return this.firstQueueMs;
  }
  ttfbMs(): number {
    return this.firstTtfbMs;
  }
  /** What the service has sent for it. */
  received(): AskedSound {
    return this.firstSound;
  }
  /** A request has not been sent yet, because no key takes it now. */
  waitsForQuota(): boolean {
    return this.isQueued;
  }
  /** An upstream request is under way. */
  isAsking(): boolean {
    return this.run.isAsking();
  }
  /** Resolves when the words of what is spoken have been found, or will not be; it has a deadline. */
  wordsFound(): Promise<void> {
    return this.run.wordsFound();
  }
  /**
   * The media position that is reached without further text: the codec keeps the rest of a frame back until more
   * comes. Infinite while audio is on its way.
   */
  reachableMs(): number {
    const isComing = this.run.isAsking() || this.run.waitingMs() > 0 || this.transcoder.pendingSamples() > 0;
    return isComing ? Number.POSITIVE_INFINITY : this.madeMs();
  }

  queued(notice: QueuedNotice): void {
    this.isQueued = notice.reason === 'quota';
    this.options.onQueued(notice);
  }
  sent(): void {
    this.isQueued = false;
    this.requestsSent += 1;
  }
  resumed(): void {
    this.bodiesResumed += 1;
  }
  answered({ queueMs, ttfbMs, type = MP3_BODY }: SpeechBody): void {
    if (this.timings === 'known') return;
    this.firstQueueMs = queueMs;
    this.firstTtfbMs = ttfbMs;
    this.firstSound = soundOf(type);
  }
  arrived(): void {
    this.timings = 'known';
    this.hasArrived = true;
    this.options.onStall();
  }
  speaks(link: ServedLink, instead: SwitchedFrom | undefined, ownMs: number): void {
    const atMs = this.options.toSent(ownMs);
    if (this.spoken.at(-1)?.link !== link) this.spoken.push({ link, fromMs: atMs });
    if (instead !== undefined) this.options.onSwitched(instead, link, atMs);
  }
  flushed(count: number): void {
    this.options.onFlushed(count, this.madeMs(), this.transcoder.insertedMs());
  }
  done(error: AppError | undefined): void {
    this.error = error;
    this.phase = 'over';
    this.options.onDone();
  }

  private openRun(): SynthesisRun {
    const { settings, script, runtime, served, tenant, work, spoolCapacityBytes, remainingMs } = this.options;
    return new SynthesisRun({
      settings,
      stretch: script.stretch(),
      runtime,
      served,
      tenant,
      work,
      frames: this.frames,
      transcoder: this.transcoder,
      sink: () => this.sink(),
      spoolCapacityBytes,
      remainingMs,
      place: () => this.place,
      events: this,
    });
  }
  /** Nearly every turn is never recorded. */
  private sink(): SpeechSink {
    if (this.options.audience.wantsRecording(this.options.settings)) return this.recording;
    this.recording.pause();
    return this.transcoder;
  }
  private made(frame: AudioFrame): void {
    this.madeSamples += frame.samples;
    this.frames.push(frame);
  }
  private refillFrames(): void {
    if (this.frames.wantsRefill()) this.frames.refill();
  }
  private capacitySamples(): number {
    if (this.isHeldBack()) return 0;
    return (QUEUE_MS * this.sampleRate()) / 1000 - this.transcoder.pendingSamples();
  }
  /** A turn made ahead keeps its speech compressed until its time: a session holds one CPU-heavy encoder, not three. */
  private isHeldBack(): boolean {
    if (this.place === 'first') return false;
    return mayNeedHeavyEncoder(this.output) || (this.output.format === 'mp3' && this.hasNothingToSay());
  }
  private hasNothingToSay(): boolean {
    return this.run.isDrained() && this.transcoder.isSilent();
  }
  private toMs(samples: number): number {
    return (samples * 1000) / this.sampleRate();
  }
  /** Up to where audio has been made, or is being made elsewhere. */
  private comingMs(): number {
    return this.toMs(this.madeSamples + this.transcoder.pendingSamples());
  }
}
