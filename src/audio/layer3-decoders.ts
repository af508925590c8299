// The MP3 decoder of our own (wasm/layer3): one WASM instance with a record for each stream, 5 kB from a free list, and
// shared memory for the frame at work. Memory grows by single pages, up to a bound.

import { LAYER3_WASM } from './layer3-wasm.ts';
import type { Mp3Decoder, Mp3Decoders } from './mp3-decoder.ts';
import { createMp3HeaderReader, HEADER_BYTES, MAX_FRAME_BYTES, wordAt } from './mp3-header.ts';

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
const MOST_STREAMS = 10_000;

/** So many hold all that lies below `heardHz`, and one more what the filters of the last of them leave to it. */
const subbandsBelow = (heardHz: number, sampleRate: number): number =>
  Math.min(SUBBANDS, Math.floor((2 * SUBBANDS * heardHz) / sampleRate) + 2);

/** They are transformed by fours, and the filters of the last one reach into the next. */
const madeSubbands = (heardHz: number, sampleRate: number): number =>
  4 * Math.ceil(subbandsBelow(heardHz, sampleRate) / 4) + 1;

/** Throws when this machine's WASM has no SIMD. */
const instantiate = (): Layer3Kernel =>
  new WebAssembly.Instance(new WebAssembly.Module(LAYER3_WASM)).exports as unknown as Layer3Kernel;

export function createLayer3Decoders(
  kernel: Layer3Kernel = instantiate(),
  mostStreams: number = MOST_STREAMS,
): Mp3Decoders {
  const { memory } = kernel;
  const streamBytes = kernel.streamBytes.value;
  const takeViews = () => ({
    frame: new Uint8Array(memory.buffer, kernel.frameAt.value, MAX_FRAME_BYTES),
    long: new Float32Array(memory.buffer, kernel.soundAt.value, LONG_FRAME),
    short: new Float32Array(memory.buffer, kernel.soundAt.value, LONG_FRAME / 2),
  });
  let views = takeViews();
  let top = kernel.heapAt.value;
  let records = 0;
  let live = 0;
  const free: number[] = [];

  /** Makes sure that the next `open` does not grow the memory, which detaches every view of it. */
  const makeRoom = (): void => {
    if (free.length > 0 || records >= mostStreams) return;
    if (top + streamBytes > memory.buffer.byteLength) {
      try {
        memory.grow(1);
      } catch {
        return;
      }
      views = takeViews();
    }
    while (top + streamBytes <= memory.buffer.byteLength && records < mostStreams) {
      free.push(top);
      top += streamBytes;
      records++;
    }
  };

  /** No frame that was tried makes it trap; if one does, it costs its own sound and not the thread. */
  const decodeOrNothing = (stream: number, bytes: number, subbands: number): number => {
    try {
      return kernel.decode(stream, bytes, subbands);
    } catch {
      return 0;
    }
  };

  const open = (heardHz: number = Number.POSITIVE_INFINITY): Mp3Decoder => {
    makeRoom();
    const taken = free.pop();
    if (taken === undefined) throw new Error(`no memory for more than ${records} MP3 decoders`);
    new Uint8Array(memory.buffer, taken, streamBytes).fill(0);
    const readHeader = createMp3HeaderReader();
    let stream: number | undefined = taken;
    live++;

    return {
      decode(frame, emit) {
        if (stream === undefined || frame.length < HEADER_BYTES) return;
        const header = readHeader(wordAt(frame, 0));
        if (header === undefined || header.frameBytes !== frame.length) return;
        // Who gets the samples may open a decoder for them: the memory must not grow meanwhile.
        makeRoom();
        views.frame.set(frame);
        const samples = header.samplesPerFrame === LONG_FRAME ? views.long : views.short;
        const subbands = subbandsBelow(heardHz, header.sampleRate);
        if (decodeOrNothing(stream, frame.length, subbands) !== samples.length) samples.fill(0);
        emit(samples, header.sampleRate);
      },
      gap() {
        if (stream !== undefined) kernel.gap(stream);
      },
      close() {
        if (stream === undefined) return;
        free.push(stream);
        stream = undefined;
        live--;
      },
    };
  };

  return {
    open,
    belowHz: (heardHz, sampleRate) =>
      Math.min(sampleRate / 2, (madeSubbands(heardHz, sampleRate) * sampleRate) / (2 * SUBBANDS)),
    live: () => live,
  };
}
