// The reference: the same words spoken by our own voice, with known word times, to which the speech that has to be timed is
// aligned. Only the edges of its pauses are kept, because every voice pauses in other places.

import { CEPSTRA, FRAME_MS, framesIn } from './speech-features.ts';
import { DIMENSIONS, writeFeatures } from './speech-vectors.ts';

/** Frames of a sound, `CEPSTRA` values each, one after the other, and their levels. */
export type FeatureTrack = { readonly cepstra: Float32Array; readonly levels: Float32Array };

export type ReferenceSpeech = {
  /** Frames without the insides of pauses, `DIMENSIONS` values each. */
  readonly features: Float32Array;
  readonly frames: number;
  /** When each frame was spoken in the reference's own time, ms. */
  readonly frameMs: Float32Array;
  /** Where each word begins among the frames, not falling and not whole, since words begin between frames. */
  readonly wordFrames: Float64Array;
  /** When each word began in the reference's own time, and its whole length, ms. */
  readonly wordMs: Float64Array;
  readonly lengthMs: number;
  /** Before which frame a voice may pause: one of the values below; one entry more than frames, for the end. */
  readonly pausing: Uint8Array;
  /** For the first frame of each word how many frames the word before it has, when it is told from it; 0 elsewhere. */
  readonly wordBack: Uint16Array;
  /** 1 for the frames at the edges of pauses, which are silent; 0 for the others. */
  readonly silent: Uint8Array;
  /** Mean cepstra of its speech. */
  readonly mean: Float32Array;
};

/** Whether one may pause before a frame: inside a word never; between two words; where the reference pauses itself. */
export const NO_PAUSE = 0;
export const BETWEEN_WORDS = 1;
export const REFERENCE_PAUSE = 2;

/** Below the loudest frame by this much, in nats of energy, there is no speech: 35 dB. */
const SILENCE_DEPTH = 8;
/** Stop consonants are silent for a shorter time. */
const MIN_PAUSE_FRAMES = framesIn(100);
/** Frames of a pause that stay at its beginning, where speech dies away, and at its end, where it is about to begin. */
const KEPT_HEAD = framesIn(40);
const KEPT_TAIL = framesIn(40);

const loudestOf = (levels: Float32Array) =>
  levels.reduce((most, level) => Math.max(most, level), Number.NEGATIVE_INFINITY);

/** Mean cepstra of the frames that are not silent; zeros when there is no frame. */
export function speechMean({ cepstra, levels }: FeatureTrack): Float32Array {
  const silent = loudestOf(levels) - SILENCE_DEPTH;
  const sums = new Float64Array(CEPSTRA);
  let count = 0;
  levels.forEach((level, frame) => {
    if (level < silent) return;
    count += 1;
    for (let c = 0; c < CEPSTRA; c += 1) sums[c]! += cepstra[frame * CEPSTRA + c]!;
  });
  return Float32Array.from(sums, (sum) => sum / Math.max(1, count));
}

type Run = { readonly from: number; readonly to: number };

/** Silences of the track that are too long for a consonant. */
function pausesOf(levels: Float32Array): Run[] {
  const silent = loudestOf(levels) - SILENCE_DEPTH;
  const runs: Run[] = [];
  for (let from = 0; from < levels.length; ) {
    let to = from;
    while (to < levels.length && levels[to]! < silent) to += 1;
    if (to - from >= MIN_PAUSE_FRAMES) runs.push({ from, to });
    from = Math.max(from + 1, to);
  }
  return runs;
}

/** The frame next to where a word begins; of two, the one before it, so that a pause in front is not yet the word. */
const wholeFrame = (frame: number) => Math.ceil(frame - 0.5);

/** `wordMs`: when each word begins in the sound of `track`, not falling. */
export function createReferenceSpeech(track: FeatureTrack, wordMs: readonly number[]): ReferenceSpeech {
  const total = track.levels.length;
  const mean = speechMean(track);
  const pauses = pausesOf(track.levels);
  const kept = new Uint8Array(total).fill(1);
  for (const { from, to } of pauses)
    kept.fill(0, from + KEPT_HEAD, Math.max(from + KEPT_HEAD, to === total ? to : to - KEPT_TAIL));
  /** Frames that stay before each frame of the track. */
  const before = new Int32Array(total + 1);
  for (let frame = 0; frame < total; frame += 1) before[frame + 1] = before[frame]! + kept[frame]!;
  const frames = before[total]!;

  const features = new Float32Array(frames * DIMENSIONS);
  const frameMs = new Float32Array(frames);
  for (let frame = 0; frame < total; frame += 1) {
    if (kept[frame] === 0) continue;
    frameMs[before[frame]!] = frame * FRAME_MS;
    writeFeatures(track.cepstra, total, frame, mean, features, before[frame]! * DIMENSIONS);
  }
  const risingMs = Float64Array.from(wordMs);
  for (let word = 1; word < risingMs.length; word += 1)
    risingMs[word] = Math.max(risingMs[word]!, risingMs[word - 1]!);
  const wordFrames = risingMs.map((ms) => {
    const at = Math.min(Math.max(ms / FRAME_MS, 0), Math.max(0, total - 1));
    const whole = Math.floor(at);
    const part = kept[whole] === 1 ? at - whole : 0;
    return Math.max(0, Math.min((before[whole] ?? 0) + part, frames - 1));
  });

  const pausing = new Uint8Array(frames + 1);
  const silent = new Uint8Array(frames);
  const wordBack = new Uint16Array(frames + 1);
  for (let word = 1; word < wordFrames.length; word += 1) {
    const [first, firstBefore] = [wholeFrame(wordFrames[word]!), wholeFrame(wordFrames[word - 1]!)];
    if (first > firstBefore) wordBack[first] = Math.min(first - firstBefore, 0xffff);
  }
  for (const frame of wordFrames) pausing[wholeFrame(frame)] = BETWEEN_WORDS;
  for (const { from, to } of pauses) {
    silent.fill(1, before[from], before[to]);
    pausing.fill(NO_PAUSE, before[from], before[to]! + 1);
    pausing[before[from + KEPT_HEAD]!] = REFERENCE_PAUSE;
  }
  pausing[0] = REFERENCE_PAUSE;
  pausing[frames] = REFERENCE_PAUSE;
  return {
    features,
    frames,
    frameMs,
    wordFrames,
    wordMs: risingMs,
    lengthMs: total * FRAME_MS,
    pausing,
    wordBack,
    silent,
    mean,
  };
}
