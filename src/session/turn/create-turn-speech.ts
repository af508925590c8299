// The making of one turn's audio: a take of its speech, or one after another when its listener seeks, into one queue
// through one codec. `stop` aborts the upstream, frees the codec and drops everything queued, in one call.

import type { AudioFrame } from '../../audio/stage.ts';
import { createTranscoder, type Transcoder } from '../../audio/transcoder.ts';
import type { AppError } from '../../base/app-error.ts';
import type { SpeechSink } from '../../pipeline/speak.ts';
import { createFrameQueue, type FrameQueue } from '../../playout/frame-queue.ts';
import { mayNeedHeavyEncoder, type OutputFormat } from '../../speech/audio-format.ts';
import type { QueuedNotice, SpeechBody } from '../../upstream/speech-upstream.ts';
import { createTurnTape, type TurnTape } from '../observers/turn-tape.ts';
import { outputOf } from '../turn-settings.ts';
import type { TurnSpeech, TurnSpeechOptions } from './turn-speech.ts';
import { createTurnTake, type TakeEvents, type TurnTake } from './turn-take.ts';

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

/** One for each turn, which hears of its takes itself. */
class SpeechInTakes implements TurnSpeech, TakeEvents {
  private readonly options: TurnSpeechOptions;
  private readonly output: OutputFormat;
  private readonly transcoder: Transcoder;
  /** The same, as the takes have it. */
  private readonly sink: SpeechSink;
  private take: TurnTake;
  private phase: 'idle' | 'speaking' | 'over' | 'stopped' = 'idle';
  private place: 'ahead' | 'first' = 'ahead';
  private error: AppError | undefined;
  private madeSamples = 0;
  private requestsSent = 0;
  private bodiesResumed = 0;
  private firstQueueMs = 0;
  private firstTtfbMs = 0;
  private timings: 'open' | 'known' = 'open';
  private hasArrived = false;
  private isQueued = false;

  readonly frames: FrameQueue;
  readonly tape: TurnTape;

  constructor(options: TurnSpeechOptions) {
    const { runtime, settings, audience } = options;
    this.options = options;
    this.output = outputOf(settings);
    this.frames = createFrameQueue(
      () => this.capacitySamples(),
      options.onFrame,
      options.onStall,
      () => (FIRST_MS * this.sampleRate()) / 1000,
    );
    this.transcoder = createTranscoder(
      this.output,
      runtime.codecs,
      (frame) => this.made(frame),
      () => this.refillFrames(),
    );
    this.tape = createTurnTape({
      codecs: runtime.codecs,
      frameMs: this.output.frameMs,
      isWanted: () => audience.wantsTape(settings),
      madeMs: () => this.comingMs(),
    });
    this.sink = this.tape.overhear(this.transcoder);
    this.take = this.openTake();
  }

  sampleRate(): number {
    return this.transcoder.sampleRate() ?? 8000;
  }
  comeFirst(): void {
    if (this.place === 'first') return;
    this.place = 'first';
    this.options.work.rise();
    this.refillFrames();
  }
  begin(): void {
    if (this.phase !== 'idle') return;
    this.phase = 'speaking';
    this.take.begin();
  }
  stop(): void {
    this.phase = 'stopped';
    this.options.script.close();
    this.take.cut();
    this.frames.clear();
    this.transcoder.close();
  }
  putBack(taken: readonly AudioFrame[]): void {
    this.frames.putBack(taken);
  }
  speakOn(seek: (keptUntilMs: number | undefined) => void, sentMs: number): number | undefined {
    const cut = this.transcoder.cut(sentMs > 0 ? 'some' : 'none');
    if (cut === 'over') return undefined;
    this.take.cut();
    this.isQueued = false;
    if (cut === 'drop') {
      this.frames.drop();
      this.madeSamples = Math.round((sentMs * this.sampleRate()) / 1000);
    } else this.frames.reopen();
    this.error = undefined;
    const atMs = this.comingMs();
    this.tape.seek(atMs);
    seek(cut === 'keep' ? atMs : undefined);
    this.take = this.openTake();
    if (this.phase === 'over') this.phase = 'speaking';
    if (this.phase === 'speaking') this.take.begin();
    return atMs;
  }
  insertedMs(): number {
    return this.transcoder.insertedMs();
  }
  isOver(): boolean {
    return this.phase === 'over' || this.phase === 'stopped';
  }
  failure(): AppError | undefined {
    return this.error;
  }
  madeMs(): number {
    return this.toMs(this.madeSamples);
  }
  waitingMs(): number {
    return this.take.waitingMs() + this.toMs(this.frames.queuedSamples() + this.transcoder.pendingSamples());
  }
  bufferedBytes(): number {
    return this.take.bytes() + this.frames.queuedBytes();
  }
  wantsRefill(): boolean {
    return this.frames.wantsRefill() || this.take.wantsRefill();
  }
  refill(): void {
    this.refillFrames();
    this.take.refill();
  }
  requests(): number {
    return this.requestsSent;
  }
  isCached(): boolean {
    return this.hasArrived && this.requestsSent === 0;
  }
  resumes(): number {
    return this.bodiesResumed;
  }
  queueMs(): number {
    return this.firstQueueMs;
  }
  ttfbMs(): number {
    return this.firstTtfbMs;
  }
  waitsForQuota(): boolean {
    return this.isQueued;
  }
  isAsking(): boolean {
    return this.take.isAsking();
  }
  wordsFound(): Promise<void> {
    return this.take.wordsFound();
  }
  reachableMs(): number {
    const isComing =
      this.take.isAsking() || this.take.waitingMs() > 0 || this.transcoder.pendingSamples() > 0;
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
  answered({ queueMs, ttfbMs }: SpeechBody): void {
    if (this.timings === 'known') return;
    this.firstQueueMs = queueMs;
    this.firstTtfbMs = ttfbMs;
  }
  arrived(): void {
    this.timings = 'known';
    this.hasArrived = true;
    this.options.onStall();
  }
  flushed(count: number): void {
    this.options.onFlushed(count, this.madeMs(), this.transcoder.insertedMs());
  }
  done(error: AppError | undefined): void {
    this.error = error;
    this.phase = 'over';
    this.options.onDone();
  }

  private openTake(): TurnTake {
    const { settings, script, runtime, tenant, work, spoolCapacityBytes, remainingMs } = this.options;
    return createTurnTake({
      settings,
      stretch: script.stretch(),
      runtime,
      tenant,
      work,
      frames: this.frames,
      transcoder: this.sink,
      spoolCapacityBytes,
      remainingMs,
      place: () => this.place,
      events: this,
    });
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
  /** A turn made ahead keeps its speech compressed until its time: a session holds one dear encoder, not three. */
  private isHeldBack(): boolean {
    if (this.place === 'first') return false;
    return mayNeedHeavyEncoder(this.output) || (this.output.format === 'mp3' && this.hasNothingToSay());
  }
  private hasNothingToSay(): boolean {
    return this.take.isDrained() && this.transcoder.isSilent();
  }
  private toMs(samples: number): number {
    return (samples * 1000) / this.sampleRate();
  }
  /** Up to where audio has been made, or is being made elsewhere. */
  private comingMs(): number {
    return this.toMs(this.madeSamples + this.transcoder.pendingSamples());
  }
}

export const createTurnSpeech = (options: TurnSpeechOptions): TurnSpeech => new SpeechInTakes(options);
