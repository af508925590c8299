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

/**
 * Takes bytes in any split of whole or broken samples, which are copied. All frames are the same memory, one after another:
 * a piece of its own for each costs the collector more than the frame is worth. A padded frame counts its padding in
 * `samples`; a stream without a byte has no frame.
 */
export function createFramer(rule: FrameRule, emit: (frame: AudioFrame) => void): FrameStage {
  const { bytesPerSample, padByte } = rule;
  const frameSamples = (index: number) => frameStart(rule, index + 1) - frameStart(rule, index);
  const frameOf = (samples: number): AudioFrame => ({
    bytes: memory.subarray(0, samples * bytesPerSample),
    samples,
  });
  const memory = new Uint8Array((frameSamples(0) + 1) * bytesPerSample);
  let index = 0;
  /** Frame `index`, of whose bytes `filled` have come. */
  let frame = frameOf(frameSamples(0));
  let filled = 0;

  const emitFrame = (whole: AudioFrame): void => {
    filled = 0;
    index++;
    const samples = frameSamples(index);
    if (samples !== frame.samples) frame = frameOf(samples);
    emit(whole);
  };

  return {
    push(bytes) {
      for (let from = 0; from < bytes.length; ) {
        const to = Math.min(from + frame.bytes.length - filled, bytes.length);
        frame.bytes.set(to - from === bytes.length ? bytes : bytes.subarray(from, to), filled);
        filled += to - from;
        from = to;
        if (filled === frame.bytes.length) emitFrame(frame);
      }
    },
    flush() {
      if (filled === 0) return;
      if (padByte === undefined) emitFrame(frameOf(filled / bytesPerSample));
      else {
        frame.bytes.fill(padByte, filled);
        emitFrame(frame);
      }
    },
    drop() {
      const dropped = filled;
      filled = 0;
      return dropped;
    },
  };
}
