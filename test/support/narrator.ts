// A speech service that says each sentence in a sound of its own, the same wherever it stands in a request, and what a
// listener is to hear of a text: whatever is paused, sought and cut, it can be held against the whole.

import { type LiveSession, type LiveSessionOptions, startSession } from './live-session.ts';
import { atOnce } from './memory-upstream.ts';
import { toneMp3 } from './tone-speech.ts';

const hash = (text: string): number =>
  [...text].reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) >>> 0, 7);

const soundOfSentence = (sentence: string): Uint8Array => {
  const number = hash(sentence.trim());
  return toneMp3(300 + 100 * (number % 13), 240 + 48 * ((number >>> 5) % 5));
};

/** What is said for the text of a request. */
export const soundOf = (text: string): Uint8Array => {
  const sentences = text.split('.').filter((each) => each.trim() !== '');
  return Uint8Array.from(sentences.flatMap((sentence) => [...soundOfSentence(sentence)]));
};
const sayEach = atOnce(soundOf);

/** `sentences` per paragraph; `words` more in each make a text long without making its sound longer. */
export const bookOf = (paragraphs: number, sentences = 2, words = 0): string[] =>
  Array.from({ length: paragraphs }, (_, p) =>
    Array.from(
      { length: sentences },
      (_each, s) => `Paragraph ${p} says sentence ${s}${' and more'.repeat(words)}.`,
    ).join(' '),
  );

export const startNarration = (options: LiveSessionOptions = {}): LiveSession =>
  startSession({ auto: sayEach, ...options });

const known = new Map<string, Promise<Uint8Array>>();

/** All that is heard of `text` when nobody interferes, µ-law. */
export const wholeOf = (text: string, preset: LiveSessionOptions['preset'] = {}): Promise<Uint8Array> => {
  const key = JSON.stringify([text, preset]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = (async () => {
    const live = startNarration({ preset: { ...preset, pace: 'burst' } });
    live.send({ type: 'speak', turn: 'w', text, seed: 1 });
    for (let n = 0; n < 400 && live.said('ended').length === 0; n += 1) await live.run(100);
    return live.audioOf('w');
  })();
  known.set(key, made);
  return made;
};
