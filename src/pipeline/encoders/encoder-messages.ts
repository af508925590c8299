// The messages between the main thread and an encoder worker. Samples and frames move as transferred memory; the frames of one
// answer share one block, because moving many small ones costs more than copying them.

import type { HeavyOutput } from '../../audio/heavy-encoders.ts';
import type { AudioFrame } from '../../audio/stage.ts';

/** A job is one turn's encoder; numbers are never used twice. */
export type EncoderOrder =
  | { readonly kind: 'open'; readonly job: number; readonly output: HeavyOutput }
  | { readonly kind: 'push'; readonly job: number; readonly samples: Float32Array<ArrayBuffer> }
  | { readonly kind: 'release'; readonly job: number }
  /** The last order of a job, as is `close`. */
  | { readonly kind: 'flush'; readonly job: number }
  | { readonly kind: 'close'; readonly job: number };

/** One for each push, release and flush, in their order. `takenSamples` is what a push held, else 0. */
export type EncoderAnswer = {
  readonly kind: 'push' | 'release' | 'flush';
  readonly job: number;
  readonly takenSamples: number;
  readonly frames: PackedFrames;
};

export type PackedFrames = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly byteLengths: readonly number[];
  readonly samples: readonly number[];
};

export function packFrames(frames: readonly AudioFrame[]): PackedFrames {
  const byteLengths = frames.map((frame) => frame.bytes.length);
  const bytes = new Uint8Array(byteLengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const frame of frames) {
    bytes.set(frame.bytes, at);
    at += frame.bytes.length;
  }
  return { bytes, byteLengths, samples: frames.map((frame) => frame.samples) };
}

export function unpackFrames({ bytes, byteLengths, samples }: PackedFrames): AudioFrame[] {
  let at = 0;
  return byteLengths.map((length, i) => {
    const frame = { bytes: bytes.subarray(at, at + length), samples: samples[i]! };
    at += length;
    return frame;
  });
}
