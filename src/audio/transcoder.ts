// MP3 frames of one turn → frames in the format that was asked for: decode → resample → encode as one chain of
// synchronous calls. MP3 that needs no conversion passes through frame by frame and is never decoded.

import type { OutputFormat } from '../speech/audio-format.ts';
import { heardBelowHz } from './dsp/filter-bank.ts';
import type { SoundPath } from './dsp/sound-path.ts';
import type { SpeechBridge } from './dsp/speech-bridge.ts';
import { createWayIn, type StageMaker, type WayIn } from './dsp/way-in.ts';
import { type HeavyEncoders, isHeavyFormat } from './heavy-encoders.ts';
import type { Mp3Decoders } from './mp3/mp3-decoder.ts';
import type { Mp3Frame } from './mp3/mp3-frame-parser.ts';
import { createMp3Passage, type Mp3Passage } from './mp3/mp3-passage.ts';
import type { Mp3StreamTag } from './mp3/mp3-stream-tag.ts';
import { createMp3ToPcm, type Mp3ToPcm } from './mp3/mp3-to-pcm.ts';
import type { AudioFrame, ClosableStage, PcmBlock } from './stage.ts';
import { openTurnEncoder, refuseWhenFull, type TurnEncoder } from './turn-encoder.ts';

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
  | { readonly kind: 'frame'; readonly frame: Mp3Frame }
  /** The stream so far is over; what follows is another, from its middle. */
  | { readonly kind: 'bridge'; readonly bridge: SpeechBridge }
  | { readonly kind: 'end' };

export type Transcoder = {
  /** Throws `busy` when the format needs a dear encoder and none is free; better before any speech is asked for. */
  prepare(): void;
  push(item: TranscoderItem): void;
  /**
   * Everything so far comes out, the last frame filled with silence; more may follow. Only where frames can be cut at
   * will: mp3 keeps the rest of its frame until more comes.
   */
  release(): Promise<void>;
  /** Appends silence, for a turn that has nothing to say. */
  silence(ms: number): void;
  /** Silence between two streams; none where there has been no sound yet. */
  rest(ms: number): void;
  /**
   * What is on its way is given up, and what follows begins another stream of the same turn. `frames`: those that were
   * emitted and not sent. They can be left out, or must be kept, because a container goes on behind them; `over`: it has
   * been closed, and nothing can follow. `sent`: whether any frame was.
   */
  cut(sent: 'some' | 'none'): 'drop' | 'keep' | 'over';
  /** No more input: the tail is padded to a whole frame. Resolves when the last frame has been emitted. Once. */
  flush(): Promise<void>;
  /** Ends everything at once; what waits for `release` or `flush` goes on. */
  close(): void;
  /** Samples whose frames are being made elsewhere; they count as waiting. */
  pendingSamples(): number;
  /** Silence that flushes have inserted so far, ms. */
  insertedMs(): number;
  /** True until the first audio of the turn. */
  isSilent(): boolean;
  /** Hz of what comes out; known at the latest when the first frame does. */
  sampleRate(): number | undefined;
};

/** What lies above this is not heard of a turn, Hz; undefined: all is. */
export const heardHzOf = ({ sampleRate }: Pick<OutputFormat, 'sampleRate'>): number | undefined =>
  sampleRate === undefined ? undefined : heardBelowHz(sampleRate);

/** For mp3 without a rate when there is no upstream audio to follow. */
const FALLBACK_RATE = 24_000;
const NOTHING_TO_DO = Promise.resolve();

/** One for each turn, called for each MP3 frame. */
class TurnTranscoder implements Transcoder, StageMaker {
  private readonly output: OutputFormat;
  private readonly codecs: Codecs;
  private readonly emit: (frame: AudioFrame) => void;
  private readonly onProgress: () => void;
  private readonly heardHz: number | undefined;
  private readonly decoder: Mp3ToPcm;
  private readonly wayIn: WayIn = createWayIn(this);
  private encoder: TurnEncoder | undefined;
  private rate: number | undefined;
  private hasSound = false;
  /** The way of MP3 that needs no conversion; undefined when it does. */
  private passage: Mp3Passage | undefined;
  private isOver = false;
  private insertedSamples = 0;
  private framedSamples = 0;

  constructor(
    output: OutputFormat,
    codecs: Codecs,
    emit: (frame: AudioFrame) => void,
    onProgress: () => void,
  ) {
    this.output = output;
    this.codecs = codecs;
    this.emit = emit;
    this.onProgress = onProgress;
    this.heardHz = heardHzOf(output);
    this.decoder = createMp3ToPcm(codecs.decoders, (block) => this.takeDecoded(block), this.heardHz);
    this.rate = output.sampleRate;
    this.passage = output.format === 'mp3' ? createMp3Passage(output.sampleRate, emit) : undefined;
  }

  prepare(): void {
    const { format } = this.output;
    if (format === 'ogg' || format === 'flac') refuseWhenFull(format, this.codecs.heavy);
  }
  push(item: TranscoderItem): void {
    if (this.isOver) return;
    if (item.kind === 'frame') this.pushFrame(item.frame);
    else if (item.kind === 'bridge') this.cross(item.bridge);
    else if (item.kind === 'tag') (this.passage ?? this.decoder).tag(item.tag);
    else if (item.kind === 'begin') (this.passage ?? this.decoder).beginStream();
    else if (this.passage === undefined) this.decoder.endStream();
  }
  silence(ms: number): void {
    const rate = this.rate ?? FALLBACK_RATE;
    const stage = this.openEncoder(rate).from(rate);
    stage.push(new Float32Array(Math.round((ms * rate) / 1000)));
    stage.flush();
  }
  rest(ms: number): void {
    if (!this.hasSound || this.isOver) return;
    if (this.passage !== undefined) return this.passage.rest(ms);
    const sampleRate = this.wayIn.rate();
    this.takeDecoded({ samples: new Float32Array(Math.round((ms * sampleRate) / 1000)), sampleRate });
  }
  release(): Promise<void> {
    const { encoder } = this;
    if (this.isOver || this.output.format === 'mp3' || encoder === undefined) return NOTHING_TO_DO;
    this.wayIn.flush();
    return encoder.release().then(() => {
      this.insertedSamples = this.framedSamples - encoder.takenSamples();
    });
  }
  cut(sent: 'some' | 'none'): 'drop' | 'keep' | 'over' {
    const wasOver = this.isOver;
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
  flush(): Promise<void> {
    if (this.isOver) return NOTHING_TO_DO;
    this.isOver = true;
    if (this.passage === undefined) this.decoder.endStream();
    this.wayIn.flush();
    return this.encoder?.flush() ?? NOTHING_TO_DO;
  }
  close(): void {
    this.isOver = true;
    this.decoder.close();
    this.wayIn.close();
    this.encoder?.close();
  }
  pendingSamples(): number {
    return this.encoder?.pendingSamples() ?? 0;
  }
  insertedMs(): number {
    return this.rate === undefined ? 0 : (this.insertedSamples * 1000) / this.rate;
  }
  isSilent(): boolean {
    return !this.hasSound;
  }
  sampleRate(): number | undefined {
    return this.rate;
  }

  openStage(fromRate: number, belowHz: number | undefined): ClosableStage<Float32Array> {
    return this.openEncoder(fromRate).from(fromRate, belowHz);
  }
  toRate(fromRate: number): number {
    return this.rate ?? fromRate;
  }

  private openEncoder(rate: number): TurnEncoder {
    this.rate ??= rate;
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
    this.wayIn.push(block, limitHz);
  }
  private takeDecoded(block: PcmBlock): void {
    this.bringIn(block, this.belowHz(block.sampleRate));
  }

  private pushFrame(frame: Mp3Frame): void {
    const { passage } = this;
    if (passage === undefined) return this.decoder.push(frame);
    if (passage.takes(frame.header)) {
      this.hasSound = true;
      this.rate ??= frame.header.sampleRate;
      passage.push(frame, this.rate);
    } else {
      passage.tellTo(this.decoder);
      this.passage = undefined;
      this.decoder.push(frame);
    }
  }
  private cross({ samples, sampleRate, heardHz: bridgedHz, frames, next }: SpeechBridge): void {
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

export const createTranscoder = (
  output: OutputFormat,
  codecs: Codecs,
  emit: (frame: AudioFrame) => void,
  onProgress: () => void = () => {},
): Transcoder => new TurnTranscoder(output, codecs, emit, onProgress);
