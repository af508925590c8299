// Features that identify a speech sound independently of the speaker: the shape of the spectrum every 20 ms, as mel-frequency
// cepstra (Davis and Mermelstein, 1980). Telephone bandwidth, so that narrow-band and wide-band voices are comparable. Frames
// of 10 ms placed words 2 ms more exactly, and took twice the time.

import FFT from 'fft.js';
import { createDecimator } from '../../base/decimator.ts';
import { createRateHalver } from './halve-rate.ts';

/** Frame `f` is centred at `f * FRAME_MS` of the sound. */
export const FRAME_MS = 20;
/** The whole number of frames next to so many milliseconds. */
export const framesIn = (ms: number): number => Math.round(ms / FRAME_MS);
/** Cepstral coefficients of a frame, the first of them its loudness. */
export const CEPSTRA = 8;

const BANDS = 20;
const LOWEST_HZ = 80;
const HIGHEST_HZ = 3900;
/** Sound above this does not reach the highest band through the window. */
export const HEARD_HZ = 4500;
/** A window is the power of two of samples next to this length. */
const WINDOW_MS = 25;
/** Hz that the bands need; sound of twice this rate and more is analysed at half of its rate. */
const ENOUGH_HZ = 10_500;
/** Decimation factors that are tried on a sound whose upper band is empty. */
const FACTORS = [4, 3, 2] as const;
/** High bands are raised as the filter 1 − 0.97 z⁻¹ does it at this rate, whatever the rate of the sound. */
const PRE_EMPHASIS = 0.97;
const PRE_EMPHASIS_RATE = 22_050;
/** Energies are those of a window of so many samples. */
const NOMINAL_WINDOW = 512;
/** Energy of a band below which differences are ignored, of samples in ±1: −50 dB, under speech and over encoders' noise. */
const FLOOR = 1e-5;

export type FeatureFrame = {
  /** CEPSTRA values, unnormalised; the array is used again for the next frame. */
  readonly cepstra: Float32Array;
  /** Natural logarithm of the frame's energy between 80 and 3900 Hz. */
  readonly level: number;
};

export type FeatureExtractor = {
  /** Mono samples at the rate given, in any pieces. */
  push(samples: Float32Array): void;
  /** The sound is over; gives its last frames. */
  flush(): void;
};

type Tables = {
  /** Samples of a window. */
  readonly size: number;
  readonly window: Float64Array;
  /** Transforms half as many complex values: the even samples as real, the odd ones as imaginary parts. */
  readonly halfTransform: FFT;
  /** Cosine and sine of each bin that a band needs, one after the other; they are the first bins of all. */
  readonly turns: Float64Array;
  /** First bin of each band, and where its weights begin; one entry more, for the end of the last. */
  readonly firstBins: Int32Array;
  readonly firstWeights: Int32Array;
  readonly weights: Float64Array;
};

const toMel = (hz: number) => 1127 * Math.log(1 + hz / 700);
const fromMel = (mel: number) => 700 * (Math.exp(mel / 1127) - 1);

/** DCT-II of the bands, orthonormal. */
const COSINES = Float64Array.from({ length: CEPSTRA * BANDS }, (_, at) => {
  const order = Math.floor(at / BANDS);
  return Math.sqrt(2 / BANDS) * Math.cos((Math.PI * order * ((at % BANDS) + 0.5)) / BANDS);
});

/** Weights of the bins of one band, a triangle in frequency whose corners are given in bins, and the first of the bins. */
function triangle(low: number, middle: number, high: number): { first: number; weights: number[] } {
  const first = Math.min(Math.ceil(low), Math.round(middle));
  const weights = Array.from({ length: Math.max(Math.floor(high), first) - first + 1 }, (_, i) => {
    const bin = first + i;
    return Math.max(0, bin < middle ? (bin - low) / (middle - low) : (high - bin) / (high - middle));
  });
  // A band narrower than the distance of two bins has the nearest one.
  if (!weights.some((weight) => weight > 0)) weights[0] = 1;
  return { first, weights };
}

function createTables(sampleRate: number): Tables {
  const size = 2 ** Math.round(Math.log2((WINDOW_MS * sampleRate) / 1000));
  const window = Float64Array.from(
    { length: size },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / size),
  );
  // Bands are evenly spaced in mel.
  const highest = Math.min(HIGHEST_HZ, sampleRate / 2);
  const stepMel = (toMel(highest) - toMel(LOWEST_HZ)) / (BANDS + 1);
  const edge = (band: number) => (fromMel(toMel(LOWEST_HZ) + band * stepMel) * size) / sampleRate;
  const bands = Array.from({ length: BANDS }, (_, band) =>
    triangle(edge(band), edge(band + 1), edge(band + 2)),
  );
  const gain = (bin: number) => {
    const angle = (2 * Math.PI * bin * sampleRate) / size / PRE_EMPHASIS_RATE;
    const raised = 1 - 2 * PRE_EMPHASIS * Math.cos(angle) + PRE_EMPHASIS ** 2;
    return (raised * NOMINAL_WINDOW) / size ** 2;
  };
  const lastBand = bands.at(-1)!;
  const firstWeights = Int32Array.from({ length: BANDS + 1 }, (_, band) =>
    bands.slice(0, band).reduce((sum, { weights }) => sum + weights.length, 0),
  );
  return {
    size,
    window,
    halfTransform: new FFT(size / 2),
    turns: Float64Array.from({ length: 2 * (lastBand.first + lastBand.weights.length) }, (_, at) => {
      const angle = (2 * Math.PI * (at >> 1)) / size;
      return at % 2 === 0 ? Math.cos(angle) : Math.sin(angle);
    }),
    firstBins: Int32Array.from(bands, ({ first }) => first),
    firstWeights,
    weights: Float64Array.from(
      bands.flatMap(({ first, weights }) => weights.map((weight, i) => weight * gain(first + i))),
    ),
  };
}

const tables = new Map<number, Tables>();

function tablesOf(sampleRate: number): Tables {
  const known = tables.get(sampleRate);
  if (known !== undefined) return known;
  const made = createTables(sampleRate);
  tables.set(sampleRate, made);
  return made;
}

/** What folds back lies above all that a window lets into the highest band. */
const decimationOf = (sampleRate: number, belowHz: number): number =>
  FACTORS.find(
    (factor) => sampleRate % factor === 0 && sampleRate / factor >= Math.max(ENOUGH_HZ, belowHz + HEARD_HZ),
  ) ?? 1;

/**
 * `sampleRate` in Hz, 8000 to 48000; `belowHz`: above it the sound is empty, as far as is known. `emit` gets every frame in
 * order, while `push` or `flush` runs.
 */
export function createFeatureExtractor(
  sampleRate: number,
  emit: (frame: FeatureFrame) => void,
  belowHz: number = sampleRate / 2,
): FeatureExtractor {
  const factor = decimationOf(sampleRate, belowHz);
  if (factor > 1) {
    const decimate = createDecimator(factor);
    const rest = createFeatureExtractor(sampleRate / factor, emit);
    return { push: (samples) => rest.push(decimate(samples)), flush: () => rest.flush() };
  }
  if (sampleRate < 2 * ENOUGH_HZ) return createAnalyser(sampleRate, emit);
  const rest = createFeatureExtractor(sampleRate / 2, emit);
  const halver = createRateHalver((samples) => rest.push(samples));
  return {
    push: (samples) => halver.push(samples),
    flush() {
      halver.flush();
      rest.flush();
    },
  };
}

function createAnalyser(sampleRate: number, emit: (frame: FeatureFrame) => void): FeatureExtractor {
  const { size, window, halfTransform, turns, firstBins, firstWeights, weights } = tablesOf(sampleRate);
  const windowed = new Float64Array(size);
  const spectrum = new Float64Array(size);
  const powers = new Float64Array(turns.length / 2);
  const logs = new Float64Array(BANDS);
  const cepstra = new Float32Array(CEPSTRA);
  /** The samples from `heldFrom` on, behind half a window of silence before the first. */
  const held = new Float32Array(4 * size);
  let heldFrom = -size / 2;
  let heldLength = size / 2;
  let frames = 0;

  const frameStart = () => Math.round((frames * FRAME_MS * sampleRate) / 1000) - size / 2;

  /** Powers of the whole window's first bins, from the spectra of its even and its odd samples that lie in one. */
  const unfold = () => {
    for (let bin = 0, at = 0; bin < powers.length; bin += 1, at += 2) {
      const opposite = at === 0 ? 0 : size - at;
      const re = spectrum[at]!;
      const im = spectrum[at + 1]!;
      const mirrorRe = spectrum[opposite]!;
      const mirrorIm = spectrum[opposite + 1]!;
      const cosine = turns[at]!;
      const sine = turns[at + 1]!;
      const oddRe = im + mirrorIm;
      const oddIm = mirrorRe - re;
      const wholeRe = re + mirrorRe + cosine * oddRe + sine * oddIm;
      const wholeIm = im - mirrorIm + cosine * oddIm - sine * oddRe;
      powers[bin] = (wholeRe * wholeRe + wholeIm * wholeIm) / 4;
    }
  };

  const analyse = (at: number) => {
    for (let i = 0; i < size; i += 1) windowed[i] = held[at + i]! * window[i]!;
    halfTransform.transform(spectrum as unknown as number[], windowed as unknown as number[]);
    unfold();
    let energy = 0;
    for (let band = 0; band < BANDS; band += 1) {
      let sum = 0;
      const end = firstWeights[band + 1]!;
      for (let w = firstWeights[band]!, bin = firstBins[band]!; w < end; w += 1, bin += 1)
        sum += weights[w]! * powers[bin]!;
      logs[band] = Math.log(sum + FLOOR);
      energy += sum;
    }
    for (let order = 0, at = 0; order < CEPSTRA; order += 1) {
      let sum = 0;
      for (let band = 0; band < BANDS; band += 1, at += 1) sum += COSINES[at]! * logs[band]!;
      cepstra[order] = sum;
    }
    emit({ cepstra, level: Math.log(energy + FLOOR) });
  };

  /** `samples`: no more than two windows. */
  const add = (samples: Float32Array) => {
    held.set(samples, heldLength);
    heldLength += samples.length;
    for (let start = frameStart(); start + size <= heldFrom + heldLength; start = frameStart()) {
      analyse(start - heldFrom);
      frames += 1;
    }
    const passed = Math.min(heldLength, Math.max(0, frameStart() - heldFrom));
    held.copyWithin(0, passed, heldLength);
    heldFrom += passed;
    heldLength -= passed;
  };

  return {
    push(samples) {
      for (let from = 0; from < samples.length; from += 2 * size)
        add(samples.subarray(from, from + 2 * size));
    },
    flush() {
      add(new Float32Array(size / 2));
    },
  };
}
