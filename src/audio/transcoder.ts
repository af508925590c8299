// MP3 frames of one turn → frames in the format that was asked for: decode → resample → encode as one chain of
// synchronous calls. MP3 that needs no conversion passes through frame by frame and is never decoded.

import type { OutputFormat } from '../speech/audio-format.ts';
import { heardBelowHz } from './filter-bank.ts';
import type { HeavyEncoders } from './heavy-encoders.ts';
import type { Mp3Decoders } from './mp3-decoder.ts';
import { type Mp3Frame, ownFrame } from './mp3-frame-parser.ts';
import type { Mp3StreamTag } from './mp3-stream-tag.ts';
import { createMp3ToPcm } from './mp3-to-pcm.ts';
import type { SoundPath } from './sound-path.ts';
import type { SpeechBridge } from './speech-bridge.ts';
import type { AudioFrame, PcmBlock } from './stage.ts';
import { openTurnEncoder, refuseWhenFull, type TurnEncoder } from './turn-encoder.ts';
import { createWayIn } from './way-in.ts';

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

const isChained = (format: OutputFormat['format']) =>
  format === 'ogg' || format === 'flac' || format === 'mp3';
/** The same header with nothing behind it: no side information, no main data (ISO 11172-3 2.4.1.7), and no checksum. */
const silentMp3Frame = (bytes: Uint8Array): Uint8Array => {
  const silent = new Uint8Array(bytes.length);
  silent.set(bytes.subarray(0, 4));
  silent[1]! |= 1;
  return silent;
};

/** What lies above this is not heard of a turn, Hz; undefined: all is. */
export const heardHzOf = ({ sampleRate }: Pick<OutputFormat, 'sampleRate'>): number | undefined =>
  sampleRate === undefined ? undefined : heardBelowHz(sampleRate);

/** For mp3 without a rate when there is no upstream audio to follow. */
const FALLBACK_RATE = 24_000;
const NOTHING_TO_DO = Promise.resolve();

export function createTranscoder(
  output: OutputFormat,
  codecs: Codecs,
  emit: (frame: AudioFrame) => void,
  onProgress: () => void = () => {},
): Transcoder {
  let sampleRate = output.sampleRate;
  let isSilent = true;
  let encoder: TurnEncoder | undefined;
  let isPassing = output.format === 'mp3';
  let isOver = false;
  let insertedSamples = 0;
  let framedSamples = 0;
  /** What the decoder has not been told of its stream, because nothing of it has been decoded. */
  const untold: { begin?: TranscoderItem; tag?: TranscoderItem } = {};

  let lastFrame: Mp3Frame | undefined;
  /** Silence that whole MP3 frames have not filled yet; less than nothing when they went beyond it. */
  let owedMs = 0;

  const emitEncoded = (frame: AudioFrame) => {
    framedSamples += frame.samples;
    emit(frame);
  };
  const open = (rate: number): TurnEncoder => {
    sampleRate ??= rate;
    encoder ??= openTurnEncoder({ ...output, sampleRate }, codecs, { onFrame: emitEncoded, onProgress });
    return encoder;
  };
  const heardHz = heardHzOf(output);
  const belowHz = (rate: number) =>
    heardHz === undefined ? undefined : codecs.decoders.belowHz(heardHz, rate);
  const wayIn = createWayIn(
    (rate, limitHz) => open(rate).from(rate, limitHz),
    (rate) => sampleRate ?? rate,
  );
  const bringIn = (block: PcmBlock, limitHz: number | undefined) => {
    isSilent = false;
    wayIn.push(block, limitHz);
  };
  const onPcm = (block: PcmBlock) => bringIn(block, belowHz(block.sampleRate));
  const decoder = createMp3ToPcm(codecs.decoders, onPcm, heardHz);

  const tell = (item: TranscoderItem) => {
    if (item.kind === 'tag') decoder.tag(item.tag);
    else if (item.kind === 'begin') decoder.beginStream();
    else if (item.kind === 'end') decoder.endStream();
  };
  const tellUntold = () => {
    if (untold.begin !== undefined) tell(untold.begin);
    if (untold.tag !== undefined) tell(untold.tag);
    delete untold.begin;
    delete untold.tag;
  };
  const decode = (frame: Mp3Frame) => {
    tellUntold();
    decoder.push(frame);
  };
  const onFrame = (frame: Mp3Frame) => {
    const { header } = frame;
    isPassing &&= output.sampleRate === undefined || header.sampleRate === output.sampleRate;
    if (!isPassing) return decode(frame);
    isSilent = false;
    lastFrame = ownFrame(frame);
    sampleRate ??= header.sampleRate;
    // Samples count at the turn's rate, so that a rate that changes on the way keeps the clock right.
    emit({
      bytes: lastFrame.bytes,
      samples: Math.round((header.samplesPerFrame * sampleRate) / header.sampleRate),
    });
  };

  const cross = ({ samples, sampleRate: fromRate, heardHz: bridgedHz, frames, next }: SpeechBridge) => {
    if (isPassing) frames.forEach(onFrame);
    else {
      tellUntold();
      const isWithin = bridgedHz !== undefined && heardHz !== undefined && bridgedHz <= heardHz;
      bringIn({ samples, sampleRate: fromRate }, isWithin ? belowHz(fromRate) : undefined);
      if (next !== undefined) decoder.joinStream(next);
    }
  };

  const rest = (ms: number) => {
    if (isSilent || isOver) return;
    const sampleRate = wayIn.rate();
    if (!isPassing)
      return onPcm({ samples: new Float32Array(Math.round((ms * sampleRate) / 1000)), sampleRate });
    if (lastFrame === undefined) return;
    const frameMs = (lastFrame.header.samplesPerFrame * 1000) / lastFrame.header.sampleRate;
    const frame = { ...lastFrame, bytes: silentMp3Frame(lastFrame.bytes) };
    for (owedMs += ms; owedMs >= frameMs / 2; owedMs -= frameMs) onFrame(frame);
  };
  /** MP3 frames stand by themselves unless an encoder of ours chains them. */
  const isContainer = () => encoder !== undefined && isChained(output.format);

  return {
    prepare() {
      if (output.format === 'ogg' || output.format === 'flac') refuseWhenFull(output.format, codecs.heavy);
    },
    push(item) {
      if (isOver) return;
      if (item.kind === 'frame') onFrame(item.frame);
      else if (item.kind === 'bridge') cross(item.bridge);
      else if (!isPassing) tell(item);
      // A stream that may pass through needs no decoder yet; the last tag of a joined body speaks for what follows.
      else if (item.kind === 'tag') untold.tag = item;
      else if (item.kind === 'begin') {
        untold.begin = item;
        delete untold.tag;
      }
    },
    silence(ms) {
      const rate = sampleRate ?? FALLBACK_RATE;
      const stage = open(rate).from(rate);
      stage.push(new Float32Array(Math.round((ms * rate) / 1000)));
      stage.flush();
    },
    rest,
    release() {
      if (isOver || output.format === 'mp3' || encoder === undefined) return NOTHING_TO_DO;
      wayIn.flush();
      const released = encoder;
      return released.release().then(() => {
        insertedSamples = framedSamples - released.takenSamples();
      });
    },
    cut(sent) {
      const wasOver = isOver;
      decoder.endStream();
      wayIn.close();
      delete untold.begin;
      delete untold.tag;
      if (sent === 'none') {
        encoder?.close();
        encoder = undefined;
        [framedSamples, insertedSamples] = [0, 0];
        isSilent = true;
      } else if (isContainer()) {
        if (wasOver && output.format !== 'mp3') return 'over';
        if (wasOver) encoder = undefined; // frames of MP3 follow on each other whoever made them
        isOver = false;
        return 'keep';
      }
      isOver = false;
      encoder?.drop();
      return 'drop';
    },
    flush() {
      if (isOver) return NOTHING_TO_DO;
      isOver = true;
      if (!isPassing) decoder.endStream();
      wayIn.flush();
      return encoder?.flush() ?? NOTHING_TO_DO;
    },
    close() {
      isOver = true;
      decoder.close();
      wayIn.close();
      encoder?.close();
    },
    pendingSamples: () => encoder?.pendingSamples() ?? 0,
    insertedMs: () => (sampleRate === undefined ? 0 : (insertedSamples * 1000) / sampleRate),
    isSilent: () => isSilent,
    sampleRate: () => sampleRate,
  };
}
