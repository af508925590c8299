// When the words of a speech are told that goes out faster than it would play. What was told once stands, and whoever finds
// the words in the audio works at his own pace: a word waits for him, but not for ever.

import type { TimedWord } from '../../captions/word-timeline.ts';
import type { BegunSpeech } from '../routes/speech-reply.ts';

export type ToldWords = {
  /** Those that can be told now and were not told before. */
  next(): TimedWord[];
  /** All that are left, once the audio has ended. */
  rest(): TimedWord[];
};

/** A word that was not heard yet is no surer than this. */
const HEARD_WITHIN_MS = 250;
/** So much audio behind a word, nobody listens for it any more. */
const MOST_BEHIND_MS = 10_000;
/** Asking costs time for every word of the speech. */
const ASK_EVERY_MS = 1000;

export function createToldWords(speech: Pick<BegunSpeech, 'audioMs' | 'words'>): ToldWords {
  let told = 0;
  let lastMs = 0;
  let askedAtMs = 0;
  const tell = (words: readonly TimedWord[]): TimedWord[] =>
    words.map((word) => {
      lastMs = Math.max(lastMs, word.startMs);
      return { ...word, startMs: lastMs, endMs: Math.max(lastMs, word.endMs) };
    });
  return {
    next() {
      const audioMs = speech.audioMs();
      if (audioMs < askedAtMs + ASK_EVERY_MS) return [];
      askedAtMs = audioMs;
      const from = told;
      const words = speech.words();
      for (; told < words.length; told += 1) {
        const { startMs, endMs, withinMs = Number.POSITIVE_INFINITY } = words[told]!;
        const isHeard = withinMs < HEARD_WITHIN_MS && endMs <= audioMs;
        if (!isHeard && startMs > audioMs - MOST_BEHIND_MS) break;
      }
      return tell(words.slice(from, told));
    },
    rest() {
      const words = speech.words().slice(told);
      told += words.length;
      return tell(words);
    },
  };
}
