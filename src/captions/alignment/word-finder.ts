// The words of one request in its audio: by alignment to a reference speech as soon as there is one, by the pauses alone
// when there is none. Keeps the features of all that was heard, so that it can be aligned again to a longer reference.

import { createFeatureStore } from './feature-track.ts';
import { disorderedReferences, type HeardEnding, soundEndingOf, spokenFrames } from './heard-ending.ts';
import { createPauseAligner } from './pause-aligner.ts';
import type { ReferenceSpeech } from './reference-speech.ts';
import { type FeatureFrame, FRAME_MS, framesIn } from './speech-features.ts';
import { createWordAligner } from './word-aligner.ts';
import { shifted, type WordEstimate } from './word-estimate.ts';

export type WordFinder = {
  readonly push: (frame: FeatureFrame) => void;
  /**
   * What has come ends here, as far as is known: how it ends. Undefined until it is aligned to the whole reference, and
   * without one. `mismatch` is looked for where words seem to be missing, and where `likeness` is asked for.
   */
  ending(likeness: 'asked' | 'on-suspicion'): HeardEnding | undefined;
  /** The audio is over. */
  end(): void;
  /** `whole`: it holds all words; otherwise so many of the first. Without any only the pauses are used. */
  hold(reference: ReferenceSpeech, extent: 'first-words' | 'whole'): void;
  /** No reference will come any more. */
  giveUpReference(): void;
  isGivenUp(): boolean;
  /** Undefined while nothing tells more than the weights do. */
  estimate(): WordEstimate | undefined;
  /** Everything has been heard and aligned to the whole reference. */
  isFinal(): boolean;
  /** What was learned of the voice: all of it only when it has been heard for long enough to tell. */
  learned(): KnownVoice;
};

/** What is known of a voice from what was heard of it before. */
export type KnownVoice = {
  /** Mean cepstra of its speech. */
  readonly mean: Float32Array | undefined;
  /** The silence that its speech begins with, ms. */
  readonly onsetMs: number | undefined;
};

export const UNKNOWN_VOICE: KnownVoice = { mean: undefined, onsetMs: undefined };

type Words = readonly { readonly weight: number; readonly pause: number }[];

/** A voice is known after three seconds. */
const FRAMES_TO_KNOW = framesIn(3000);
const MAX_TO_LEARN_MS = 150;
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
  const unsureWithinMs = Math.max(estimate.withinMs, WEIGHTS_WITHIN_MS);
  // Behind the last word that the reference has, the search has nothing to go on to: that word may not have begun.
  return {
    ...estimate,
    startsMs,
    endsMs,
    unsure: { from: Math.max(0, known - 1), withinMs: unsureWithinMs },
  };
}

/** Before a word was heard, the first one is this far off where the voice is not known to begin so. */
const UNHEARD_WITHIN_MS = 250;

/** Nothing of the speech was heard but silence: it will begin as this voice begins. */
function begunAsUsual(estimate: WordEstimate, onsetMs: number | undefined): WordEstimate {
  const byMs = Math.max(0, (onsetMs ?? 0) - (estimate.startsMs[0] ?? 0));
  const withinMs = onsetMs === undefined ? Math.max(estimate.withinMs, UNHEARD_WITHIN_MS) : estimate.withinMs;
  return { ...shifted(estimate, byMs), soundMs: estimate.soundMs, withinMs };
}

/** No voice speaks faster than this multiple of the reference, pauses included, beyond the speed that was asked for. */
const MAX_HASTE = 2.5;
/** Frames after which the path is certain enough by itself. */
const HASTY_FRAMES = framesIn(2000);

/**
 * While little of a speech was heard, the path may run ahead of it: of two places that sound alike the nearer one is
 * likelier, so no word may come sooner than the fastest voice would say it.
 */
function withoutHaste(estimate: WordEstimate, wordMs: ArrayLike<number>, tempo: number): WordEstimate {
  const firstMs = estimate.startsMs[0] ?? 0;
  const soonest = (w: number) =>
    firstMs + ((wordMs[w] ?? 0) - (wordMs[0] ?? 0)) / (MAX_HASTE * Math.max(1, tempo));
  return {
    ...estimate,
    startsMs: Float64Array.from(estimate.startsMs, (ms, w) => Math.max(ms, soonest(w))),
    endsMs: Float64Array.from(estimate.endsMs, (ms, w) => Math.max(ms, soonest(w))),
  };
}

/** How long each word of a reference takes, but for the last one, when it is spoken `tempo` times as fast. */
const lengthsOf = ({ wordMs }: ReferenceSpeech, tempo: number): ArrayLike<number> =>
  wordMs.subarray(1).map((ms, w) => (ms - wordMs[w]!) / tempo);

/** What is looked at for whether a sound rises and falls as speech does. */
const LAST_FRAMES = framesIn(1700);
/** Words may be missing above this: `HeardEnding.missingCost` of a whole speech is lower in 997 of 1,000. */
const SUSPECT_COST = 8;

/**
 * `msPerWeight`: the pace that its weights are guessed at. `tempo`: how many times as fast as the reference the speech was
 * asked to be.
 */
export function createWordFinder(
  words: Words,
  msPerWeight: number,
  known: KnownVoice,
  tempo: number = 1,
): WordFinder {
  const { mean } = known;
  const store = createFeatureStore();
  let state: 'waiting' | 'first-words' | 'whole' | 'pauses' = 'waiting';
  let aligner: ReturnType<typeof createWordAligner> | undefined;
  let held: ReferenceSpeech | undefined;
  let usualMs: ArrayLike<number> | undefined;
  let pauses: ReturnType<typeof createPauseAligner> | undefined;
  let isOver = false;

  const feed = (to: { push(frame: FeatureFrame): void; end(): void }, canEnd: boolean) => {
    for (let at = 0; at < store.frames(); at += 1) to.push(store.frame(at));
    if (isOver && canEnd) to.end();
  };

  /**
   * As `HeardEnding` has it. `voice`: the mean cepstra of all that was heard, so that the first words are not strange to it.
   */
  const mismatchWith = (reference: ReferenceSpeech, voice: Float32Array): number => {
    const costOf = (order: ReferenceSpeech) => {
      const against = createWordAligner(order, { mean: voice });
      for (let at = 0; at < store.frames(); at += 1) against.push(store.frame(at));
      against.hearAll();
      return against.ending().costPerFrame;
    };
    const others = disorderedReferences(reference).map(costOf);
    return (
      (others.length * costOf(reference)) /
      Math.max(
        1,
        others.reduce((sum, cost) => sum + cost),
      )
    );
  };

  return {
    push(frame) {
      store.add(frame);
      aligner?.push(frame);
      pauses?.push(frame);
    },
    ending(likeness) {
      if (aligner === undefined || held === undefined || state !== 'whole') return undefined;
      aligner.hearAll();
      const { missingCost, spokenFrames: spoken, silentMs } = aligner.ending();
      const estimate = aligner.estimate();
      const isWanted = likeness === 'asked' || missingCost > SUSPECT_COST;
      return {
        missingCost,
        mismatch: isWanted ? mismatchWith(held, aligner.mean) : undefined,
        spokenMs: spoken * FRAME_MS,
        lengthRatio: (spoken * tempo) / Math.max(1, spokenFrames(held)),
        silentMs,
        kind: soundEndingOf(store.track().levels.subarray(-LAST_FRAMES))?.kind ?? 'speech-like',
        words: {
          ...estimate,
          startsMs: Float64Array.from(estimate.startsMs),
          endsMs: Float64Array.from(estimate.endsMs),
        },
      };
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
      held = reference;
      usualMs = lengthsOf(reference, tempo);
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
      if (aligner === undefined || held === undefined) return undefined;
      const found = { ...aligner.estimate(), usualMs };
      if (isOver && state === 'whole') return found;
      if (found.reached === 0) return carryOn(begunAsUsual(found, known.onsetMs), words, msPerWeight);
      const sure = store.frames() < HASTY_FRAMES ? withoutHaste(found, held.wordMs, tempo) : found;
      return carryOn(sure, words, msPerWeight);
    },
    isGivenUp: () => state === 'pauses',
    isFinal: () => isOver && (state === 'whole' || state === 'pauses'),
    learned() {
      if (aligner === undefined || !isOver) return UNKNOWN_VOICE;
      const { startsMs, withinMs } = aligner.estimate();
      // Words that were hardly found say nothing about the voice.
      if (withinMs > MAX_TO_LEARN_MS) return UNKNOWN_VOICE;
      return {
        mean: store.frames() >= FRAMES_TO_KNOW ? aligner.mean : undefined,
        onsetMs: startsMs[0],
      };
    },
  };
}
