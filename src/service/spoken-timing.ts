// Where everything is in a finished file: the words of its parts and who spoke, moved by what stands before each part.

import type { TimedWord } from '../captions/word-timeline.ts';
import type { ServedBy } from '../pipeline/speech-services.ts';
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

/** As `wordsInFile`; neighbours that one service spoke in one voice are one. Undefined where it is not known of a part. */
export function servedByInFile(
  parts: readonly SpokenPart[],
  places: Finished['places'],
): readonly ServedBy[] | undefined {
  const joined: ServedBy[] = [];
  for (const [index, { servedBy, audioMs }] of parts.entries()) {
    if (servedBy === undefined) return undefined;
    const { startMs, endMs } = places[index]!;
    const scale = audioMs > 0 ? (endMs - startMs) / audioMs : 1;
    for (const each of servedBy) {
      const fromMs = Math.round(startMs + each.fromMs * scale);
      const toMs = Math.round(startMs + each.toMs * scale);
      const before = joined.at(-1);
      const isSame = before?.upstream === each.upstream && before.voice === each.voice;
      if (before !== undefined && isSame) joined[joined.length - 1] = { ...before, toMs };
      else joined.push({ ...each, fromMs, toMs });
    }
  }
  return joined;
}
