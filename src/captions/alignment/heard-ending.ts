// What the end of a speech sounds like: compared with a reference of the same text, whether it has reached the end of that
// text; and by its level alone, whether it faded or broke off. Measures only; what follows from them is decided by
// `pipeline/whole-body/ending-verdict.ts`.

import { REFERENCE_PAUSE, type ReferenceSpeech } from './reference-speech.ts';
import { CEPSTRA, FRAME_MS, framesIn } from './speech-features.ts';
import { DIMENSIONS } from './speech-vectors.ts';
import type { WordEstimate } from './word-estimate.ts';

export type HeardEnding = {
  /**
   * What it costs more to have come to the end of the text than to be where the speech fits best, in units of the search (a
   * frame of speech costs 4 to 12). About 0 where all was said, 20 and more for each word that is missing; infinite where
   * no path has come near the end.
   */
  readonly missingCost: number;
  /**
   * What the speech costs beside the reference, to what it costs beside the same reference in another order: 0.4 to 0.9
   * where the reference says what was said, about 1 where it says something else. Undefined: not looked for.
   */
  readonly mismatch: number | undefined;
  /** Speech that was heard, without pauses, ms: the mismatch of a short one means little. */
  readonly spokenMs: number;
  /** `spokenMs` to that of the whole reference at the tempo asked for. */
  readonly lengthRatio: number;
  /** Silence behind the last sound, ms. */
  readonly silentMs: number;
  readonly kind: SoundEnding['kind'];
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

/** Below the loudest frame by so much, in nats of energy, there is no speech: 30 dB. */
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
 * The same sounds of the same voice in other orders, which say nothing of the text: from the end to the beginning, and with
 * the second half before the first. What fits these as well as the reference is not speech of its text.
 */
export const disorderedReferences = (reference: ReferenceSpeech): readonly ReferenceSpeech[] => {
  const last = reference.frames - 1;
  const half = reference.frames >> 1;
  return [
    reordered(reference, (frame) => last - frame, -1),
    reordered(reference, (frame) => (frame + half) % reference.frames, 1),
  ];
};

/** `from`: which frame of the reference stands at a place; `direction`: of time, with which slopes change their sign. */
function reordered(
  reference: ReferenceSpeech,
  from: (frame: number) => number,
  direction: 1 | -1,
): ReferenceSpeech {
  const { frames } = reference;
  const features = new Float32Array(reference.features.length);
  const pausing = new Uint8Array(frames + 1);
  const silent = new Uint8Array(frames);
  for (let frame = 0; frame < frames; frame += 1) {
    const at = from(frame);
    for (let c = 0; c < CEPSTRA; c += 1) {
      features[frame * DIMENSIONS + c] = reference.features[at * DIMENSIONS + c]!;
      features[frame * DIMENSIONS + CEPSTRA + c] =
        direction * reference.features[at * DIMENSIONS + CEPSTRA + c]!;
    }
    pausing[frame] = reference.pausing[at]!;
    silent[frame] = reference.silent[at]!;
  }
  pausing[0] = REFERENCE_PAUSE;
  pausing[frames] = REFERENCE_PAUSE;
  // It has no words: only the cost of aligning speech to it is asked for.
  return { ...reference, features, pausing, silent, wordBack: new Uint16Array(frames + 1) };
}

/** Frames of a reference that hold speech. */
export const spokenFrames = ({ frames, silent }: ReferenceSpeech): number =>
  frames - silent.reduce((sum, isSilent) => sum + isSilent, 0);
