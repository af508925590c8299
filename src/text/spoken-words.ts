// Segments → the words a reader sees: split at white space or the Ethiopic word mark, in scripts without spaces by
// the language's own words, each with its range in the caller's text and a weight for how long it takes to say.

import type { SpokenWord } from '../speech/spoken-word.ts';
import { characterTest, isUnspaced, isWhite } from './character-class.ts';
import type { Segment } from './segment.ts';

/** Letters, numbers, and signs that are said: of arithmetic and of currencies, and others that stand for a word. */
const SPOKEN = /[\p{L}\p{N}\p{Sm}\p{Sc}%‰&@°*#/\\^§]/u;
const WORDS = new Intl.Segmenter('und', { granularity: 'word' });
const ETHIOPIC_WORD_MARK = '፡';
/**
 * What a character takes to say, in Latin letters; the first that fits. A spoken syllable is two or three of them: all
 * of it stands in a Han or Hangul character, its vowel often in an Indic consonant, and seldom in an Arabic letter.
 */
const WEIGHTS: readonly (readonly [RegExp, number])[] = [
  [/^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}]$/u, 1],
  [/^\p{N}$/u, 4],
  [/^\p{sc=Han}$/u, 3],
  [/^\p{sc=Hangul}$/u, 2.2],
  [/^[\p{sc=Hiragana}\p{sc=Katakana}ー]$/u, 2],
  [/^\p{sc=Ethiopic}$/u, 2],
  // A virama takes the vowel of the consonant before it away.
  [/^[्্]$/u, -0.75],
  [/^[\p{sc=Devanagari}\p{sc=Bengali}]$/u, 1.75],
  [/^[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Thai}]$/u, 1.3],
];
const SIGN_WEIGHT = 0.25;
const LETTER_WEIGHT = 1;
/** Even the shortest word takes time to begin and to end, where words are set apart. */
const WORD_WEIGHT = 1.5;
const SENTENCE_PAUSE = 5;
const CLAUSE_PAUSE = 2;

/** The code points of a segment, and the place of each in the caller's text. */
type Points = { readonly characters: readonly string[]; readonly places: readonly number[] };

function pointsOf(segment: Segment): Points {
  const characters: string[] = [];
  const places: number[] = [];
  for (const run of segment.runs) {
    let at = run.start;
    for (const character of run.text) {
      characters.push(character);
      places.push(at++);
    }
  }
  return { characters, places };
}

const weigh = (character: string): number => {
  const weight = WEIGHTS.find(([script]) => script.test(character))?.[1];
  // Vowel signs and accents, but for the virama, add to a letter; they are no syllable of their own.
  if (/^\p{M}$/u.test(character)) return Math.min(weight ?? SIGN_WEIGHT, SIGN_WEIGHT);
  if (weight !== undefined) return weight;
  return SPOKEN.test(character) ? LETTER_WEIGHT : 0;
};

/** A cache: a text is made of few different characters, and a long one is processed while other sessions play. */
const MAX_REMEMBERED = 4096;
const remembered = new Map<string, number>();

function weightOfCharacter(character: string): number {
  let weight = remembered.get(character);
  if (weight === undefined) {
    weight = weigh(character);
    if (remembered.size < MAX_REMEMBERED) remembered.set(character, weight);
  }
  return weight;
}

function weightOf(text: string): number {
  let weight = 0;
  let hasUnspaced = false;
  for (const character of text) {
    weight += weightOfCharacter(character);
    hasUnspaced ||= isUnspaced(character);
  }
  return hasUnspaced ? weight : weight + WORD_WEIGHT;
}

const pauseOf = (text: string): number => {
  if (/[.!?…。｡！？؟۔।॥።፧]["'”’»)\]」』]*$|፡፡$/u.test(text)) return SENTENCE_PAUSE;
  return /[,;:—–،؛、，､；：፣፤፥]["'”’»)\]]*$/u.test(text) ? CLAUSE_PAUSE : 0;
};

/** What follows a word without a space and belongs to it. */
const isTrail = characterTest(/^[\p{Pe}\p{Pf}\p{Po}]$/u);
const isMark = characterTest(/^\p{M}$/u);

/** The end of the run at `from` that is either of letters without spaces (and their signs) or of anything else. */
function stretchEnd(characters: readonly string[], from: number, unspaced: boolean): number {
  let to = from;
  while (to < characters.length) {
    const character = characters[to]!;
    if (
      to > from &&
      !unspaced &&
      characters[to - 1] === ETHIOPIC_WORD_MARK &&
      character !== ETHIOPIC_WORD_MARK
    )
      return to;
    const isSign = unspaced && to > from && isMark(character);
    if (!isSign && isUnspaced(character) !== unspaced) return to;
    to += 1;
  }
  return to;
}

/** Lengths in code points of the words of a token and of the punctuation between them. */
function pieceLengths(characters: readonly string[]): number[] {
  const lengths: number[] = [];
  for (let from = 0; from < characters.length; ) {
    const unspaced = isUnspaced(characters[from]!);
    const to = stretchEnd(characters, from, unspaced);
    if (unspaced)
      for (const { segment } of WORDS.segment(characters.slice(from, to).join('')))
        lengths.push([...segment].length);
    else {
      let word = from;
      while (from > 0 && word < to && isTrail(characters[word]!)) word += 1;
      lengths.push(word - from, to - word);
    }
    from = to;
  }
  return lengths.filter((length) => length > 0);
}

export function spokenWords(segments: readonly Segment[]): SpokenWord[] {
  const words: SpokenWord[] = [];
  for (const segment of segments) {
    const { characters, places } = pointsOf(segment);
    const firstOfSegment = words.length;
    const add = (from: number, to: number) => {
      const text = characters.slice(from, to).join('');
      const previous = words.at(-1);
      if (SPOKEN.test(text)) {
        words.push({
          text,
          line: segment.line,
          speaker: segment.speaker,
          charStart: places[from]!,
          charEnd: places[to - 1]! + 1,
          weight: weightOf(text),
          pause: pauseOf(text),
        });
      } else if (previous !== undefined && pauseOf(text) > previous.pause) {
        // A lone dash or a CJK stop is no word, but it is a pause.
        words[words.length - 1] = { ...previous, pause: pauseOf(text) };
      }
    };
    for (let from = 0; from < characters.length; ) {
      if (isWhite(characters[from]!)) {
        from += 1;
        continue;
      }
      let to = from;
      while (to < characters.length && !isWhite(characters[to]!)) to += 1;
      for (const length of pieceLengths(characters.slice(from, to))) {
        add(from, from + length);
        from += length;
      }
    }
    // A dot that did not end its segment belongs to an abbreviation: nobody pauses there.
    for (let w = firstOfSegment; w < words.length - 1; w += 1) {
      if (/\.["'”’»)\]]*$/u.test(words[w]!.text)) words[w] = { ...words[w]!, pause: 0 };
    }
  }
  return words;
}
