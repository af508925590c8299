// Tells how many voices speak in a recording, by the pitch of each half-second: a man's lies well below a woman's.

const FRAME_MS = 40;
const STEP_MS = 20;
const WINDOW_MS = 500;
const LOWEST_HZ = 70;
const HIGHEST_HZ = 350;
/** Of full scale; quieter frames are pauses. */
const LEAST_RMS = 0.02;
/** Normalised autocorrelation at the period; consonants and noise lie below. */
const LEAST_PERIODICITY = 0.7;
/** A window with fewer voiced frames says nothing. */
const LEAST_VOICED = 6;
/** One speaker's half-seconds differ by a quarter, man and woman by three quarters. */
const LEAST_RATIO = 1.5;
const LEAST_WINDOWS = 2;

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Similarity of `length` samples at `at` with those `lag` later: 1 is a perfect repetition. */
function correlation(samples, at, length, lag) {
  let [product, here, there] = [0, 0, 0];
  for (let i = at; i < at + length; i++) {
    product += samples[i] * samples[i + lag];
    here += samples[i] ** 2;
    there += samples[i + lag] ** 2;
  }
  return product / Math.sqrt(here * there || 1);
}

/** Hz of the frame at `at`, or undefined when it is no voice. */
function pitchAt({ samples, rate }, at) {
  const length = Math.round((rate * FRAME_MS) / 1000);
  let energy = 0;
  for (let i = at; i < at + length; i++) energy += samples[i] ** 2;
  if (Math.sqrt(energy / length) < LEAST_RMS) return undefined;
  const shortest = Math.floor(rate / HIGHEST_HZ);
  const alike = Array.from({ length: Math.ceil(rate / LOWEST_HZ) - shortest + 1 }, (_, index) =>
    correlation(samples, at, length, shortest + index),
  );
  const best = Math.max(...alike);
  if (best < LEAST_PERIODICITY) return undefined;
  // Two periods repeat as well as one, so the first peak that is nearly the best is the period.
  const peak = alike.findIndex(
    (each, index) => each > 0.9 * best && each >= (alike[index - 1] ?? 2) && each >= (alike[index + 1] ?? 2),
  );
  return peak < 0 ? undefined : rate / (shortest + peak);
}

/** Median pitch of each half-second that is spoken, Hz. */
function pitches(sound) {
  const { samples, rate } = sound;
  const [window, step] = [WINDOW_MS, STEP_MS].map((ms) => Math.round((rate * ms) / 1000));
  const reach = Math.ceil((rate * FRAME_MS) / 1000) + Math.ceil(rate / LOWEST_HZ);
  const found = [];
  for (let start = 0; start + window + reach <= samples.length; start += window) {
    const voiced = [];
    for (let at = start; at < start + window; at += step) voiced.push(pitchAt(sound, at));
    const known = voiced.filter((each) => each !== undefined);
    if (known.length >= LEAST_VOICED) found.push(median(known));
  }
  return found;
}

/** The two groups that values fall into, each around its own mean (k-means with two means, from the extremes). */
function divide(values) {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  let groups = [values, []];
  for (let round = 0; round < 20; round++) {
    const middle = Math.sqrt(low * high);
    groups = [values.filter((each) => each < middle), values.filter((each) => each >= middle)];
    const mean = (group) => Math.exp(group.reduce((sum, each) => sum + Math.log(each), 0) / group.length);
    if (groups.some((group) => group.length === 0)) break;
    [low, high] = groups.map(mean);
  }
  return groups;
}

/** Throws unless a low and a high voice speak in `sound`; else one line about them. */
export function judgeTwoVoices(name, sound) {
  const groups = divide(pitches(sound));
  const [low, high] = groups.map((group) => (group.length >= LEAST_WINDOWS ? median(group) : Number.NaN));
  const shown = `${low.toFixed(0)} Hz and ${high.toFixed(0)} Hz`;
  if (!(high / low >= LEAST_RATIO)) throw new Error(`${name} does not have two voices: ${shown}`);
  return `${name}: two voices, ${shown}`;
}
