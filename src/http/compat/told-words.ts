// When the times of words are reported of a speech that is sent faster than it would play. A reported time is never
// changed, and the word timer works at its own pace: a word waits for it, but not for ever.

import type { TimedWord } from '../../captions/word-timeline.ts';
import type { BegunSpeech } from '../routes/speech-reply.ts';

export type ToldWords = {
  /** Words that can be reported now and were not reported before. */
  next(): TimedWord[];
  /** All that are left, once the audio has ended. */
  rest(): TimedWord[];
};

/** How far an estimated time may be off before the timer has found the word. */
const HEARD_WITHIN_MS = 250;
/** With this much audio after a word, the timer does not look for it any more. */
const MAX_BEHIND_MS = 10_000;
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
        if (!isHeard && startMs > audioMs - MAX_BEHIND_MS) break;
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
