// Where everything is in a finished file: the words of its parts, moved by what stands before each part.

import type { TimedWord } from '../captions/word-timeline.ts';
import type { Finished } from './audio-finisher.ts';
import type { SpokenPart } from './part-shelf.ts';

/** `places[i]` is where part `i` lies in the file; words are stretched to it, because codecs trim a part's ends. */
export function wordsInFile(parts: readonly SpokenPart[], places: Finished['places']): TimedWord[] {
  return parts.flatMap(({ words, audioMs }, index) => {
    const { startMs, endMs } = places[index]!;
    const scale = audioMs > 0 ? (endMs - startMs) / audioMs : 1;
    return words.map((word) => ({
      ...word,
      startMs: Math.round(startMs + word.startMs * scale),
      endMs: Math.round(startMs + word.endMs * scale),
    }));
  });
}
