// Frames of one turn's bodies → frames in the format that was asked for: decode → resample → encode as one chain of
// synchronous calls. What needs no conversion (MP3; µ-law, A-law and PCM of the listener's rate) is never decoded: its bytes
// go on as they came.

import { MP3_SAMPLE_RATES, type OutputFormat } from '../speech/audio-format.ts';
import { isMp3Frame, type SampleHeader, type SoundFrame } from './bodies/sound-frame.ts';
import { SoundToPcm } from './bodies/sound-to-pcm.ts';
import type { Crossfade } from './dsp/crossfade.ts';
import { decimationOf } from './dsp/decimation.ts';
import { heardBelowHz } from './dsp/filter-bank.ts';
import type { SoundPath } from './dsp/sound-path.ts';
import { SpeechGain } from './dsp/speech-gain.ts';
import { type HeavyEncoders, isHeavyFormat } from './heavy-encoders.ts';
import type { Mp3Decoders } from './mp3/mp3-decoder.ts';
import { Mp3Passthrough } from './mp3/mp3-passthrough.ts';
import type { Mp3StreamTag } from './mp3/mp3-stream-tag.ts';
import type { AudioFrame, ClosableStage, PcmBlock } from './stage.ts';
import { openTurnEncoder, pcmFormatOf, refuseWhenFull, type TurnEncoder } from './turn-encoder.ts';

/** What opens the stages of the resampler. */
type StageMaker = {
  /** A stage for samples of a rate that hold nothing above `belowHz`. */
  openStage(fromRate: number, belowHz: number | undefined): ClosableStage<Float32Array>;
  /** The rate to which samples of `fromRate` are brought. */
  toRate(fromRate: number): number;
};

/**
 * The resampler's input: decoded sound goes into one stage as long as its rate and its decimation factor stay the same, and into a
 * new one when either changes.
 */
class ResamplerInput {
  private readonly maker: StageMaker;
  private stage: ClosableStage<Float32Array> | undefined;
  private lastRate = 0;
  private limitHz: number | undefined;
  private decimation = 1;

  constructor(maker: StageMaker) {
    this.maker = maker;
  }

  /** A block that may hold more than the sound before it is not decimated by the factor of that sound: it would fold back. */
  push({ samples, sampleRate }: PcmBlock, belowHz: number | undefined): void {
    if (sampleRate !== this.lastRate || belowHz !== this.limitHz) this.change(sampleRate, belowHz);
    this.stage ??= this.maker.openStage(sampleRate, belowHz);
    this.stage.push(samples);
  }
  /** Hz of the last block; 0 before there was any. */
  rate(): number {
    return this.lastRate;
  }
  /** What the last block held nothing above, Hz. */
  belowHz(): number | undefined {
    return this.limitHz;
  }
  /** Emits all that came in; the next block opens another stage. */
  flush(): void {
    this.stage?.flush();
    this.stage = undefined;
  }
  /** Emits all that came in; what comes now by another way is of `sampleRate`. */
  flushFor(sampleRate: number): void {
    if (this.stage !== undefined) this.flush();
    this.lastRate = sampleRate;
    this.limitHz = undefined;
    this.decimation = 1;
  }
  /** Drops what has not been emitted. */
  close(): void {
    this.stage?.close();
    this.stage = undefined;
  }

  private change(fromRate: number, belowHz: number | undefined): void {
    const decimation = decimationOf({ fromRate, toRate: this.maker.toRate(fromRate), belowHz });
    if (fromRate !== this.lastRate || decimation !== this.decimation) this.flush();
    this.lastRate = fromRate;
    this.limitHz = belowHz;
    this.decimation = decimation;
  }
}

/** What a turn's codecs are made from; loaded once by the program and shared by all turns. */
export type Codecs = {
  readonly decoders: Mp3Decoders;
  readonly heavy: HeavyEncoders;
  readonly sound: SoundPath;
};

/** Bytes of a frame are read before `push` returns, and not kept. */
export type TranscoderItem =
  | { readonly kind: 'begin' }
  | { readonly kind: 'tag'; readonly tag: Mp3StreamTag }
  | { readonly kind: 'frame'; readonly frame: SoundFrame }
  /** The stream so far is over; what follows is another, from its middle. */
  | { readonly kind: 'bridge'; readonly bridge: Crossfade }
  | { readonly kind: 'end' }
  /** The rest of the stream is so much louder; each begins with none. */
  | { readonly kind: 'gain'; readonly db: number }
  /** Silence between two streams; none where there has been no sound yet. */
  | { readonly kind: 'pause'; readonly ms: number }
  /** Silence for a turn that has nothing to say. */
  | { readonly kind: 'silence'; readonly ms: number }
  /**
   * Everything so far comes out, the last frame filled with silence; more may follow. Only where frames can be cut at
   * will: mp3 keeps the rest of its frame until more comes.
   */
  | { readonly kind: 'release' }
  /** No more input: the tail is padded to a whole frame. */
  | { readonly kind: 'finish' };

/** What lies above this is not heard of a turn, Hz; undefined: all is. */
export const heardHzOf = ({ sampleRate }: Pick<OutputFormat, 'sampleRate'>): number | undefined =>
  sampleRate === undefined ? undefined : heardBelowHz(sampleRate);

/** How samples of a format are coded, where each is a fixed number of bytes. */
const codeOf = (format: OutputFormat['format']) => (isHeavyFormat(format) ? undefined : pcmFormatOf(format));

/** The next rate that MP3 has. */
const mp3RateOf = (rate: number): number => MP3_SAMPLE_RATES.find((own) => own >= rate) ?? 48_000;

/** For mp3 without a rate when there is no upstream audio to follow. */
const FALLBACK_RATE = 24_000;
const NOTHING_TO_DO = Promise.resolve();

/** One for each turn, called for each frame. */
export class Transcoder implements StageMaker {
  private readonly output: OutputFormat;
  private readonly codecs: Codecs;
  private readonly emit: (frame: AudioFrame) => void;
  private readonly onProgress: () => void;
  private readonly heardHz: number | undefined;
  private readonly decoder: SoundToPcm;
  private readonly wayIn: ResamplerInput = new ResamplerInput(this);
  private encoder: TurnEncoder | undefined;
  private rate: number | undefined;
  private hasSound = false;
  private readonly gain = new SpeechGain();
  /** The way of MP3 that needs no conversion; undefined when it does. */
  private passage: Mp3Passthrough | undefined;
  private isOver = false;
  private insertedSamples = 0;
  private framedSamples = 0;
  private settling = NOTHING_TO_DO;

  constructor(
    output: OutputFormat,
    codecs: Codecs,
    emit: (frame: AudioFrame) => void,
    onProgress: () => void = () => {},
  ) {
    this.output = output;
    this.codecs = codecs;
    this.emit = emit;
    this.onProgress = onProgress;
    this.heardHz = heardHzOf(output);
    this.decoder = new SoundToPcm(codecs.decoders, (block) => this.takeDecoded(block), this.heardHz);
    this.rate = output.sampleRate;
    this.passage = output.format === 'mp3' ? new Mp3Passthrough(output.sampleRate, emit) : undefined;
  }

  /** Throws `busy` when the format needs a CPU-heavy encoder and none is free; better before any speech is asked for. */
  prepare(): void {
    const { format } = this.output;
    if (format === 'ogg' || format === 'flac') refuseWhenFull(format, this.codecs.heavy);
  }
  push(item: TranscoderItem): void {
    if (this.isOver) return;
    switch (item.kind) {
      case 'frame':
        return this.pushFrame(item.frame);
      case 'bridge':
        return this.cross(item.bridge);
      case 'tag':
        return (this.passage ?? this.decoder).tag(item.tag);
      case 'gain':
        return this.gain.set(item.db);
      case 'begin':
        this.gain.begin();
        return (this.passage ?? this.decoder).beginStream();
      case 'end':
        return this.passage === undefined ? this.decoder.endStream() : undefined;
      case 'pause':
        return this.pause(item.ms);
      case 'silence':
        return this.silence(item.ms);
      case 'release':
        return this.release();
      case 'finish':
        return this.finish();
    }
  }
  /** Resolves when the last `release` or `finish` has been carried out: an encoder may run elsewhere. */
  settled(): Promise<void> {
    return this.settling;
  }
  /**
   * What is on its way is given up, and what follows begins another stream of the same turn. `frames`: those that were
   * emitted and not sent. They can be left out, or must be kept, because a container goes on behind them; `over`: it has
   * been closed, and nothing can follow. `sent`: whether any frame was.
   */
  cut(sent: 'some' | 'none'): 'drop' | 'keep' | 'over' {
    const wasOver = this.isOver;
    this.settling = NOTHING_TO_DO;
    this.decoder.endStream();
    this.wayIn.close();
    this.passage?.forgetStream();
    if (sent === 'none') {
      this.encoder?.close();
      this.encoder = undefined;
      this.framedSamples = 0;
      this.insertedSamples = 0;
      this.hasSound = false;
    } else if (this.isContainer()) {
      if (wasOver && this.output.format !== 'mp3') return 'over';
      if (wasOver) this.encoder = undefined; // frames of MP3 follow on each other whoever made them
      this.isOver = false;
      return 'keep';
    }
    this.isOver = false;
    this.encoder?.drop();
    return 'drop';
  }
  /** Ends everything at once; what waits for `settled` goes on. */
  close(): void {
    this.isOver = true;
    this.decoder.close();
    this.wayIn.close();
    this.encoder?.close();
  }
  /** Samples whose frames are being made elsewhere; they count as waiting. */
  pendingSamples(): number {
    return this.encoder?.pendingSamples() ?? 0;
  }
  /** Silence that flushes have inserted so far, ms. */
  insertedMs(): number {
    return this.rate === undefined ? 0 : (this.insertedSamples * 1000) / this.rate;
  }
  /** How much louder than it came the sound is now, dB. */
  gainDb(): number {
    return this.gain.db();
  }
  /** True until the first audio of the turn. */
  isSilent(): boolean {
    return !this.hasSound;
  }
  /** Hz of what comes out; known at the latest when the first frame does. */
  sampleRate(): number | undefined {
    return this.rate;
  }

  openStage(fromRate: number, belowHz: number | undefined): ClosableStage<Float32Array> {
    return this.openEncoder(fromRate).from(fromRate, belowHz);
  }
  toRate(fromRate: number): number {
    return this.rate ?? fromRate;
  }

  private silence(ms: number): void {
    const rate = this.rate ?? FALLBACK_RATE;
    const stage = this.openEncoder(rate).from(rate);
    stage.push(new Float32Array(Math.round((ms * rate) / 1000)));
    stage.flush();
  }
  private pause(ms: number): void {
    if (!this.hasSound) return;
    if (this.passage !== undefined) return this.passage.rest(ms);
    const sampleRate = this.wayIn.rate();
    const samples = new Float32Array(Math.round((ms * sampleRate) / 1000));
    this.bringIn({ samples, sampleRate }, this.wayIn.belowHz());
  }
  private release(): void {
    const { encoder } = this;
    if (this.output.format === 'mp3' || encoder === undefined) return;
    this.wayIn.flush();
    this.settling = encoder.release().then(() => {
      this.insertedSamples = this.framedSamples - encoder.takenSamples();
    });
  }
  private finish(): void {
    this.isOver = true;
    if (this.passage === undefined) this.decoder.endStream();
    this.wayIn.flush();
    this.settling = this.encoder?.flush() ?? NOTHING_TO_DO;
  }

  private openEncoder(rate: number): TurnEncoder {
    this.rate ??= this.output.format === 'mp3' ? mp3RateOf(rate) : rate;
    this.encoder ??= openTurnEncoder({ ...this.output, sampleRate: this.rate }, this.codecs, {
      onFrame: (frame) => {
        this.framedSamples += frame.samples;
        this.emit(frame);
      },
      onProgress: this.onProgress,
    });
    return this.encoder;
  }
  private belowHz(rate: number): number | undefined {
    return this.heardHz === undefined ? undefined : this.codecs.decoders.belowHz(this.heardHz, rate);
  }
  private bringIn(block: PcmBlock, limitHz: number | undefined): void {
    this.hasSound = true;
    this.wayIn.push(this.gain.over(block), limitHz);
  }
  private takeDecoded(block: PcmBlock): void {
    this.bringIn(block, block.band === 'whole' ? undefined : this.belowHz(block.sampleRate));
  }

  private pushFrame(frame: SoundFrame): void {
    const { passage } = this;
    if (!isMp3Frame(frame)) {
      this.passage = undefined;
      return this.pushSamples(frame, frame.header as SampleHeader);
    }
    if (passage === undefined) return this.decoder.push(frame);
    if (passage.takes(frame.header)) {
      this.hasSound = true;
      this.rate ??= frame.header.sampleRate;
      passage.push(frame, this.rate, this.gainDb());
    } else {
      passage.tellTo(this.decoder);
      this.passage = undefined;
      this.decoder.push(frame);
    }
  }
  /** Samples that the listener wants as they are go on undecoded, behind all that was brought in before. */
  private pushSamples(frame: SoundFrame, { code, sampleRate }: SampleHeader): void {
    const isAsked = sampleRate === this.output.sampleRate && code === codeOf(this.output.format);
    if (!isAsked || this.gain.isOn()) return this.decoder.push(frame);
    this.hasSound = true;
    this.wayIn.flushFor(sampleRate);
    this.openEncoder(sampleRate).takeCoded(frame.bytes);
  }
  private cross({ samples, sampleRate, heardHz: bridgedHz, frames, next }: Crossfade): void {
    if (this.passage !== undefined) {
      for (const frame of frames) this.pushFrame(frame);
      return;
    }
    const isWithin = bridgedHz !== undefined && this.heardHz !== undefined && bridgedHz <= this.heardHz;
    this.bringIn({ samples, sampleRate }, isWithin ? this.belowHz(sampleRate) : undefined);
    if (next !== undefined) this.decoder.joinStream(next);
  }

  /** MP3 frames stand by themselves unless an encoder of ours chains them. */
  private isContainer(): boolean {
    return this.encoder !== undefined && isHeavyFormat(this.output.format);
  }
}
