// The words of one request in its audio: held against a reference speech as soon as there is one, by its pauses alone
// when there is none. Keeps the features of all that was heard, so that a longer reference can be held against it again.

import { createFeatureStore } from './feature-track.ts';
import { createPauseAligner } from './pause-aligner.ts';
import type { ReferenceSpeech } from './reference-speech.ts';
import type { FeatureFrame } from './speech-features.ts';
import { createWordAligner } from './word-aligner.ts';
import type { WordEstimate } from './word-estimate.ts';

export type WordFinder = {
  readonly push: (frame: FeatureFrame) => void;
  /** The audio is over. */
  end(): void;
  /** `whole`: it holds all words; otherwise so many of the first. Without any the pauses must do. */
  hold(reference: ReferenceSpeech, extent: 'first-words' | 'whole'): void;
  /** No reference will come any more. */
  giveUpReference(): void;
  /** Undefined while nothing tells more than the weights do. */
  estimate(): WordEstimate | undefined;
  /** Everything has been heard and held against the whole reference. */
  readonly isFinal: boolean;
  /** Mean cepstra of the voice, when it has been heard for long enough to tell. */
  readonly mean: Float32Array | undefined;
};

type Words = readonly { readonly weight: number; readonly pause: number }[];

/** A voice is known after three seconds. */
const FRAMES_TO_KNOW = 300;
/** Words of which nothing is known but their weights are this far off. */
const WEIGHTS_WITHIN_MS = 700;

/** `estimate` of the first words, carried on to all of them at the same pace. */
function carryOn(estimate: WordEstimate, words: Words, msPerWeight: number): WordEstimate {
  const known = estimate.startsMs.length;
  if (known === words.length) return estimate;
  const startsMs = Float64Array.from(words, (_, w) => estimate.startsMs[w] ?? 0);
  const endsMs = Float64Array.from(words, (_, w) => estimate.endsMs[w] ?? 0);
  let atMs = known === 0 ? 0 : endsMs[known - 1]!;
  for (let w = known; w < words.length; w += 1) {
    const { weight, pause } = words[w]!;
    startsMs[w] = atMs;
    endsMs[w] = atMs + weight * msPerWeight;
    atMs += (weight + pause) * msPerWeight;
  }
  return { ...estimate, startsMs, endsMs, withinMs: Math.max(estimate.withinMs, WEIGHTS_WITHIN_MS) };
}

/** `mean`: of the voice, from what was heard of it before. `msPerWeight`: the pace that its weights are guessed at. */
export function createWordFinder(
  words: Words,
  msPerWeight: number,
  mean: Float32Array | undefined,
): WordFinder {
  const store = createFeatureStore();
  let state: 'waiting' | 'first-words' | 'whole' | 'pauses' = 'waiting';
  let aligner: ReturnType<typeof createWordAligner> | undefined;
  let pauses: ReturnType<typeof createPauseAligner> | undefined;
  let isOver = false;

  const feed = (to: { push(frame: FeatureFrame): void; end(): void }, canEnd: boolean) => {
    for (let at = 0; at < store.frames; at += 1) to.push(store.frame(at));
    if (isOver && canEnd) to.end();
  };

  return {
    push(frame) {
      store.add(frame);
      aligner?.push(frame);
      pauses?.push(frame);
    },
    end() {
      if (isOver) return;
      isOver = true;
      pauses?.end();
      if (state === 'whole') aligner?.end();
    },
    hold(reference, extent) {
      if (reference.wordFrames.length === 0) return;
      state = extent;
      aligner = createWordAligner(reference, mean === undefined ? {} : { mean });
      feed(aligner, extent === 'whole');
    },
    giveUpReference() {
      if (state === 'whole' || state === 'pauses') return;
      state = 'pauses';
      aligner = undefined;
      pauses = createPauseAligner(words, msPerWeight);
      feed(pauses, true);
    },
    estimate() {
      if (pauses !== undefined) return pauses.estimate();
      return aligner === undefined ? undefined : carryOn(aligner.estimate(), words, msPerWeight);
    },
    get isFinal() {
      return isOver && (state === 'whole' || state === 'pauses');
    },
    get mean() {
      return aligner !== undefined && store.frames >= FRAMES_TO_KNOW ? aligner.mean : undefined;
    },
  };
}
