// The sound path in WASM (wasm/sound-path.ts): a decoded frame is copied in once and comes out as bytes. A stream's
// memory is freed by `flush` or `close`; a stream that gets none is served in plain TypeScript.

import { MAX_SAMPLE_RATE } from '../../speech/audio-format.ts';
import type { ClosableStage } from '../stage.ts';
import { decimationOf } from './decimation.ts';
import type { FilterBanks } from './filter-bank.ts';
import { BYTES_PER_SAMPLE, type PcmFormat } from './pcm-format.ts';
import { createPlainSoundPath } from './plain-sound-path.ts';
import {
  createSoundMemory,
  type SoundKernel,
  type SoundMemory,
  type SoundMemoryLimits,
} from './sound-memory.ts';
import type { Rates, SoundPath } from './sound-path.ts';

/** Samples that one call of the kernel takes. */
const MAX_SAMPLES = 1152;

/** The kernel's memory for what is at work, as views of this side. */
class SoundWork {
  readonly memory: SoundMemory;
  readonly kernel: SoundKernel;
  /** Taken anew when the memory has grown, which detaches every view of it. */
  raw!: Float32Array;
  mono!: Float32Array;
  shortMono!: Float32Array;
  /**
   * By their length: nearly all frames of all turns have one of a few, and a new view costs more than what is written to it.
   */
  private coded!: Map<number, Uint8Array>;

  constructor(limits: SoundMemoryLimits | undefined) {
    this.memory = createSoundMemory(() => this.takeViews(), limits);
    this.kernel = this.memory.kernel;
    this.takeViews();
  }

  /** Into `mono`, where a frame that was mixed here lies already. */
  bringIn(samples: Float32Array): void {
    if (samples !== this.mono && samples !== this.shortMono) this.mono.set(samples);
  }
  codedBytes(count: number): Uint8Array {
    let bytes = this.coded.get(count);
    if (bytes === undefined) {
      bytes = new Uint8Array(this.memory.buffer(), this.memory.at.coded, count);
      this.coded.set(count, bytes);
    }
    return bytes;
  }

  private takeViews(): void {
    const { memory } = this;
    const [buffer, { raw, mono }] = [memory.buffer(), memory.at];
    this.raw = new Float32Array(buffer, raw, 2 * MAX_SAMPLES);
    this.mono = new Float32Array(buffer, mono, MAX_SAMPLES);
    this.shortMono = new Float32Array(buffer, mono, MAX_SAMPLES / 2);
    this.coded = new Map();
  }
}

/** Takes what the kernel has made: `count` samples at `from`. */
type Maker = { deliver(from: number, count: number): void };

class BytesMaker implements Maker {
  private readonly work: SoundWork;
  private readonly code: PcmFormat;
  private readonly bytesPerSample: number;
  private readonly emit: (bytes: Uint8Array) => void;

  constructor(work: SoundWork, code: PcmFormat, emit: (bytes: Uint8Array) => void) {
    this.work = work;
    this.code = code;
    this.bytesPerSample = BYTES_PER_SAMPLE[code];
    this.emit = emit;
  }

  deliver(from: number, count: number): void {
    const { kernel } = this.work;
    if (this.code === 'mulaw') kernel.codeMulaw(from, count);
    else if (this.code === 'alaw') kernel.codeAlaw(from, count);
    else kernel.codePcm16(from, count);
    this.emit(this.work.codedBytes(count * this.bytesPerSample));
  }
}

class SamplesMaker implements Maker {
  private readonly work: SoundWork;
  private readonly emit: (samples: Float32Array) => void;

  constructor(work: SoundWork, emit: (samples: Float32Array) => void) {
    this.work = work;
    this.emit = emit;
  }

  deliver(from: number, count: number): void {
    this.emit(new Float32Array(this.work.memory.buffer(), from, count));
  }
}

const pieceOf = (samples: Float32Array, from: number): Float32Array =>
  samples.length <= MAX_SAMPLES ? samples : samples.subarray(from, from + MAX_SAMPLES);

/** Classes, not closures: one for each turn, called for each MP3 frame. */
class SameRate implements ClosableStage<Float32Array> {
  private readonly work: SoundWork;
  private readonly maker: Maker;
  private isOver = false;

  constructor(work: SoundWork, maker: Maker) {
    this.work = work;
    this.maker = maker;
  }

  push(samples: Float32Array): void {
    if (this.isOver) return;
    for (let from = 0; from < samples.length; from += MAX_SAMPLES) {
      const piece = pieceOf(samples, from);
      this.work.bringIn(piece);
      this.maker.deliver(this.work.memory.at.mono, piece.length);
    }
  }
  flush(): void {
    this.isOver = true;
  }
  close(): void {
    this.isOver = true;
  }
}

class OtherRate implements ClosableStage<Float32Array> {
  private readonly work: SoundWork;
  private readonly stream: number;
  private readonly rates: Rates;
  private readonly maker: Maker;
  private isOver = false;
  private samplesIn = 0;
  private samplesOut = 0;

  constructor(work: SoundWork, stream: number, rates: Rates, maker: Maker) {
    this.work = work;
    this.stream = stream;
    this.rates = rates;
    this.maker = maker;
  }

  push(samples: Float32Array): void {
    if (this.isOver) return;
    this.samplesIn += samples.length;
    for (let from = 0; from < samples.length; from += MAX_SAMPLES) {
      const piece = pieceOf(samples, from);
      this.work.bringIn(piece);
      this.pass(this.work.kernel.resample(this.stream, piece.length));
    }
  }
  flush(): void {
    if (this.isOver) return;
    const { fromRate, toRate } = this.rates;
    const total = Math.floor((2 * this.samplesIn * toRate + fromRate) / (2 * fromRate));
    this.close();
    this.pass(this.work.kernel.flush(this.stream, total - this.samplesOut));
  }
  close(): void {
    if (!this.isOver) this.work.memory.close(this.stream);
    this.isOver = true;
  }

  private pass(made: number): void {
    this.samplesOut += made;
    if (made > 0) this.maker.deliver(this.work.memory.at.made, made);
  }
}

export type WasmSoundPath = SoundPath & {
  /** Streams that have memory. */
  openStreams(): number;
};

/** Throws where WebAssembly has no vectors; layer3-decoders.ts has the message for the operator. */
export function createSoundPath(banks: FilterBanks, limits?: SoundMemoryLimits): WasmSoundPath {
  const plain = createPlainSoundPath(banks);
  const work = new SoundWork(limits);
  const { memory } = work;

  const otherRate = (rates: Rates, maker: Maker): ClosableStage<Float32Array> | undefined => {
    // Its memory has no room for higher rates; the few calls that use them are served in plain TypeScript.
    if (Math.max(rates.fromRate, rates.toRate) > MAX_SAMPLE_RATE) return undefined;
    const decimation = decimationOf(rates);
    const stream = memory.open(banks.of(rates.fromRate / decimation, rates.toRate), decimation);
    return stream === undefined ? undefined : new OtherRate(work, stream, rates, maker);
  };

  return {
    mixDown(decoded, channels, length) {
      // What is mixed here goes to a stage that may be opened for it: the memory must not grow in between.
      memory.makeRoom();
      const used = length * channels;
      work.raw.set(decoded.length === used ? decoded : decoded.subarray(0, used));
      return work.kernel.mixDown(channels, length);
    },
    mono(length) {
      memory.makeRoom(); // as for `mixDown`
      return length === MAX_SAMPLES ? work.mono : work.shortMono;
    },
    resample(rates, emit) {
      if (rates.fromRate === rates.toRate) return plain.resample(rates, emit);
      return otherRate(rates, new SamplesMaker(work, emit)) ?? plain.resample(rates, emit);
    },
    encode(rates, format, emit) {
      const maker = new BytesMaker(work, format, emit);
      if (rates.fromRate === rates.toRate) return new SameRate(work, maker);
      return otherRate(rates, maker) ?? plain.encode(rates, format, emit);
    },
    openStreams: () => memory.openStreams(),
  };
}
