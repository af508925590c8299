// What the end of a speech sounds like: held against a reference of the same text, whether it has come to the end of that
// text; and by its level alone, whether it died away or broke off. Measures only; what follows from them is decided by
// `pipeline/ending-verdict.ts`.

import type { ReferenceSpeech } from './reference-speech.ts';
import { CEPSTRA, FRAME_MS, framesIn } from './speech-features.ts';
import { DIMENSIONS } from './speech-vectors.ts';
import type { WordEstimate } from './word-estimate.ts';

export type HeardEnding = {
  /**
   * What it costs more to have come to the end of the text than to be where the speech fits best, in units of the search (a
   * frame of speech costs 4 to 12). About 0 where all was said, 20 and more for each word that is missing; infinite where
   * no way has come near the end.
   */
  readonly missingCost: number;
  /**
   * What the speech costs beside the reference, to what it costs beside the same reference from its end to its beginning:
   * 0.4 to 0.9 where the reference says what was said, about 1 where it says something else. NaN: not looked for.
   */
  readonly mismatch: number;
  /** Speech that was heard, pauses left out, ms: of little the mismatch tells little. */
  readonly spokenMs: number;
  /** `spokenMs` to that of the whole reference at the tempo asked for. */
  readonly lengthRatio: number;
  /** Silence behind the last sound, ms. */
  readonly silentMs: number;
  /** Where the words are, if the speech is cut here: those that were not reached come later. */
  readonly words: WordEstimate;
};

/** How a sound ends, told by its levels alone. */
export type SoundEnding = {
  /** Silence behind the last sound, ms. */
  readonly silentMs: number;
  /** How far the last frame lies below the loudest one, in nats of energy (1 nat is 4.3 dB). */
  readonly dropNats: number;
  /** The sound rises and falls, as speech does; a tone does not, and its end tells nothing. */
  readonly kind: 'speech-like' | 'steady';
};

/** Below the loudest frame by so much, in nats of energy, nobody speaks: 30 dB. */
const SILENCE_DEPTH_NATS = 7;
/** A sound of which more than this share is about as loud as its loudest frame is no speech. */
const MAX_STEADY_SHARE = 0.9;
const STEADY_NATS = 3;
/** Less than this tells nothing. */
const MIN_SOUND_FRAMES = framesIn(200);

/** `levels`: of the last frames of a sound, up to its very end; undefined when they are too few or all silent. */
export function soundEndingOf(levels: Float32Array): SoundEnding | undefined {
  if (levels.length < MIN_SOUND_FRAMES) return undefined;
  const loudest = levels.reduce((most, level) => Math.max(most, level), Number.NEGATIVE_INFINITY);
  const lastSound = levels.findLastIndex((level) => level > loudest - SILENCE_DEPTH_NATS);
  const steady = levels.filter((level) => level > loudest - STEADY_NATS).length;
  return {
    silentMs: (levels.length - 1 - lastSound) * FRAME_MS,
    dropNats: loudest - levels.at(-1)!,
    kind: steady > MAX_STEADY_SHARE * levels.length ? 'steady' : 'speech-like',
  };
}

/**
 * The same reference from its end to its beginning: speech of the same voice with the same sounds, that says nothing of
 * the text. What fits it as well as the reference itself is not speech of that text.
 */
export function reversedReference(reference: ReferenceSpeech): ReferenceSpeech {
  const { frames, features, wordFrames } = reference;
  const reversed = new Float32Array(features.length);
  for (let frame = 0; frame < frames; frame += 1) {
    const from = (frames - 1 - frame) * DIMENSIONS;
    const to = frame * DIMENSIONS;
    for (let c = 0; c < CEPSTRA; c += 1) {
      reversed[to + c] = features[from + c]!;
      // Slopes change their sign with the direction of time.
      reversed[to + CEPSTRA + c] = -features[from + CEPSTRA + c]!;
    }
  }
  return {
    ...reference,
    features: reversed,
    pausing: Uint8Array.from(reference.pausing).reverse(),
    silent: Uint8Array.from(reference.silent).reverse(),
    wordFrames: wordFrames.map((frame) => frames - 1 - frame).reverse(),
    wordBack: new Uint16Array(frames + 1),
  };
}

/** Frames of a reference in which somebody speaks. */
export const spokenFrames = ({ frames, silent }: ReferenceSpeech): number =>
  frames - silent.reduce((sum, isSilent) => sum + isSilent, 0);
