// The low-pass filters of the resampler: a Kaiser-windowed sinc for a pair of rates, cut into one row of taps per
// phase and shared by every stream of that pair. Flat to 0.85, −2.3 dB at 0.925, and below −85 dB from 1.05 of the
// lower rate's Nyquist frequency on: what would alias into the telephone band is gone, and 25 % of the taps that a
// filter closed at Nyquist itself needs are saved.

import { MAX_LEG_SAMPLE_RATE, MIN_SAMPLE_RATE } from '../../speech/audio-format.ts';

const STOPBAND_DB = 86;
/** Centre and width of the transition band, as parts of the lower Nyquist frequency. */
const CUTOFF = 0.95;
const TRANSITION = 0.2;
/** Of what is brought to `toRate` from a higher rate nothing is heard above this, Hz. */
export const heardBelowHz = (toRate: number): number => ((CUTOFF + TRANSITION / 2) * toRate) / 2;
/** Rows are a multiple of this, so that the inner loop needs no remainder. */
const TAPS_STEP = 8;

/**
 * One row per phase up to this many coefficients (288 KiB, the largest bank), which holds every pair of MPEG rates
 * but 11,025 ↔ 32,000 Hz. A ratio with more phases gets a smaller table that is read between its rows.
 */
export const MAX_COEFFICIENTS = 36_864;
/** Linear interpolation over a table of this size errs by less than −105 dB anywhere in the pass band. */
const TABLE_COEFFICIENTS = 16_384;

export type FilterBank = {
  /** Output and input samples of one period: the reduced ratio of the rates. */
  readonly up: number;
  readonly down: number;
  /** Length of a row; a multiple of 8. Tap j weighs input sample i − taps/2 + 1 + j. */
  readonly taps: number;
  /**
   * Row p is the filter of an output that lies p/phases of an input sample after input sample i. `phases` is `up`
   * when each position has its row; else positions between two rows are blended from both, and one row more closes
   * the table. Each row sums to 1.
   */
  readonly phases: number;
  readonly rows: Float64Array;
};

export type FilterBanks = {
  /** The bank of a pair of whole rates in 8000…192000 Hz; designed on first use (a few milliseconds). */
  of(fromRate: number, toRate: number): FilterBank;
};

/** Keeps the banks used last; with the default, at most 9 MiB. */
export function createFilterBanks(mostBanks = 32): FilterBanks {
  const banks = new Map<string, FilterBank>();
  return {
    of(fromRate, toRate) {
      for (const rate of [fromRate, toRate])
        if (!Number.isInteger(rate) || rate < MIN_SAMPLE_RATE || rate > MAX_LEG_SAMPLE_RATE)
          throw new RangeError(
            `a sample rate must be a whole number in ${MIN_SAMPLE_RATE}…${MAX_LEG_SAMPLE_RATE}, not ${rate}`,
          );
      const divisor = greatestCommonDivisor(fromRate, toRate);
      const up = toRate / divisor;
      const down = fromRate / divisor;
      const key = `${up}/${down}`;
      const bank = banks.get(key) ?? designBank(up, down);
      banks.delete(key);
      banks.set(key, bank);
      if (banks.size > mostBanks) banks.delete(banks.keys().next().value!);
      return bank;
    },
  };
}

export const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);

/** Frequencies are in cycles per input sample, so that a design depends on the ratio alone. */
function designBank(up: number, down: number): FilterBank {
  const nyquist = Math.min(1, up / down) / 2;
  const width = TRANSITION * nyquist;
  const taps = Math.ceil(kaiserLength(STOPBAND_DB, width) / TAPS_STEP) * TAPS_STEP;
  const exact = up * taps <= MAX_COEFFICIENTS;
  const phases = exact ? up : Math.floor(TABLE_COEFFICIENTS / taps);
  const rowCount = exact ? phases : phases + 1;
  const kernel = kaiserSinc(CUTOFF * nyquist, taps / 2, kaiserAttenuationDb(taps, width));

  const rows = new Float64Array(rowCount * taps);
  for (let phase = 0; phase < rowCount; phase++) {
    const row = rows.subarray(phase * taps, (phase + 1) * taps);
    for (let tap = 0; tap < taps; tap++) row[tap] = kernel(phase / phases + taps / 2 - 1 - tap);
    const gain = row.reduce((sum, weight) => sum + weight, 0);
    for (let tap = 0; tap < taps; tap++) row[tap] = row[tap]! / gain;
  }
  return { up, down, taps, phases, rows };
}

// Kaiser's estimates for a transition `width` (J. F. Kaiser, ISCAS 1974): the length that an attenuation takes, and
// the attenuation that a length gives, so that rounding the length up is not wasted.
const lengthPerDb = (width: number) => 1 / (2.285 * 2 * Math.PI * width);
const kaiserLength = (attenuationDb: number, width: number) => (attenuationDb - 8) * lengthPerDb(width) + 1;
const kaiserAttenuationDb = (length: number, width: number) => (length - 1) / lengthPerDb(width) + 8;

/** The windowed sinc as a function of time in input samples; 0 from `reach` on, so that phase 0 stays symmetric. */
function kaiserSinc(cutoff: number, reach: number, attenuationDb: number): (time: number) => number {
  const beta = 0.1102 * (attenuationDb - 8.7);
  const peak = besselI0(beta);
  return (time) => {
    const place = time / reach;
    if (Math.abs(place) >= 1) return 0;
    const sinc = time === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * time) / (Math.PI * time);
    return (sinc * besselI0(beta * Math.sqrt(1 - place * place))) / peak;
  };
}

/** Modified Bessel function of the first kind, order 0, by its power series (Abramowitz & Stegun 9.6.12). */
function besselI0(x: number): number {
  const quarter = (x * x) / 4;
  let sum = 1;
  for (let k = 1, term = 1; term > sum * 1e-17; k++) {
    term *= quarter / (k * k);
    sum += term;
  }
  return sum;
}
