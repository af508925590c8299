// The sound path in WASM (wasm/sound-path.ts): a decoded frame is copied in once and comes out as bytes. A stream's
// place is freed by `flush` or `close`; one that finds none is served in plain TypeScript.

import type { FilterBanks } from './filter-bank.ts';
import { createPlainSoundPath } from './plain-sound-path.ts';
import { BYTES_PER_SAMPLE, type SampleCode } from './sample-code.ts';
import { createSoundMemory, type SoundMemory, type SoundMemoryLimits } from './sound-memory.ts';
import type { Rates, SoundPath } from './sound-path.ts';
import type { ClosableStage } from './stage.ts';
import { strideOf } from './thinning.ts';

/** Samples that one call of the kernel takes. */
const MOST_SAMPLES = 1152;
const MOST_CODED = 2 * (MOST_SAMPLES * 6 + 64);

type Deliver = (at: number, count: number) => void;

export type WasmSoundPath = SoundPath & {
  /** Places in use. */
  openStreams(): number;
};

/** Throws when this machine's WASM has no SIMD. */
export function createWasmSoundPath(banks: FilterBanks, limits?: SoundMemoryLimits): WasmSoundPath {
  const plain = createPlainSoundPath(banks);
  const takeViews = (memory: SoundMemory) => {
    const [buffer, { raw, mono, coded }] = [memory.buffer(), memory.at];
    return {
      raw: new Float32Array(buffer, raw, 2 * MOST_SAMPLES),
      mono: new Float32Array(buffer, mono, MOST_SAMPLES),
      shortMono: new Float32Array(buffer, mono, MOST_SAMPLES / 2),
      coded: new Uint8Array(buffer, coded, MOST_CODED),
    };
  };
  const memory = createSoundMemory(() => {
    views = takeViews(memory);
  }, limits);
  let views = takeViews(memory);
  const { kernel, at } = memory;

  /** Into `mono`, where a frame that was mixed here lies already. */
  const bringIn = (samples: Float32Array): void => {
    if (samples !== views.mono && samples !== views.shortMono) views.mono.set(samples);
  };

  const inPieces = (samples: Float32Array, work: (count: number) => void): void => {
    for (let from = 0; from < samples.length; from += MOST_SAMPLES) {
      const piece = samples.length <= MOST_SAMPLES ? samples : samples.subarray(from, from + MOST_SAMPLES);
      bringIn(piece);
      work(piece.length);
    }
  };

  const sameRate = (deliver: Deliver): ClosableStage<Float32Array> => {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    return {
      push(samples) {
        if (!isOver) inPieces(samples, (count) => deliver(at.mono, count));
      },
      flush: end,
      close: end,
    };
  };

  const otherRate = (rates: Rates, deliver: Deliver): ClosableStage<Float32Array> | undefined => {
    const { fromRate, toRate } = rates;
    const stride = strideOf(rates);
    const opened = memory.open(banks.of(fromRate / stride, toRate), stride);
    if (opened === undefined) return undefined;
    let stream: number | undefined = opened;
    let samplesIn = 0;
    let samplesOut = 0;
    const pass = (made: number): void => {
      samplesOut += made;
      if (made > 0) deliver(at.made, made);
    };
    const pushPiece = (count: number) => pass(kernel.resample(opened, count));
    const close = () => {
      if (stream !== undefined) memory.close(stream);
      stream = undefined;
    };
    return {
      push(samples) {
        if (stream === undefined) return;
        samplesIn += samples.length;
        inPieces(samples, pushPiece);
      },
      flush() {
        if (stream === undefined) return;
        const total = Math.floor((2 * samplesIn * toRate + fromRate) / (2 * fromRate));
        close();
        pass(kernel.flush(opened, total - samplesOut));
      },
      close,
    };
  };

  const toBytes = (code: SampleCode, emit: (bytes: Uint8Array) => void): Deliver => {
    const write = { mulaw: kernel.codeMulaw, alaw: kernel.codeAlaw, pcm16: kernel.codePcm16 }[code];
    const bytesPerSample = BYTES_PER_SAMPLE[code];
    return (from, count) => {
      write(from, count);
      emit(views.coded.subarray(0, count * bytesPerSample));
    };
  };

  return {
    mixDown(decoded, channels, length) {
      // What is mixed here goes to a stage that may be opened for it: the memory must not grow in between.
      memory.makeRoom();
      const used = length * channels;
      views.raw.set(decoded.length === used ? decoded : decoded.subarray(0, used));
      return kernel.mixDown(channels, length);
    },
    mono(length) {
      memory.makeRoom(); // as for `mixDown`
      return length === MOST_SAMPLES ? views.mono : views.shortMono;
    },
    resample(rates, emit) {
      if (rates.fromRate === rates.toRate) return plain.resample(rates, emit);
      const deliver: Deliver = (from, count) => emit(new Float32Array(memory.buffer(), from, count));
      return otherRate(rates, deliver) ?? plain.resample(rates, emit);
    },
    encode(rates, code, emit) {
      const deliver = toBytes(code, emit);
      if (rates.fromRate === rates.toRate) return sameRate(deliver);
      return otherRate(rates, deliver) ?? plain.encode(rates, code, emit);
    },
    openStreams: () => memory.openStreams(),
  };
}

/** The fastest that this machine can run; `onPlain` is told why it is not the one of `open`. */
export function createSoundPath(
  banks: FilterBanks,
  onPlain: (cause: unknown) => void = () => {},
  open: (banks: FilterBanks) => SoundPath = createWasmSoundPath,
): SoundPath {
  try {
    return open(banks);
  } catch (cause) {
    onPlain(cause);
    return createPlainSoundPath(banks);
  }
}
