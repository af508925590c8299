// Cuts a stream of encoded bytes into frames of equal duration. It knows positions only: frame k covers the samples
// from floor(k · rate · ms / 1000) to floor((k + 1) · rate · ms / 1000), so that a duration which is no whole number
// of samples alternates lengths and never drifts.

import type { AudioFrame, Stage } from './stage.ts';

/** Frames that can be made to begin anew. */
export type FrameStage = Stage<Uint8Array> & {
  /** Drops what fills no frame yet, and tells how many bytes that was. */
  drop(): number;
};

export type FrameRule = {
  readonly sampleRate: number;
  readonly frameMs: number;
  readonly bytesPerSample: number;
  /** Fills the last frame up to its whole length with this byte, the codec's silence; absent: it stays short. */
  readonly padByte?: number;
};

/** First sample of frame `index`. */
const frameStart = (rule: FrameRule, index: number): number =>
  Math.floor((index * rule.sampleRate * rule.frameMs) / 1000);

/** Memory for so many frames is taken at once: each piece of its own costs the collector more than the frame is worth. */
const FRAMES_PER_SLAB = 16;

/**
 * Takes bytes in any split of whole or broken samples, which are copied. A frame is memory that nobody writes again. A padded frame counts its padding in `samples`; a stream without a byte has no frame.
 */
export function createFramer(rule: FrameRule, emit: (frame: AudioFrame) => void): FrameStage {
  const { bytesPerSample, padByte } = rule;
  const frameSamples = (index: number) => frameStart(rule, index + 1) - frameStart(rule, index);
  let index = 0;
  let samples = frameSamples(0);
  /** Frame `index` as far as it has come. */
  let frame: Uint8Array | undefined;
  let filled = 0;
  let slab = new Uint8Array(0);
  let used = 0;
  const nextFrame = (): Uint8Array => {
    const bytes = samples * bytesPerSample;
    if (used + bytes > slab.length) {
      slab = new Uint8Array(bytes * FRAMES_PER_SLAB);
      used = 0;
    }
    used += bytes;
    return slab.subarray(used - bytes, used);
  };

  const emitFrame = (bytes: Uint8Array): void => {
    const whole = { bytes, samples };
    frame = undefined;
    filled = 0;
    index++;
    samples = frameSamples(index);
    emit(whole);
  };

  return {
    push(bytes) {
      for (let from = 0; from < bytes.length; ) {
        frame ??= nextFrame();
        const to = Math.min(from + frame.length - filled, bytes.length);
        frame.set(to - from === bytes.length ? bytes : bytes.subarray(from, to), filled);
        filled += to - from;
        from = to;
        if (filled === frame.length) emitFrame(frame);
      }
    },
    flush() {
      if (frame === undefined) return;
      if (padByte === undefined) {
        samples = filled / bytesPerSample;
        emitFrame(frame.slice(0, filled));
      } else emitFrame(frame.fill(padByte, filled));
    },
    drop() {
      const dropped = filled;
      frame = undefined;
      filled = 0;
      return dropped;
    },
  };
}
