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

const frameSamples = (rule: FrameRule, index: number): number =>
  frameStart(rule, index + 1) - frameStart(rule, index);

/**
 * What begins a frame behind another comes in with it and is moved to the front: a view of each part would cost several times
 * as much. So most of what comes at a time, a frame of MP3, needs no view.
 */
const ROOM_FRAMES = 3;

/**
 * Takes bytes in any split of whole or broken samples, which are copied. All frames share one piece of memory, one after
 * another: a piece of its own for each costs the collector more than the frame is worth. A padded frame counts its padding in
 * `samples`; a stream without a byte has no frame. One for each turn, called for each MP3 frame.
 */
export class Framer implements FrameStage {
  private readonly rule: FrameRule;
  private readonly emit: (frame: AudioFrame) => void;
  private readonly memory: Uint8Array;
  private index = 0;
  /** Frame `index`, at the beginning of the memory. */
  private frame: AudioFrame;
  /** Bytes from there on that have come and have not been emitted. */
  private filled = 0;

  constructor(rule: FrameRule, emit: (frame: AudioFrame) => void) {
    this.rule = rule;
    this.emit = emit;
    this.memory = new Uint8Array(ROOM_FRAMES * (frameSamples(rule, 0) + 1) * rule.bytesPerSample);
    this.frame = this.frameOf(frameSamples(rule, 0));
  }

  push(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const to = Math.min(from + this.memory.length - this.filled, bytes.length);
      this.memory.set(to - from === bytes.length ? bytes : bytes.subarray(from, to), this.filled);
      this.filled += to - from;
      from = to;
      while (this.filled >= this.frame.bytes.length) this.emitFrame(this.frame);
    }
  }
  flush(): void {
    const { padByte, bytesPerSample } = this.rule;
    while (this.filled >= this.frame.bytes.length) this.emitFrame(this.frame); // what a taker refused before
    if (this.filled === 0) return;
    if (padByte === undefined) return this.emitFrame(this.frameOf(this.filled / bytesPerSample));
    this.frame.bytes.fill(padByte, this.filled);
    this.filled = this.frame.bytes.length;
    this.emitFrame(this.frame);
  }
  drop(): number {
    const dropped = this.filled;
    this.filled = 0;
    return dropped;
  }

  private frameOf(samples: number): AudioFrame {
    return { bytes: this.memory.subarray(0, samples * this.rule.bytesPerSample), samples };
  }
  private emitFrame(whole: AudioFrame): void {
    const { length } = whole.bytes;
    this.filled -= length;
    this.index += 1;
    const samples = frameSamples(this.rule, this.index);
    if (samples !== this.frame.samples) this.frame = this.frameOf(samples);
    try {
      this.emit(whole);
    } finally {
      if (this.filled > 0) this.memory.copyWithin(0, length, length + this.filled);
    }
  }
}
