// Decoded channels → the one channel that all later stages work on.

/** Samples per channel that a frame of Layer III can have. */
export type FrameLength = 576 | 1152;

export type Mixer = {
  /**
   * Averages `length` samples of one or two channels, one behind the other in `decoded`, into `mono(length)`, clipped
   * to −1…1, what is not finite as 0. Returns the greatest magnitude before that, at least 1; infinity when anything
   * was not finite.
   */
  mixDown(decoded: Float32Array, channels: 1 | 2, length: FrameLength): number;
  /** Scratch memory, valid until the next `mixDown`, or until it is pushed into a stage of the same sound path. */
  mono(length: FrameLength): Float32Array;
};

/** Decoding is synchronous, so one scratch frame of each length serves all. */
export function createPlainMixer(): Mixer {
  const long = new Float32Array(1152);
  const short = long.subarray(0, 576);
  const mono: Mixer['mono'] = (length) => (length === 1152 ? long : short);
  return { mono, mixDown: (decoded, channels, length) => mixDown(decoded, channels, mono(length)) };
}

function mixDown(decoded: Float32Array, channels: 1 | 2, mono: Float32Array): number {
  const length = mono.length;
  let peak = 1;
  for (let i = 0; i < length; i++) {
    const left = decoded[i]!;
    const sample = channels === 1 ? left : (left + decoded[length + i]!) / 2;
    if (sample <= 1 && sample >= -1) mono[i] = sample;
    else if (Number.isFinite(sample)) {
      mono[i] = Math.sign(sample);
      peak = Math.max(peak, Math.abs(sample));
    } else {
      mono[i] = 0;
      peak = Number.POSITIVE_INFINITY;
    }
  }
  return peak;
}
