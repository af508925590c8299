// Our own MP3 decoder (wasm/layer3): one WASM instance with a record for each stream, 5 kB from a free list, and
// shared memory for the frame being decoded. Memory grows by single pages, up to a bound.

import { LAYER3_WASM } from './layer3-wasm.ts';
import type { Mp3Decoder, Mp3Decoders } from './mp3-decoder.ts';
import { MAX_FRAME_BYTES, Mp3HeaderReader } from './mp3-header.ts';

/** What wasm/layer3/decoder.ts exports; addresses and lengths are bytes. */
export type Layer3Kernel = {
  readonly memory: WebAssembly.Memory;
  /** A frame is written here before `decode`. */
  readonly frameAt: WebAssembly.Global;
  /** Samples of the last `decode`. */
  readonly soundAt: WebAssembly.Global;
  readonly heapAt: WebAssembly.Global;
  readonly streamBytes: WebAssembly.Global;
  /** `subbands` of 32 are heard, the last one not truly. Returns the samples of the frame, 0 when it has no header. */
  decode(stream: number, bytes: number, subbands: number): number;
  gap(stream: number): void;
};

const LONG_FRAME = 1152;
const SUBBANDS = 32;
/** 50 MB when all are in use. */
const MAX_STREAMS = 10_000;

/** The subbands that hold all that lies below `heardHz`, and one more into which the filters of the last one leak. */
const subbandsBelow = (heardHz: number, sampleRate: number): number =>
  Math.min(SUBBANDS, Math.floor((2 * SUBBANDS * heardHz) / sampleRate) + 2);

/** Subbands are transformed in groups of four, and the filters of the last one reach into the next. */
const madeSubbands = (heardHz: number, sampleRate: number): number =>
  4 * Math.ceil(subbandsBelow(heardHz, sampleRate) / 4) + 1;

const NO_VECTORS =
  'This processor has no vector instructions for WebAssembly, without which no sound can be made; x86-64 needs SSE4.1, which all have had since 2011.';

/** Throws with the reason when this machine's WebAssembly has no vectors. */
function instantiate(): Layer3Kernel {
  // Node 20 can compile everything else in it.
  if (!WebAssembly.validate(LAYER3_WASM)) throw new Error(NO_VECTORS);
  return new WebAssembly.Instance(new WebAssembly.Module(LAYER3_WASM)).exports as unknown as Layer3Kernel;
}

/** The records of one instance, and its views of the frame at work. */
class Layer3Memory {
  readonly kernel: Layer3Kernel;
  private readonly mostStreams: number;
  private readonly streamBytes: number;
  private top: number;
  private records = 0;
  private readonly free: number[] = [];
  /** Taken anew when the memory has grown, which detaches every view of it. */
  frame!: Uint8Array;
  long!: Float32Array;
  short!: Float32Array;
  live = 0;

  constructor(kernel: Layer3Kernel, mostStreams: number) {
    this.kernel = kernel;
    this.mostStreams = mostStreams;
    this.streamBytes = kernel.streamBytes.value;
    this.top = kernel.heapAt.value;
    this.takeViews();
  }

  /** Makes sure that the next `take` does not grow the memory. */
  makeRoom(): void {
    if (this.free.length > 0 || this.records >= this.mostStreams) return;
    const { memory } = this.kernel;
    if (this.top + this.streamBytes > memory.buffer.byteLength) {
      try {
        memory.grow(1);
      } catch {
        return;
      }
      this.takeViews();
    }
    while (this.top + this.streamBytes <= memory.buffer.byteLength && this.records < this.mostStreams) {
      this.free.push(this.top);
      this.top += this.streamBytes;
      this.records += 1;
    }
  }
  /** A record of a stream at its beginning. */
  take(): number {
    this.makeRoom();
    const taken = this.free.pop();
    if (taken === undefined) throw new Error(`no memory for more than ${this.records} MP3 decoders`);
    new Uint8Array(this.kernel.memory.buffer, taken, this.streamBytes).fill(0);
    this.live += 1;
    return taken;
  }
  giveBack(stream: number): void {
    this.free.push(stream);
    this.live -= 1;
  }

  private takeViews(): void {
    const { memory, frameAt, soundAt } = this.kernel;
    this.frame = new Uint8Array(memory.buffer, frameAt.value, MAX_FRAME_BYTES);
    this.long = new Float32Array(memory.buffer, soundAt.value, LONG_FRAME);
    this.short = new Float32Array(memory.buffer, soundAt.value, LONG_FRAME / 2);
  }
}

/** One for each turn, called for each MP3 frame. */
class Layer3Decoder implements Mp3Decoder {
  private readonly memory: Layer3Memory;
  private readonly heardHz: number;
  private stream: number | undefined;
  private readonly headers = new Mp3HeaderReader();

  constructor(memory: Layer3Memory, heardHz: number) {
    this.memory = memory;
    this.heardHz = heardHz;
    this.stream = memory.take();
  }

  decode(frame: Uint8Array, emit: (samples: Float32Array, sampleRate: number) => void): void {
    const header = this.headers.ofFrame(frame);
    if (this.stream === undefined || header === undefined) return;
    const { memory } = this;
    // The receiver of the samples may open a decoder: the memory must not grow meanwhile.
    memory.makeRoom();
    memory.frame.set(frame);
    const samples = header.samplesPerFrame === LONG_FRAME ? memory.long : memory.short;
    const subbands = subbandsBelow(this.heardHz, header.sampleRate);
    if (decodeOrNothing(memory.kernel, this.stream, frame.length, subbands) !== samples.length)
      samples.fill(0);
    emit(samples, header.sampleRate);
  }
  gap(): void {
    if (this.stream !== undefined) this.memory.kernel.gap(this.stream);
  }
  close(): void {
    if (this.stream !== undefined) this.memory.giveBack(this.stream);
    this.stream = undefined;
  }
}

/** No frame that was tried makes it trap; if one does, only the sound of that frame is lost. */
const decodeOrNothing = (kernel: Layer3Kernel, stream: number, bytes: number, subbands: number): number => {
  try {
    return kernel.decode(stream, bytes, subbands);
  } catch {
    return 0;
  }
};

export function createLayer3Decoders(
  kernel: Layer3Kernel = instantiate(),
  mostStreams: number = MAX_STREAMS,
): Mp3Decoders {
  const memory = new Layer3Memory(kernel, mostStreams);
  return {
    open: (heardHz = Number.POSITIVE_INFINITY) => new Layer3Decoder(memory, heardHz),
    belowHz: (heardHz, sampleRate) =>
      Math.min(sampleRate / 2, (madeSubbands(heardHz, sampleRate) * sampleRate) / (2 * SUBBANDS)),
    live: () => memory.live,
  };
}
