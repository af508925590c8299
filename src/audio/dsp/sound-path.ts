// The DSP chain of a turn between the decoder and its frames: samples are mixed to one channel, brought to another rate and
// written as bytes. A port with two implementations: WASM for speed, plain TypeScript for comparison and where WASM cannot be
// used.

import type { ClosableStage } from '../stage.ts';
import type { Mixer } from './mix-down.ts';
import type { PcmFormat } from './pcm-format.ts';

/** Whole Hz in 8000…192000; beyond 48000 in plain TypeScript. */
export type Rates = {
  readonly fromRate: number;
  readonly toRate: number;
  /** The samples hold nothing above this, Hz, so they may be decimated; absent: their whole band is full. */
  readonly belowHz?: number | undefined;
};

/**
 * The stages give the same bits for any split of the input. Output sample 0 lies on input sample 0, and the whole
 * length is round-half-up(samplesIn · toRate / fromRate). What `emit` gets is scratch memory, valid during the call.
 * A stage ends with `flush` or `close`; what comes after either is ignored.
 */
export type SoundPath = Mixer & {
  resample(rates: Rates, emit: (samples: Float32Array) => void): ClosableStage<Float32Array>;
  /** As `resample`, in bytes. */
  encode(rates: Rates, format: PcmFormat, emit: (bytes: Uint8Array) => void): ClosableStage<Float32Array>;
};
