// Cuts a stream of encoded bytes into frames of equal duration. It knows positions only: frame k covers the samples
// from floor(k · rate · ms / 1000) to floor((k + 1) · rate · ms / 1000), so that a duration which is no whole number
// of samples alternates lengths and never drifts.

import type { AudioFrame, Stage } from './stage.ts';

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
 * Takes bytes in any split of whole or broken samples. Frames are views of one fresh block per push, which nobody
 * writes again. A padded frame counts its padding in `samples`; a stream without a byte has no frame.
 */
export function createFramer(rule: FrameRule, emit: (frame: AudioFrame) => void): Stage<Uint8Array> {
  const { bytesPerSample, padByte } = rule;
  const frameSamples = (index: number) => frameStart(rule, index + 1) - frameStart(rule, index);
  let index = 0;
  let samples = frameSamples(0);
  // The beginning of frame `index`; no frame is more than a sample longer than the first.
  const held = new Uint8Array((samples + 1) * bytesPerSample);
  let heldBytes = 0;

  const emitFrame = (bytes: Uint8Array): void => {
    const frame = { bytes, samples };
    index++;
    samples = frameSamples(index);
    emit(frame);
  };

  return {
    push(bytes) {
      const total = heldBytes + bytes.length;
      if (total < samples * bytesPerSample) {
        held.set(bytes, heldBytes);
        heldBytes = total;
        return;
      }
      const block = new Uint8Array(total);
      block.set(held.subarray(0, heldBytes));
      block.set(bytes, heldBytes);
      let at = 0;
      for (let end = samples * bytesPerSample; end <= total; end += samples * bytesPerSample) {
        const frame = block.subarray(at, end);
        at = end;
        emitFrame(frame);
      }
      held.set(block.subarray(at));
      heldBytes = total - at;
    },
    flush() {
      if (heldBytes === 0) return;
      const last = held.slice(0, padByte === undefined ? heldBytes : samples * bytesPerSample);
      if (padByte === undefined) samples = heldBytes / bytesPerSample;
      else last.fill(padByte, heldBytes);
      heldBytes = 0;
      emitFrame(last);
    },
  };
}
