// One turn's MP3 frames → blocks of PCM, across the several upstream bodies that a turn may have. Each body is
// decoded afresh and cut to the samples of its source, so that two bodies join without a gap or an overlap.
// Decoders get audio frames only, not the tag frame, which the parser removes: so the trimming is done here.

import type { StreamPlace } from '../dsp/crossfade.ts';
import type { PcmBlock } from '../stage.ts';
import type { Mp3Decoder, Mp3Decoders } from './mp3-decoder.ts';
import type { Mp3Frame } from './mp3-frame-parser.ts';
import type { Mp3StreamTag } from './mp3-stream-tag.ts';

/** The delay of the hybrid filter bank in every Layer III decoder, in samples (LAME's tag counts without it). */
const DECODER_DELAY = 529;
/** LAME's own delay of 576, and the usual one of its kin, where no tag says otherwise. */
const USUAL_ENCODER_DELAY = 576;

/** Positions in the decoded samples of one stream; all but the first are infinite when no tag tells them. */
type Trim = {
  /** First sample of the source. */
  readonly lead: number;
  /** Behind the last sample of the source. */
  readonly end: number;
  /** Behind the last frame that the tag counts. */
  readonly told: number;
  /** The last two, if the tag counts its own frame: a stream that ends at `toldBefore` shows it. */
  readonly endBefore: number;
  readonly toldBefore: number;
};

function trimOf(tag: Mp3StreamTag | undefined, samplesPerFrame: number): Trim {
  const lead = (tag?.encoderDelay ?? USUAL_ENCODER_DELAY) + DECODER_DELAY;
  const told = (tag?.totalFrames ?? Number.POSITIVE_INFINITY) * samplesPerFrame;
  const end = tag?.padding === undefined ? Number.POSITIVE_INFINITY : told - tag.padding + DECODER_DELAY;
  return {
    lead,
    end: Math.max(lead, end),
    told,
    endBefore: Math.max(lead, end - samplesPerFrame),
    toldBefore: told - samplesPerFrame,
  };
}

/** Of the first `decoded` samples those between `lead` and `end`, and all behind `told`. */
const between = ({ lead, end, told }: Trim, decoded: number): number =>
  Math.max(0, decoded - lead - Math.max(0, Math.min(decoded, told) - end));

/**
 * How many of the first `decoded` samples are kept. A stream that goes on behind the frames that its tag counts
 * (files joined without care) shows that the tag does not speak for it: what follows is speech and is kept. One that may
 * have ended, because its tag counted one frame too many, has its padding there.
 */
const keptSamples = (trim: Trim, decoded: number): number =>
  decoded > trim.toldBefore ? between(trim, decoded) : between(trim, Math.min(decoded, trim.endBefore));

/**
 * The exact number of samples, at the stream's own rate, that `frames` frames of `samplesPerFrame` give, the
 * tag's frame not counted: totalFrames · samplesPerFrame − encoderDelay − padding when the tag tells them and
 * the frames are all there. It is what `Mp3ToPcm` emits, known before anything is decoded.
 */
export const streamSamples = (
  tag: Mp3StreamTag | undefined,
  frames: number,
  samplesPerFrame: number,
): number => keptSamples(trimOf(tag, samplesPerFrame), frames * samplesPerFrame);

/** Samples that a decoder gives before the first one of the source. */
export const streamLead = (tag: Mp3StreamTag | undefined): number => trimOf(tag, 0).lead;

/** One for each turn, called for each MP3 frame. */
export class Mp3ToPcm {
  private readonly decoders: Mp3Decoders;
  private readonly emit: (block: PcmBlock) => void;
  private readonly heardHz: number | undefined;
  private decoder: Mp3Decoder | undefined;
  private streamTag: Mp3StreamTag | undefined;
  private trim: Trim | undefined;
  private decoded = 0;
  /** Samples that may be padding, until it is known whether a frame follows. */
  private unsure: Float32Array[] = [];
  private emitted = 0;
  // Counted per rate, so that hours of frames do not add up rounding errors.
  private earlierMs = 0;
  private rate = 0;
  private samplesAtRate = 0;

  /** `heardHz`: what lies above it need not be in the sound. */
  constructor(decoders: Mp3Decoders, emit: (block: PcmBlock) => void, heardHz?: number) {
    this.decoders = decoders;
    this.emit = emit;
    this.heardHz = heardHz;
  }

  /** A new body: nothing of the one before is left in the decoder. Throws when no decoder can be had. */
  beginStream(): void {
    this.endStream();
    this.decoder = this.decoders.open(this.heardHz);
    this.streamTag = undefined;
    this.trim = undefined;
    this.decoded = 0;
    this.unsure = [];
  }
  /** Joins another stream in its middle; nothing is emitted for what lies before. */
  joinStream({ tag, framesBefore, warmUp }: StreamPlace & { readonly warmUp: readonly Mp3Frame[] }): void {
    this.beginStream();
    this.streamTag = tag;
    for (const frame of warmUp) this.decoder?.decode(frame.bytes, () => {});
    this.decoded = framesBefore * (warmUp[0]?.header.samplesPerFrame ?? 0);
  }
  /** What the body's tag frame says. Behind frames of the same body it begins a new stream (files joined). */
  tag(tag: Mp3StreamTag): void {
    if (this.decoded > 0) this.beginStream();
    this.streamTag = tag;
  }
  /** Emits at the frame's own rate, nearly always one block. */
  push(frame: Mp3Frame): void {
    const { decoder } = this;
    if (decoder === undefined) throw new Error('an MP3 frame came outside a stream');
    if (frame.afterGap) decoder.gap();
    decoder.decode(frame.bytes, this.onSamples);
  }
  endStream(): void {
    this.decoder?.close();
    this.decoder = undefined;
  }
  /** Frees the decoder; the turn is over, with or without `endStream`. */
  close(): void {
    this.endStream();
  }
  /** Emitted since creation, all streams together. */
  emittedSamples(): number {
    return this.emitted;
  }
  emittedMs(): number {
    return this.earlierMs + this.msAtRate();
  }

  /** A field, so that it is passed to the decoder for each frame without a new closure. */
  private readonly onSamples = (samples: Float32Array, sampleRate: number): void => {
    const trim = this.trim ?? trimOf(this.streamTag, samples.length);
    this.trim = trim;
    const before = this.decoded;
    this.decoded += samples.length;
    if (before <= trim.toldBefore && this.decoded > trim.toldBefore)
      for (const unsure of this.unsure.splice(0)) this.emitKept(unsure, sampleRate);
    const from = Math.max(0, trim.lead - before);
    const kept = between(trim, this.decoded) - between(trim, before);
    const known =
      this.decoded > trim.toldBefore ? kept : keptSamples(trim, this.decoded) - keptSamples(trim, before);
    if (known > 0)
      this.emitKept(known === samples.length ? samples : samples.subarray(from, from + known), sampleRate);
    if (known < kept) this.unsure.push(samples.slice(from + known, from + kept));
  };
  private emitKept(samples: Float32Array, sampleRate: number): void {
    this.count(samples.length, sampleRate);
    this.emit({ samples, sampleRate });
  }
  private count(samples: number, sampleRate: number): void {
    if (sampleRate !== this.rate) {
      this.earlierMs += this.msAtRate();
      this.samplesAtRate = 0;
      this.rate = sampleRate;
    }
    this.samplesAtRate += samples;
    this.emitted += samples;
  }
  private msAtRate(): number {
    return this.rate === 0 ? 0 : (this.samplesAtRate * 1000) / this.rate;
  }
}
