// The peaks between the samples, which a player's converter makes and a sample meter does not see: four points per
// sample by interpolation (after ITU-R BS.1770-4, Annex 2), with a shorter filter of our own. Near half the sample
// rate, where speech has next to nothing, it reads up to 1 dB too low.

/** Points per sample, the sample itself being one of them, and input samples that each of the others is made of. */
const PHASES = 4;
const TAPS = 12;
/** The point that is judged lies this many samples behind the newest one. */
export const PEAK_DELAY = TAPS / 2;
const KAISER_BETA = 6;
/** Input is worked on in pieces of at most this many samples. */
const PIECE = 1152;

/** Rows of phases 1, 2 and 3, one behind the other: a windowed sinc that sums to 1. */
const ROWS = interpolationRows();
/** No interpolated point is greater than so many times the greatest sample that it is made of. */
const MAX_OVERSHOOT = Math.max(
  ...Array.from({ length: PHASES - 1 }, (_, row) =>
    ROWS.subarray(row * TAPS, (row + 1) * TAPS).reduce((sum, weight) => sum + Math.abs(weight), 0),
  ),
);

export type PeakFinder = {
  /**
   * Judges each sample of `samples`, in pieces: `peaks[i]` is the greatest magnitude from the sample that lies
   * `PEAK_DELAY` before sample `from + i` to the one after it, or 0 where nothing is greater than `floor`.
   * `peaks` is scratch memory.
   */
  find(
    samples: Float32Array,
    floor: number,
    take: (from: number, count: number, peaks: Float64Array) => void,
  ): void;
};

export function createPeakFinder(): PeakFinder {
  const held = new Float64Array(TAPS + PIECE);
  const peaks = new Float64Array(PIECE);

  /** The greatest magnitude between the samples `at + 5` and `at + 6` of `held`, both counted. */
  const peakAt = (at: number): number => {
    let [quarter, half, rest] = [0, 0, 0];
    for (let tap = 0; tap < TAPS; tap++) {
      const sample = held[at + tap]!;
      quarter += sample * ROWS[tap]!;
      half += sample * ROWS[TAPS + tap]!;
      rest += sample * ROWS[2 * TAPS + tap]!;
    }
    const between = Math.max(Math.abs(quarter), Math.abs(half), Math.abs(rest));
    const left = Math.abs(held[at + TAPS - 1 - PEAK_DELAY]!);
    return Math.max(between, left, Math.abs(held[at + TAPS - PEAK_DELAY]!));
  };

  return {
    find(samples, floor, take) {
      const quiet = floor / MAX_OVERSHOOT;
      for (let from = 0; from < samples.length; from += PIECE) {
        const count = Math.min(PIECE, samples.length - from);
        /** The newest sample that a point above `floor` can be made of. */
        let lastLoud = -1;
        for (let i = 0; i < TAPS; i++) if (Math.abs(held[i]!) > quiet) lastLoud = i;
        for (let i = 0; i < count; i++) {
          const sample = samples[from + i]!;
          held[TAPS + i] = sample;
          if (sample > quiet || sample < -quiet) lastLoud = TAPS + i;
          // The newest sample and the eleven before it.
          peaks[i] = lastLoud > i ? peakAt(i + 1) : 0;
        }
        held.copyWithin(0, count, count + TAPS);
        take(from, count, peaks);
      }
    },
  };
}

export type TruePeakMeter = {
  push(samples: Float32Array): void;
  /** The greatest magnitude so far, 1 being full scale. It sees the last 6 samples when as many more have come. */
  peak(): number;
};

/** Nearly free: only what may be the greatest is looked at closely. */
export function createTruePeakMeter(): TruePeakMeter {
  const finder = createPeakFinder();
  let peak = 0;
  const take = (_from: number, count: number, peaks: Float64Array): void => {
    for (let i = 0; i < count; i++) peak = Math.max(peak, peaks[i]!);
  };
  return {
    push: (samples) => finder.find(samples, peak, take),
    peak: () => peak,
  };
}

function interpolationRows(): Float64Array {
  const rows = new Float64Array((PHASES - 1) * TAPS);
  for (let phase = 1; phase < PHASES; phase++) {
    const row = rows.subarray((phase - 1) * TAPS, phase * TAPS);
    for (let tap = 0; tap < TAPS; tap++) {
      const time = phase / PHASES - (tap - (TAPS - PEAK_DELAY - 1));
      const place = time / (TAPS / 2);
      const window = besselI0(KAISER_BETA * Math.sqrt(Math.max(0, 1 - place * place)));
      row[tap] = (window * Math.sin(Math.PI * time)) / (Math.PI * time);
    }
    const sum = row.reduce((total, weight) => total + weight, 0);
    for (let tap = 0; tap < TAPS; tap++) row[tap] = row[tap]! / sum;
  }
  return rows;
}

/** Modified Bessel function of the first kind, order 0 (Abramowitz & Stegun 9.6.12). */
function besselI0(x: number): number {
  let sum = 1;
  for (let k = 1, term = 1; term > sum * 1e-17; k++) {
    term *= (x * x) / (4 * k * k);
    sum += term;
  }
  return sum;
}
