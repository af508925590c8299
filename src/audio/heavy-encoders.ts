// The port of encoders that are too CPU-heavy for the playback thread: what a turn needs of them, wherever they run.
// Their frames come later than their samples; only this and `flush` distinguish them from a stage.

import type { SessionFormat } from '../speech/audio-format.ts';
import type { AudioFrame } from './stage.ts';

export const HEAVY_FORMATS = ['mp3', 'ogg', 'flac'] as const;
export type HeavyFormat = (typeof HEAVY_FORMATS)[number];

export const isHeavyFormat = (format: SessionFormat): format is HeavyFormat =>
  (HEAVY_FORMATS as readonly SessionFormat[]).includes(format);

/** CPU cost of a second of a stream relative to Opus, which is 10; measured on one machine: 6 ms, 3.6 to 5.6 and 0.4. */
export const ENCODER_WEIGHTS: Readonly<Record<HeavyFormat, number>> = { ogg: 10, mp3: 8, flac: 1 };

/** `sampleRate` in Hz is one that the format has. */
export type HeavyOutput = { readonly format: HeavyFormat; readonly sampleRate: number };

export type HeavyEncoder = {
  /** Takes samples at the output's rate; they are copied. Throws what went wrong once something has. */
  push(samples: Float32Array): void;
  /**
   * Hands over all that was pushed, filled up with at most 40 ms of silence (mp3 cannot, and keeps up to 210 ms).
   * Resolves when that is done, or at `close`; rejects when it never will be.
   */
  release(): Promise<void>;
  /** No more input. Resolves when the last frame has been handed over, and else as `release`. Once. */
  flush(): Promise<void>;
  /** Gives up at once: no frame and no call after it. Harmless when everything is over. */
  close(): void;
  /** Samples pushed and not encoded yet. What the codec itself holds back (up to 210 ms of mp3) is not among them. */
  pendingSamples(): number;
};

export type HeavyEncoderEvents = {
  onFrame(frame: AudioFrame): void;
  /** `pendingSamples` has fallen, after the frames that came of it; or the encoder has failed and `push` will throw. */
  onProgress(): void;
};

export type HeavyEncoders = {
  /** One more encoder for `format` would be too much for the threads. */
  isFull(format: HeavyFormat): boolean;
  /** `busy` when it would. RangeError for a rate that the format does not have. */
  open(output: HeavyOutput, events: HeavyEncoderEvents): HeavyEncoder | 'busy';
};
