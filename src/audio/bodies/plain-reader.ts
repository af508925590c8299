// Plain samples, cut anywhere → frames of 24 or 48 ms. What the path takes as it is (16-bit little-endian, µ-law, A-law, one channel) is
// not touched; every other layout becomes float32 of one channel, exactly where a float32 can hold it.

import { AppError } from '../../base/app-error.ts';
import { ALAW_VALUES, MULAW_VALUES } from '../dsp/g711.ts';
import type { BodyParser, SoundSink } from './body-parser.ts';
import type { SampleCode, SampleHeader, SoundFrame } from './sound-frame.ts';

/** Little-endian where a sample has several bytes. */
export type SampleLayout = 'mulaw' | 'alaw' | 'u8' | 's16' | 's24' | 's32' | 'f32' | 'f64';

export type PlainSound = {
  readonly layout: SampleLayout;
  /** Hz. */
  readonly sampleRate: number;
  /** 2: their mean is read. */
  readonly channels: 1 | 2;
};

export const LAYOUT_BYTES: Readonly<Record<SampleLayout, number>> = {
  mulaw: 1,
  alaw: 1,
  u8: 1,
  s16: 2,
  s24: 3,
  s32: 4,
  f32: 4,
  f64: 8,
};

/** Layouts that go on as they are. */
const AS_IS: Readonly<Partial<Record<SampleLayout, SampleCode>>> = {
  mulaw: 'mulaw',
  alaw: 'alaw',
  s16: 'pcm16',
};

/** As long as an MP3 frame at 24 kHz; what needs little room is taken in twice that, for half of the work that a frame costs. */
const FRAME_MS = 24;
const MAX_LONG_FRAME_BYTES = 800;

const VALUES: Readonly<Record<SampleLayout, (view: DataView, at: number) => number>> = {
  mulaw: (view, at) => MULAW_VALUES[view.getUint8(at)]! / 32_768,
  alaw: (view, at) => ALAW_VALUES[view.getUint8(at)]! / 32_768,
  u8: (view, at) => (view.getUint8(at) - 128) / 128,
  s16: (view, at) => view.getInt16(at, true) / 32_768,
  s24: (view, at) => ((view.getUint8(at) << 8) | (view.getInt16(at + 1, true) << 16)) / 2 ** 31,
  s32: (view, at) => view.getInt32(at, true) / 2 ** 31,
  f32: (view, at) => finite(view.getFloat32(at, true)),
  f64: (view, at) => finite(view.getFloat64(at, true)),
};

/** NaN and infinity are silence, as in every encoder of ours. */
const finite = (value: number): number => (Number.isFinite(value) ? value : 0);

/** One for each body. */
export class PlainReader implements BodyParser {
  private readonly sink: SoundSink;
  private readonly sound: PlainSound;
  private readonly code: SampleCode;
  /** Bytes of one sample of all channels, and of a frame of them. */
  private readonly blockBytes: number;
  private readonly frameBytes: number;
  private readonly whole: SampleHeader;
  private readonly held: Uint8Array;
  private heldBytesNow = 0;

  constructor(sound: PlainSound, sink: SoundSink) {
    this.sink = sink;
    this.sound = sound;
    this.code = (sound.channels === 1 ? AS_IS[sound.layout] : undefined) ?? 'float32';
    this.blockBytes = LAYOUT_BYTES[sound.layout] * sound.channels;
    const shortest = Math.max(1, Math.floor((sound.sampleRate * FRAME_MS) / 1000));
    const samples = 2 * shortest * this.blockBytes <= MAX_LONG_FRAME_BYTES ? 2 * shortest : shortest;
    this.frameBytes = samples * this.blockBytes;
    this.whole = {
      code: this.code,
      sampleRate: sound.sampleRate,
      samplesPerFrame: samples,
      samples,
      skip: 0,
    };
    this.held = new Uint8Array(this.frameBytes);
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    if (this.heldBytesNow > 0) {
      at = Math.min(chunk.length, this.frameBytes - this.heldBytesNow);
      this.held.set(chunk.subarray(0, at), this.heldBytesNow);
      this.heldBytesNow += at;
      if (this.heldBytesNow < this.frameBytes) return;
      this.heldBytesNow = 0;
      this.sink.onFrame(this.frameOf(this.held, this.whole));
    }
    for (; at + this.frameBytes <= chunk.length; at += this.frameBytes)
      this.sink.onFrame(this.frameOf(chunk.subarray(at, at + this.frameBytes), this.whole));
    this.held.set(chunk.subarray(at));
    this.heldBytesNow = chunk.length - at;
  }
  /** Whole frames are out already; what is held may be the beginning of one. */
  settle(): void {}
  flush(): void {
    const frame = this.heldFrame();
    // What is no whole sample stays: the body may go on after all, and then in the middle of that sample.
    const left = this.cutFrameBytes();
    this.held.copyWithin(0, this.heldBytesNow - left, this.heldBytesNow);
    this.heldBytesNow = left;
    if (frame !== undefined) this.sink.onFrame(frame);
  }
  heldFrame(): SoundFrame | undefined {
    const samples = Math.floor(this.heldBytesNow / this.blockBytes);
    if (samples === 0) return undefined;
    return this.frameOf(this.held.slice(0, samples * this.blockBytes), { ...this.whole, samples });
  }
  junkBytes(): number {
    return 0;
  }
  heldBytes(): number {
    return 0;
  }
  /** Bytes of a sample that is not whole. */
  cutFrameBytes(): number {
    return this.heldBytesNow % this.blockBytes;
  }
  missingSamples(): number {
    return 0;
  }

  private frameOf(bytes: Uint8Array, header: SampleHeader): SoundFrame {
    return { bytes: this.code === 'float32' ? this.toFloats(bytes) : bytes, header };
  }
  private toFloats(bytes: Uint8Array): Uint8Array {
    const { layout, channels } = this.sound;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const sampleBytes = LAYOUT_BYTES[layout];
    const value = VALUES[layout];
    const floats = new Float32Array(bytes.length / this.blockBytes);
    for (let i = 0, at = 0; i < floats.length; i += 1, at += this.blockBytes)
      floats[i] = channels === 1 ? value(view, at) : (value(view, at) + value(view, at + sampleBytes)) / 2;
    return new Uint8Array(floats.buffer);
  }
}

/** Why a service's sound is not read, by its name. */
export const unreadable = (what: string): AppError =>
  new AppError('upstream_bad_audio', `The speech service answered with ${what}, which is not read here.`);
