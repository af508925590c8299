// What is heard, sentence by sentence, for a reader that cannot follow single words: a screen reader or a braille line. A
// sentence is told once its last word has begun; one that is very long is told in parts.

import type { TrackedWord } from './caption-track.ts';

export type SpokenSentences = {
  /**
   * Sentences that are complete since the last call. `begun`: words of `words` that have begun; `state`: whether more may
   * come, or what is left is the end. Costs nothing while no further word has begun.
   */
  take(
    lines: readonly { readonly text: string }[],
    words: readonly TrackedWord[],
    begun: number,
    state: 'going-on' | 'over',
  ): readonly string[];
};

const SENTENCE_END = /[.!?…。！？।؟]["'”’»)\]」』]*$/u;
const CLAUSE_END = /[,;:—、，；：]["'”’»)\]」』]*$/u;
/** Signs after which more would come. */
const OPEN_END = /[\s,;:—–、，；：-]/u;
/** Punctuation behind a word belongs to it. */
const CLOSING = /[^\p{L}\p{N}\s]/u;
/** From so many characters on a clause is enough, and from so many anything is. */
const LONG = 120;
const TOO_LONG = 220;

export const isSentenceEnd = (text: string): boolean => SENTENCE_END.test(text);

/** `text` as a sentence that is read out inside another one: it ends with one sign, whatever it was cut behind. */
export function asSentence(text: string): string {
  const whole = text.trim();
  if (SENTENCE_END.test(whole)) return whole;
  let end = whole.length;
  while (end > 0 && OPEN_END.test(whole[end - 1]!)) end -= 1;
  return `${whole.slice(0, end)}.`;
}

export function createSpokenSentences(): SpokenSentences {
  /** The first word that has not been told, and how many have been looked at. */
  let first = 0;
  let looked = 0;
  /** A place in a line, in code points and in UTF-16 units: places are asked for in their order, so each is near. */
  let at = { line: 0, points: 0, units: 0 };

  function unitsAt(text: string, line: number, points: number): number {
    if (at.line !== line || points < at.points) at = { line, points: 0, units: 0 };
    while (at.points < points && at.units < text.length) {
      at.units += text.codePointAt(at.units)! > 0xffff ? 2 : 1;
      at.points += 1;
    }
    return at.units;
  }

  /** From word `from` to the end of word `to`, of one line, as it is written. */
  function written(lines: readonly { readonly text: string }[], from: TrackedWord, to: TrackedWord): string {
    const text = lines[from.line]?.text ?? '';
    const start = unitsAt(text, from.line, from.charStart);
    let end = unitsAt(text, to.line, to.charEnd);
    while (end < text.length && CLOSING.test(text[end]!)) end += 1;
    const sentence = text.slice(start, end).replace(/\s+/g, ' ');
    // What comes next begins behind here, and not before.
    at = { line: from.line, points: from.charStart, units: start };
    return sentence;
  }

  return {
    take(lines, words, begun, state) {
      if (begun < looked) {
        // Another paragraph is heard: what stands there is told from there on.
        first = Math.min(first, begun);
        looked = begun;
      }
      const told: string[] = [];
      for (; looked < begun; looked++) {
        const word = words[looked]!;
        if (first < looked && words[first]!.line !== word.line) {
          told.push(written(lines, words[first]!, words[looked - 1]!));
          first = looked;
        }
        const sentence = written(lines, words[first]!, word);
        const isLong = sentence.length > LONG && CLAUSE_END.test(sentence);
        if (!isLong && !SENTENCE_END.test(sentence) && sentence.length < TOO_LONG) continue;
        told.push(sentence);
        first = looked + 1;
      }
      if (state === 'over' && first < looked) {
        told.push(written(lines, words[first]!, words[looked - 1]!));
        first = looked;
      }
      return told;
    },
  };
}
