// Timed words as caption cues, each short enough to be read at a glance. At most two short lines, one speaker, ending where a
// sentence or a paragraph does: a heading has no full stop. Every caption format is written from these, so that all of them
// show the same.

import type { TimedWord } from './word-timeline.ts';

export type CueOptions = {
  /** The text of each line, as `TimedWord.line` counts them; cues quote it, with its punctuation. */
  readonly lines: readonly string[];
  /** Names of the speakers, to be shown; undefined: none. */
  readonly nameOf: (speaker: 1 | 2 | undefined) => string | undefined;
};

export type Cue = {
  /** Whole milliseconds. A cue takes at least one of them and never overlaps the next. */
  readonly startMs: number;
  readonly endMs: number;
  /** On one line, not escaped. */
  readonly text: string;
  readonly name: string | undefined;
  /** How many of the words it shows. */
  readonly words: number;
};

/** Two lines of 42 characters, as subtitles commonly have them. */
const MAX_CUE_CHARACTERS = 84;
const MAX_CUE_MS = 7000;
/** A pause as long as this is an end. */
export const PAUSE_MS = 700;
/** An empty line. */
const PARAGRAPH_END = /\n[^\S\n]*\n/;
const SENTENCE_END = /[.!?…。！？।۔؟။։።]["'”’»）)\]]*\s*$/u;

/** Letters between two words are the mark of a turn, or the address of a link; the signs are those of markup. */
const UNSPOKEN = /[\p{L}\p{N}*_#>`~|[\]\\]/u;

const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

type Passage = { readonly words: TimedWord[]; readonly text: string };

function toPassages(words: readonly TimedWord[], lines: readonly string[]): Passage[] {
  const points = lines.map((line) => [...line]);
  const between = (word: TimedWord, next: TimedWord | undefined): string => {
    const end = next?.line === word.line ? next.charStart : undefined;
    return (points[word.line] ?? []).slice(word.charEnd, end).join('');
  };
  /** What stands between `word` and what follows it, or the end of its line: signs, but nothing that was not said. */
  const gapAfter = (word: TimedWord, next: TimedWord | undefined): string => {
    const gap = between(word, next);
    if (!UNSPOKEN.test(gap)) return gap;
    return /\s/.test(gap) ? ' ' : '';
  };
  const quote = (said: readonly TimedWord[], next: TimedWord | undefined): string =>
    said.map((word, index) => word.text + gapAfter(word, said[index + 1] ?? next)).join('');
  const passages: Passage[] = [];
  let open: TimedWord[] = [];
  const close = (next: TimedWord | undefined) => {
    if (open.length > 0) passages.push({ words: open, text: quote(open, next) });
    open = [];
  };
  for (const word of words) {
    const first = open[0];
    const last = open.at(-1);
    if (first !== undefined && last !== undefined) {
      const isOver =
        word.line !== first.line ||
        word.speaker !== first.speaker ||
        word.charEnd - first.charStart > MAX_CUE_CHARACTERS ||
        word.endMs - first.startMs > MAX_CUE_MS ||
        word.startMs - last.endMs > PAUSE_MS ||
        PARAGRAPH_END.test(between(last, word)) ||
        SENTENCE_END.test(quote(open, word));
      if (isOver) close(word);
    }
    open.push(word);
  }
  close(undefined);
  return passages;
}

/** Words in order of time. */
export function captionCues(words: readonly TimedWord[], { lines, nameOf }: CueOptions): Cue[] {
  const passages = toPassages(words, lines);
  let passedMs = 0;
  return passages.map((passage, index): Cue => {
    // Words that take no time at all would put two cues in one place: the second waits for the first.
    const startMs = Math.max(passedMs, Math.round(passage.words[0]!.startMs));
    const nextMs = Math.round(passages[index + 1]?.words[0]?.startMs ?? Number.POSITIVE_INFINITY);
    const endMs = Math.max(startMs + 1, Math.min(Math.round(passage.words.at(-1)!.endMs), nextMs));
    passedMs = endMs;
    const name = nameOf(passage.words[0]!.speaker);
    return {
      startMs,
      endMs,
      text: onOneLine(passage.text),
      name: name === undefined ? undefined : onOneLine(name),
      words: passage.words.length,
    };
  });
}

const two = (value: number) => String(value).padStart(2, '0');

/** `01:02:03.004`, with the mark given before the milliseconds. Hours are always there, which every reader takes. */
export function cueTime(ms: number, mark: '.' | ','): string {
  const whole = Math.max(0, Math.round(ms));
  const seconds = Math.floor(whole / 1000);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${clock}${mark}${String(whole % 1000).padStart(3, '0')}`;
}
