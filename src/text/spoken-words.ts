// Segments → the words a reader sees: split at white space, in scripts without spaces by the language's own
// words, each with its range in the caller's text and a weight for how long it takes to say.

import type { Segment } from './segment.ts';

export type SpokenWord = {
  readonly text: string;
  readonly line: number;
  readonly speaker: 1 | 2 | undefined;
  readonly charStart: number;
  readonly charEnd: number;
  /** About one unit a letter; digits take longer to say, ideographs longer still. */
  readonly weight: number;
  /** The pause that punctuation makes after the word, in the same units. */
  readonly pause: number;
};

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const SPOKEN = /[\p{L}\p{N}%€$£¥+=&@°]/u;
const DIGIT_WEIGHT = 4;
const IDEOGRAPH_WEIGHT = 3;
const LETTER_WEIGHT = 1;
/** Even the shortest word takes time to begin and to end. */
const WORD_WEIGHT = 1.5;
const SENTENCE_PAUSE = 5;
const CLAUSE_PAUSE = 2;

/** One code point of the segment with its place in the caller's text. */
type Point = { readonly character: string; readonly at: number };

const pointsOf = (segment: Segment): Point[] =>
  segment.runs.flatMap((run) =>
    [...run.text].map((character, index) => ({ character, at: run.start + index })),
  );

const weightOf = (text: string): number => {
  let weight = WORD_WEIGHT;
  for (const character of text) {
    if (/\p{N}/u.test(character)) weight += DIGIT_WEIGHT;
    else if (/\p{Script=Han}/u.test(character)) weight += IDEOGRAPH_WEIGHT;
    else if (SPOKEN.test(character)) weight += LETTER_WEIGHT;
  }
  return weight;
};

const pauseOf = (text: string): number => {
  if (/[.!?…。！？؟।]["'”’»)\]]*$/u.test(text)) return SENTENCE_PAUSE;
  return /[,;:—–،、，]["'”’»)\]]*$/u.test(text) ? CLAUSE_PAUSE : 0;
};

/** Lengths in code points of the pieces of a token that is written without spaces. */
const pieceLengths = (token: string): number[] =>
  [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(token)].map(
    (part) => [...part.segment].length,
  );

export function spokenWords(segments: readonly Segment[]): SpokenWord[] {
  const words: SpokenWord[] = [];
  for (const segment of segments) {
    const points = pointsOf(segment);
    const add = (from: number, to: number) => {
      const text = points
        .slice(from, to)
        .map((point) => point.character)
        .join('');
      const previous = words.at(-1);
      if (SPOKEN.test(text)) {
        words.push({
          text,
          line: segment.line,
          speaker: segment.speaker,
          charStart: points[from]!.at,
          charEnd: points[to - 1]!.at + 1,
          weight: weightOf(text),
          pause: pauseOf(text),
        });
      } else if (previous !== undefined && pauseOf(text) > previous.pause) {
        // A lone dash or a CJK stop is no word, but it is a pause.
        words[words.length - 1] = { ...previous, pause: pauseOf(text) };
      }
    };
    for (let from = 0; from < points.length; ) {
      if (/\s/u.test(points[from]!.character)) {
        from += 1;
        continue;
      }
      let to = from;
      while (to < points.length && !/\s/u.test(points[to]!.character)) to += 1;
      const token = points
        .slice(from, to)
        .map((point) => point.character)
        .join('');
      if (!UNSPACED.test(token)) add(from, to);
      else {
        let at = from;
        for (const length of pieceLengths(token)) {
          add(at, at + length);
          at += length;
        }
      }
      from = to;
    }
  }
  return words;
}
