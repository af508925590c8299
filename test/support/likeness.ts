// How alike two recordings at 8 kHz are in the band that a telephone carries.

const RATE = 8000;
const BAND_HZ = 3200;
const REACH = 63;

/** Blackman-windowed sinc: flat to 3 kHz, nothing left above 3.4 kHz, where two resamplers may rightly differ. */
const KERNEL = Float64Array.from({ length: 2 * REACH + 1 }, (_, i) => {
  const at = i - REACH;
  const turn = (Math.PI * at) / (REACH + 1);
  const window = 0.42 + 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn);
  const cutoff = BAND_HZ / RATE;
  return window * (at === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * at) / (Math.PI * at));
});

export function telephoneBand(samples: ArrayLike<number>): Float64Array {
  const out = new Float64Array(samples.length);
  for (let at = 0; at < out.length; at++) {
    const last = Math.min(KERNEL.length - 1, out.length - 1 - at + REACH);
    let sum = 0;
    for (let tap = Math.max(0, REACH - at); tap <= last; tap++)
      sum += KERNEL[tap]! * samples[at + tap - REACH]!;
    out[at] = sum;
  }
  return out;
}

/** Power of `reference` over that of the difference, in dB, over the length that both have. */
export function likenessDb(samples: Float64Array, reference: Float64Array, lag = 0): number {
  let power = 0;
  let difference = 0;
  for (let i = Math.max(0, -lag); i < Math.min(samples.length, reference.length - lag); i++) {
    power += reference[i + lag]! ** 2;
    difference += (samples[i]! - reference[i + lag]!) ** 2;
  }
  return 10 * Math.log10(power / difference);
}

/** Greatest likeness of a piece of a recording to any place of `reference` within `reach` samples of `at`. */
export function bestLikenessDb(
  piece: Float64Array,
  reference: Float64Array,
  at: number,
  reach: number,
): number {
  let best = Number.NEGATIVE_INFINITY;
  for (
    let from = Math.max(0, at - reach);
    from <= Math.min(reference.length - piece.length, at + reach);
    from++
  )
    best = Math.max(best, likenessDb(piece, reference.subarray(from, from + piece.length)));
  return best;
}
