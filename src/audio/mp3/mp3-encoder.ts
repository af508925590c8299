// The only file that knows the package `wasm-media-encoders` (LAME 3.100 in WASM). The package makes encoders behind
// a promise; this file takes its compiled module once and makes instances of its own, synchronously: one per
// encoder, so that the same samples give the same bytes whatever ran before, and the collector frees a dropped one.
// The package is pinned to one exact version, and any other is refused at start.

import { createMp3Encoder, jsLibraryVersion } from 'wasm-media-encoders';
import { MP3_SAMPLE_RATES } from '../../speech/audio-format.ts';

/**
 * CBR mono without a Xing/Info frame; the split of the samples does not change the bytes. A decoder that knows
 * nothing of LAME hands out 1105 samples of delay first: 576 of the encoder, 529 of every decoder.
 */
export type Mp3Encoder = {
  /** Samples in −1…1, others clipped, NaN silent. Fresh bytes of what is finished, often none, at any boundary. */
  encode(samples: Float32Array): Uint8Array;
  /** The rest, padded to whole frames. Once. */
  finish(): Uint8Array;
};

export type Mp3Rule = { readonly sampleRate: number; readonly bitrateKbps: number };

export type Mp3Encoders = {
  /**
   * About 3 ms of work and 16 MiB of address space, of which some 600 KB get used. `sampleRate` is one of MPEG's
   * nine, else RangeError; of the bit rates that MPEG has for it, LAME takes the nearest.
   */
  open(rule: Mp3Rule): Mp3Encoder;
};

/** Transparent for one voice, and near what speech services send (64 kbit/s at 24 kHz). */
const SPEECH_KBPS: Readonly<Record<number, number>> = {
  8000: 32,
  11025: 32,
  12000: 32,
  16000: 48,
  22050: 64,
  24000: 64,
  32000: 80,
  44100: 96,
  48000: 96,
};
export const speechBitrateKbps = (sampleRate: number): number => SPEECH_KBPS[sampleRate] ?? 64;

/** What LAME makes of every sample at a constant bit rate, so that its own overshoot does not clip (measured). */
export const lameGain = (bitrateKbps: number): number => {
  if (bitrateKbps >= 256) return 1;
  if (bitrateKbps >= 224) return 0.98;
  return bitrateKbps >= 192 ? 0.97 : 0.95;
};

const VERSION = 'wasm-media-encoders-0.7.0';

type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize(): void;
  malloc(bytes: number): number;
  free(pointer: number): void;
  /** From a pointer to the parameters, a pointer to an encoder, or 0. */
  enc_init(parameters: number): number;
  /** A pointer to one pointer per channel, each to room for `samples` floats. */
  enc_get_pcm(encoder: number, samples: number): number;
  /** Bytes written to the output buffer, or a negative error. */
  enc_encode(encoder: number, samples: number): number;
  enc_flush(encoder: number): number;
  enc_get_out_buf(encoder: number): number;
};

const HOST = {
  wasi_snapshot_preview1: {
    proc_exit(code: number) {
      throw new Error(`the mp3 encoder gave up (${code})`);
    },
  },
  env: { emscripten_notify_memory_growth() {} },
};

/** Compiles the codec; call once per process. */
export function loadMp3Encoders(): Promise<Mp3Encoders> {
  return createMp3Encoder().then((probe) => {
    const { module } = (probe as unknown as { module?: { module?: unknown } }).module ?? {};
    if (jsLibraryVersion() !== VERSION || !(module instanceof WebAssembly.Module))
      throw new Error(`the installed wasm-media-encoders is not what Voxgate is made for (${VERSION})`);
    return { open: (rule) => openEncoder(module, rule) };
  });
}

function openEncoder(module: WebAssembly.Module, { sampleRate, bitrateKbps }: Mp3Rule): Mp3Encoder {
  if (!(MP3_SAMPLE_RATES as readonly number[]).includes(sampleRate))
    throw new RangeError(`mp3 has no sample rate ${sampleRate}; it has ${MP3_SAMPLE_RATES.join(', ')}`);

  const wasm = new WebAssembly.Instance(module, HOST).exports as Exports;
  wasm._initialize();
  const encoder = initialise(wasm, sampleRate, bitrateKbps);

  /** Its buffer belongs to the codec and is written again, so what leaves here is a copy. */
  const output = (length: number): Uint8Array => {
    if (length < 0) throw new Error(`the mp3 encoder failed (${length})`);
    return new Uint8Array(wasm.memory.buffer, wasm.enc_get_out_buf(encoder), length).slice();
  };

  return {
    encode(samples) {
      const channels = wasm.enc_get_pcm(encoder, samples.length);
      if (channels === 0) throw new Error('the mp3 encoder has no memory left');
      const [left] = new Uint32Array(wasm.memory.buffer, channels, 1);
      const room = new Float32Array(wasm.memory.buffer, left, samples.length);
      // One sample far out of range would spoil LAME's psychoacoustic state, and with it the frames that follow.
      for (let i = 0; i < samples.length; i++) room[i] = Math.max(-1, Math.min(1, samples[i]! || 0));
      return output(wasm.enc_encode(encoder, samples.length));
    },
    finish: () => output(wasm.enc_flush(encoder)),
  };
}

/** The package's parameter block: channels, input rate, kbit/s, VBR quality (−1 means CBR), output rate. */
function initialise(wasm: Exports, sampleRate: number, bitrateKbps: number): number {
  const block = wasm.malloc(20);
  const view = new DataView(wasm.memory.buffer, block, 20);
  view.setUint32(0, 1, true);
  view.setUint32(4, sampleRate, true);
  view.setInt32(8, bitrateKbps, true);
  view.setFloat32(12, -1, true);
  view.setInt32(16, sampleRate, true);
  const encoder = wasm.enc_init(block);
  wasm.free(block);
  if (encoder === 0) throw new Error(`the mp3 encoder refuses ${bitrateKbps} kbit/s at ${sampleRate} Hz`);
  return encoder;
}
