// The text of one request as it is said, and where in it each of the caller's words begins: the input for finding the words
// in an audio. Pure.

import type { SpokenWord } from '../speech/spoken-word.ts';
import { codePointLength } from './code-points.ts';
import type { RequestText } from './request-text.ts';
import type { Segment } from './segment.ts';
import { type MappedText, mapText } from './spoken-form/mapped-text.ts';

export type AlignedText = {
  /** What goes upstream, turn prefixes included. */
  readonly text: string;
  readonly turnPrefix: string | undefined;
  readonly turnPrefix2: string | undefined;
  /** For each of the caller's words the code point of `text` at which it begins, rising. */
  readonly wordAt: readonly number[];
  /** What each word takes to say, and the pause behind it, as `SpokenWord` has them. */
  readonly weights: readonly number[];
  readonly pauses: readonly number[];
};

/**
 * Gives the code point of a segment's own text that stands at code point `position` of the caller's. Asked for rising
 * positions, it looks at each run once.
 */
class RisingPlaces {
  private readonly runs: Segment['runs'];
  private run = 0;
  private length: number;
  private before = 0;

  constructor({ runs }: Segment) {
    this.runs = runs;
    this.length = codePointLength(runs[0]?.text ?? '');
  }

  find(position: number): number | undefined {
    for (let run = this.runs[this.run]; run !== undefined; run = this.runs[this.run]) {
      if (position < run.start) return undefined;
      if (position < run.start + this.length) return this.before + position - run.start;
      this.before += this.length;
      this.run += 1;
      this.length = codePointLength(this.runs[this.run]?.text ?? '');
    }
    return undefined;
  }
}

/** The first code point of the mapped text that came from `source` or from behind it. */
function firstFrom(mapped: MappedText, length: number, source: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (mapped.sourceOf(middle).end > source) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * `words` are those of the request's segments, in order. `said` is what is sent for the request's text where
 * that differs from it, mapped to it.
 */
export function alignedText(
  { text, parts, turnPrefix, turnPrefix2 }: RequestText,
  words: readonly Pick<SpokenWord, 'line' | 'charStart' | 'weight' | 'pause'>[],
  said: MappedText = mapText(text),
): AlignedText {
  const isSame = said.text === text;
  const saidLength = codePointLength(said.text);
  let part = 0;
  let partStart = parts.length === 0 ? 0 : codePointLength(text.slice(0, parts[0]!.textStart));
  let last = 0;
  let places = parts[0] && new RisingPlaces(parts[0].segment);
  const wordAt = words.map((word) => {
    for (; part < parts.length; part += 1) {
      const { segment, textStart } = parts[part]!;
      const place = segment.line === word.line ? places?.find(word.charStart) : undefined;
      if (place !== undefined) {
        const at = partStart + place;
        last = Math.max(last, isSame ? at : firstFrom(said, saidLength, at));
        return last;
      }
      const next = parts[part + 1]?.textStart;
      if (next !== undefined) places = new RisingPlaces(parts[part + 1]!.segment);
      if (next !== undefined) partStart += codePointLength(text.slice(textStart, next));
    }
    return last;
  });
  return {
    text: said.text,
    turnPrefix,
    turnPrefix2,
    wordAt,
    weights: words.map(({ weight }) => weight),
    pauses: words.map(({ pause }) => pause),
  };
}
