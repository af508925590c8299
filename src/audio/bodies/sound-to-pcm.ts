// Frames of one turn, whatever their bodies were → blocks of PCM. MP3 goes the way that it always went (mp3/mp3-to-pcm.ts); plain
// samples need no decoder and have neither delay nor tail; Opus has a decoder for each stream.

import { type OpusDecoder, openOpusDecoder } from '../containers/opus-decoder.ts';
import type { StreamPlace } from '../dsp/crossfade.ts';
import { ALAW_VALUES, MULAW_VALUES } from '../dsp/g711.ts';
import type { Mp3Decoders } from '../mp3/mp3-decoder.ts';
import type { Mp3StreamTag } from '../mp3/mp3-stream-tag.ts';
import { Mp3ToPcm } from '../mp3/mp3-to-pcm.ts';
import type { PcmBlock } from '../stage.ts';
import { isMp3Frame, type SampleHeader, type SoundFrame } from './sound-frame.ts';

/** Decodes frames that are no MP3, one stream after another. */
export class SampleDecoder {
  private opus: OpusDecoder | undefined;
  private opusRate = 0;
  private scratch = new Float32Array(0);

  /** All samples of the frame, those that are to be skipped among them; valid until the next call. */
  decode(bytes: Uint8Array, header: SampleHeader): Float32Array {
    const { code } = header;
    if (code === 'opus') return this.decodeOpus(bytes, header);
    if (code === 'float32') return new Float32Array(new Uint8Array(bytes).buffer);
    const samples = this.room(code === 'pcm16' ? bytes.length >> 1 : bytes.length);
    if (code === 'pcm16')
      for (let i = 0, at = 0; i < samples.length; i += 1, at += 2)
        samples[i] = (((bytes[at]! | (bytes[at + 1]! << 8)) << 16) >> 16) / 32_768;
    else {
      const values = code === 'mulaw' ? MULAW_VALUES : ALAW_VALUES;
      for (let i = 0; i < samples.length; i += 1) samples[i] = values[bytes[i]!]! / 32_768;
    }
    return samples;
  }
  /** Another stream follows. */
  close(): void {
    this.opus?.close();
    this.opus = undefined;
  }

  private room(length: number): Float32Array {
    if (this.scratch.length < length) this.scratch = new Float32Array(length);
    return this.scratch.length === length ? this.scratch : this.scratch.subarray(0, length);
  }
  /** What cannot be decoded is silence of equal length. */
  private decodeOpus(packet: Uint8Array, { sampleRate, samplesPerFrame }: SampleHeader): Float32Array {
    if (this.opusRate !== sampleRate) this.close();
    this.opus ??= openOpusDecoder(sampleRate);
    this.opusRate = sampleRate;
    const samples = this.opus.decode(packet);
    return samples?.length === samplesPerFrame ? samples : new Float32Array(samplesPerFrame);
  }
}

/** One for each turn, called for each frame. */
export class SoundToPcm {
  private readonly decoders: Mp3Decoders;
  private readonly emit: (block: PcmBlock) => void;
  private readonly heardHz: number | undefined;
  private stream: 'none' | 'begun' | 'mp3' | 'samples' = 'none';
  private mp3: Mp3ToPcm | undefined;
  private samples: SampleDecoder | undefined;

  /** `heardHz`: what lies above it need not be in the sound. */
  constructor(decoders: Mp3Decoders, emit: (block: PcmBlock) => void, heardHz?: number) {
    this.decoders = decoders;
    this.emit = emit;
    this.heardHz = heardHz;
  }

  /** A new body: nothing of the one before is left in the decoder, which is opened with the first frame. */
  beginStream(): void {
    this.endStream();
    this.stream = 'begun';
  }
  /** Joins another stream in its middle; nothing is emitted for what lies before. */
  joinStream(place: StreamPlace): void {
    this.endStream();
    const { warmUp } = place;
    const frames = warmUp.filter(isMp3Frame);
    if (frames.length > 0 || warmUp.length === 0) {
      this.mp3Now().joinStream({ ...place, warmUp: frames });
      this.stream = 'mp3';
    } else {
      this.stream = 'samples';
      for (const { bytes, header } of warmUp)
        if (header.code === 'opus') this.samplesNow().decode(bytes, header);
    }
  }
  /** What the MP3's tag frame says. */
  tag(tag: Mp3StreamTag): void {
    this.beginMp3();
    this.mp3Now().tag(tag);
  }
  /** Emits at the frame's own rate. Throws when no decoder can be had. */
  push(frame: SoundFrame): void {
    if (isMp3Frame(frame)) {
      this.beginMp3();
      this.mp3Now().push(frame);
    } else this.pushSamples(frame.bytes, frame.header as SampleHeader);
  }
  endStream(): void {
    this.mp3?.endStream();
    this.samples?.close();
    this.stream = 'none';
  }
  /** Frees the decoder; the turn is over, with or without `endStream`. */
  close(): void {
    this.endStream();
  }

  private pushSamples(bytes: Uint8Array, header: SampleHeader): void {
    this.stream = 'samples';
    const all = this.samplesNow().decode(bytes, header);
    const { skip, sampleRate } = header;
    const samples = all.length === header.samples ? all : all.subarray(skip, skip + header.samples);
    if (samples.length > 0) this.emit({ samples, sampleRate, band: 'whole' });
  }
  private beginMp3(): void {
    if (this.stream === 'begun') this.mp3Now().beginStream();
    this.stream = 'mp3';
  }
  private mp3Now(): Mp3ToPcm {
    this.mp3 ??= new Mp3ToPcm(this.decoders, this.emit, this.heardHz);
    return this.mp3;
  }
  private samplesNow(): SampleDecoder {
    this.samples ??= new SampleDecoder();
    return this.samples;
  }
}
