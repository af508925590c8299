// Whether sound has begun to be speech: silence, tones, hum and noise are not. Speech is voiced, its spectrum is broad, and it
// moves all the time: a tone does not move, noise has no pitch, and a melody moves only from note to note. What is neither
// (some music, a crowd) may pass. Pure; judges the first speech, not words.

import FFT from 'fft.js';

export type SpeechJudge = {
  /** The next samples of one sound, −1…1, at 8000 to 48000 Hz; true from the first speech on. */
  push(samples: Float32Array, sampleRate: number): boolean;
  /** Sound so far, and where the last speech of it ended as far as that is known: never later than it did, up to a second earlier; ms. */
  soundMs(): number;
  spokenMs(): number;
};

/** Behind speech it is not looked for again within this: what is speech goes on so. */
const REST_MS = 800;
/** Mean square of a block that sounds, −54 dBFS; what is quiet for so long is silence. */
const SOUNDS_POWER = 4e-6;
const SILENCE_MS = 200;

/** Sound is judged at this rate or up to twice it, whatever folds back into it. */
const JUDGED_HZ = 8000;
const HOP_MS = 16;
/** Samples of a spectrum: 21 to 32 ms. */
const SIZE = 256;
const PITCH_MS = 40;
const [MIN_PITCH_HZ, MAX_PITCH_HZ] = [65, 420] as const;
const EDGES_HZ = [100, 200, 300, 420, 560, 720, 920, 1160, 1440, 1800, 2250, 2800, 3500] as const;
const BANDS = EDGES_HZ.length - 1;
/** A band so far below the loudest one, in nats of energy (30 dB), is as good as empty. */
const BAND_DEPTH_NATS = 6.9;

/** Frames that are judged together: 160 ms; and how many of them must sound. */
const WINDOW = 10;
const MIN_SOUNDING = 6;
/** Over how many frames movement is measured. */
const APART = 2;
/** −58 dBFS between 100 and 3500 Hz, natural logarithm of power: the noise of a recording is below. */
const MIN_LEVEL = -13.5;
/** Frames that are at least this near the loudest one so far sound; natural logarithm of power. */
const [SOUNDS_WITHIN, BEGAN_WITHIN] = [5, 7] as const;

/**
 * Medians over the frames that sound, set by 3,040 utterances of the embedded engine's ten voices in 32 languages, by flite,
 * Festival and eSpeak NG, and by 37 kinds of tones and noise at seven rates; docs/decisions/0085.
 */
const SPEECH = {
  /** Mean change of the bands' levels beside the loudest one within two frames, nats; tones 0, noise 0.4 and more. */
  minMovement: 0.2,
  /** Normalised correlation with the period before; noise 0.4 and less, a voice 0.45 to 1. */
  minPeriodicity: 0.45,
  /** Share of the energy in the four strongest neighbouring bins (100 to 150 Hz); a tone 1. */
  maxConcentration: 0.92,
  /** Bands that are not empty; two tones 4. */
  minBands: 5,
  /** Logarithm of the flatness of the spectrum; white noise −0.5, tones below −8. */
  minFlatness: -8,
  maxFlatness: -2.5,
} as const;

type Measure = 'level' | 'periodicity' | 'concentration' | 'bands' | 'flatness';
type Frame = { -readonly [M in Measure]: number } & { readonly levels: Float64Array };

const KEPT = WINDOW + APART;
/** Decimated samples that a frame looks back on, the longest at 16 kHz. */
const HISTORY = 2 * JUDGED_HZ * (PITCH_MS / 1000) + 4;

const fft = new FFT(SIZE);
const taper = Float64Array.from(
  { length: SIZE },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / SIZE),
);
// Scratch of one call of `push`; nothing is kept here between two.
const tapered = new Float64Array(SIZE);
const spectrum = new Float64Array(2 * SIZE);
const powers = new Float64Array(SIZE / 2);
const slope = new Float64Array(HISTORY / 2);

export function createSpeechJudge(): SpeechJudge {
  let judge: ReturnType<typeof createJudge> | undefined;
  let rate = 0;
  let isSpeech = false;
  let [soundMs, speechMs, soundedMs] = [0, 0, 0];
  let state: 'judging' | 'resting' = 'judging';
  return {
    push(samples, sampleRate) {
      if (judge === undefined || sampleRate !== rate) judge = createJudge(sampleRate);
      rate = sampleRate;
      soundMs += (samples.length * 1000) / sampleRate;
      if (powerOf(samples) > SOUNDS_POWER) soundedMs = soundMs;
      if (state === 'resting') {
        if (soundMs - speechMs < REST_MS) return true;
        state = 'judging';
        judge.forget();
      }
      if (!judge.push(samples)) return isSpeech;
      speechMs = soundMs;
      state = 'resting';
      isSpeech = true;
      return true;
    },
    soundMs: () => soundMs,
    // Of a tone nobody knows when it began.
    spokenMs: () => (soundMs - soundedMs > SILENCE_MS ? Math.max(speechMs, soundedMs) : speechMs),
  };
}

function powerOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return sum / Math.max(1, samples.length);
}

/** Takes the sound in any pieces; true when there is speech in it, behind which the rest of the piece is left out. */
function createJudge(sampleRate: number): { push(samples: Float32Array): boolean; forget(): void } {
  const stride = Math.max(1, Math.floor(sampleRate / JUDGED_HZ));
  const hz = sampleRate / stride;
  const hop = Math.round((hz * HOP_MS) / 1000);
  const edges = EDGES_HZ.map((edge) => Math.max(1, Math.round((edge * SIZE) / hz)));
  const history = new Float64Array(HISTORY + hop);
  const frames = Array.from({ length: KEPT }, () => emptyFrame());
  let count = 0;
  let loudest = Number.NEGATIVE_INFINITY;
  let filled = 0;
  let sum = 0;
  let summed = 0;

  const frameAt = (at: number) => frames[at % KEPT]!;
  const sounds = (at: number): boolean =>
    frameAt(at).level > Math.max(MIN_LEVEL, loudest - SOUNDS_WITHIN) &&
    frameAt(at - APART).level > loudest - BEGAN_WITHIN;

  const decide = (): boolean => {
    const sounding: number[] = [];
    for (let at = Math.max(APART, count - WINDOW); at < count; at += 1) if (sounds(at)) sounding.push(at);
    if (sounding.length < MIN_SOUNDING) return false;
    const usual = (measure: Measure) => median(sounding.map((at) => frameAt(at)[measure]));
    const flatness = usual('flatness');
    return (
      usual('periodicity') >= SPEECH.minPeriodicity &&
      usual('concentration') <= SPEECH.maxConcentration &&
      usual('bands') >= SPEECH.minBands &&
      flatness >= SPEECH.minFlatness &&
      flatness <= SPEECH.maxFlatness &&
      median(sounding.map((at) => movement(frameAt(at), frameAt(at - APART)))) >= SPEECH.minMovement
    );
  };
  const endHop = (): boolean => {
    const frame = frameAt(count);
    measureSpectrum(history.subarray(history.length - SIZE), edges, frame);
    frame.periodicity = frame.level > MIN_LEVEL ? periodicityOf(history, hz) : 0;
    loudest = Math.max(loudest, frame.level);
    count += 1;
    history.copyWithin(0, hop);
    return decide();
  };

  const push = (samples: Float32Array): boolean => {
    for (const sample of samples) {
      sum += sample;
      summed += 1;
      if (summed < stride) continue;
      history[HISTORY + filled] = Number.isFinite(sum) ? sum / stride : 0;
      [sum, summed] = [0, 0];
      filled += 1;
      if (filled < hop) continue;
      filled = 0;
      if (endHop()) return true;
    }
    return false;
  };
  const forget = () => {
    [count, loudest, filled, sum, summed] = [0, Number.NEGATIVE_INFINITY, 0, 0, 0];
    history.fill(0);
  };
  return { push, forget };
}

const emptyFrame = (): Frame => ({
  level: Number.NEGATIVE_INFINITY,
  periodicity: 0,
  concentration: 0,
  bands: 0,
  flatness: 0,
  levels: new Float64Array(BANDS),
});

/** All that the spectrum of the last SIZE samples tells, into `frame`. */
function measureSpectrum(samples: Float64Array, edges: readonly number[], frame: Frame): void {
  for (let i = 0; i < SIZE; i += 1) tapered[i] = samples[i]! * taper[i]!;
  fft.realTransform(spectrum as unknown as number[], tapered as unknown as number[]);
  const [lowest, highest] = [edges[0]!, edges[BANDS]!];
  let [total, logs] = [0, 0];
  for (let bin = lowest; bin < highest; bin += 1) {
    const power = spectrum[2 * bin]! ** 2 + spectrum[2 * bin + 1]! ** 2;
    powers[bin] = power;
    total += power;
    logs += Math.log(power + 1e-20);
  }
  let strongest = 0;
  for (let bin = lowest; bin < highest - 3; bin += 1)
    strongest = Math.max(strongest, powers[bin]! + powers[bin + 1]! + powers[bin + 2]! + powers[bin + 3]!);
  let loudest = 0;
  for (let band = 0; band < BANDS; band += 1) {
    let power = 0;
    for (let bin = edges[band]!; bin < edges[band + 1]!; bin += 1) power += powers[bin]!;
    frame.levels[band] = power;
    loudest = Math.max(loudest, power);
  }
  frame.bands = 0;
  for (let band = 0; band < BANDS; band += 1) {
    const below = Math.log(loudest + 1e-12) - Math.log(frame.levels[band]! + 1e-12);
    frame.levels[band] = -Math.min(below, BAND_DEPTH_NATS);
    if (below < BAND_DEPTH_NATS) frame.bands += 1;
  }
  frame.level = Math.log(total / SIZE ** 2 + 1e-10);
  frame.concentration = strongest / (total + 1e-12);
  frame.flatness = logs / (highest - lowest) - Math.log(total / (highest - lowest) + 1e-20);
}

const movement = ({ levels }: Frame, { levels: before }: Frame): number =>
  levels.reduce((sum, level, band) => sum + Math.abs(level - before[band]!), 0) / BANDS;

/**
 * The best normalised correlation of the last 40 ms with themselves a period earlier, of the slope at half the rate: what
 * rolls off, as the rumble of a room does, has no pitch in its slope.
 */
function periodicityOf(history: Float64Array, hz: number): number {
  const length = Math.floor((hz * PITCH_MS) / 1000 / 2);
  const from = history.length - 2 * length;
  const pair = (at: number) => history[at]! + history[at + 1]!;
  for (let i = 0; i < length; i += 1) slope[i] = pair(from + 2 * i) - pair(from + 2 * i - 2);
  let best = 0;
  const longest = Math.min(length - 20, Math.ceil(hz / 2 / MIN_PITCH_HZ));
  for (let lag = Math.floor(hz / 2 / MAX_PITCH_HZ); lag <= longest; lag += 1) {
    let [product, early, late] = [0, 0, 0];
    for (let i = 0; i + lag < length; i += 1) {
      const [a, b] = [slope[i]!, slope[i + lag]!];
      product += a * b;
      early += a * a;
      late += b * b;
    }
    best = Math.max(best, product / Math.sqrt(early * late + 1e-12));
  }
  return best;
}

function median(values: number[]): number {
  values.sort((a, b) => a - b);
  return values[values.length >> 1] ?? 0;
}
