// WebVTT (W3C, "WebVTT: The Web Video Text Tracks Format") from timed words, and from chapters. A cue is what a reader
// takes in at a glance: at most two short lines, one speaker, ending where a sentence does.

import type { TimedWord } from './word-timeline.ts';

export type VttOptions = {
  /** The text of each line, as `TimedWord.line` counts them; cues quote it, with its punctuation. */
  readonly lines: readonly string[];
  /** Names for the voice tag; undefined: none. */
  readonly nameOf: (speaker: 1 | 2 | undefined) => string | undefined;
};

export type Chapter = { readonly title: string; readonly startMs: number; readonly endMs: number };

/** Two lines of 42 characters, as subtitles commonly have them. */
const MOST_CUE_CHARACTERS = 84;
const MOST_CUE_MS = 7000;
/** A pause as long as this is an end. */
const PAUSE_MS = 700;
const SENTENCE_END = /[.!?…。！？।۔؟။։።]["'”’»）)\]]*\s*$/u;

/** Letters between two words are the mark of a turn, or the address of a link; the signs are those of markup. */
const UNSPOKEN = /[\p{L}\p{N}*_#>`~|[\]\\]/u;

const two = (value: number) => String(value).padStart(2, '0');

/** `01:02:03.004`: hours are always there, which every reader of the format takes. */
export function vttTime(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const seconds = Math.floor(whole / 1000);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${clock}.${String(whole % 1000).padStart(3, '0')}`;
}

const escaped = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\s+/g, ' ').trim();

type Cue = { readonly words: TimedWord[]; readonly text: string };

function toCues(words: readonly TimedWord[], lines: readonly string[]): Cue[] {
  const points = lines.map((line) => [...line]);
  /** What stands between `word` and what follows it, or the end of its line: signs, but nothing that was not said. */
  const gapAfter = (word: TimedWord, next: TimedWord | undefined): string => {
    const end = next?.line === word.line ? next.charStart : undefined;
    const gap = (points[word.line] ?? []).slice(word.charEnd, end).join('');
    if (!UNSPOKEN.test(gap)) return gap;
    return /\s/.test(gap) ? ' ' : '';
  };
  const quote = (cue: readonly TimedWord[], next: TimedWord | undefined): string =>
    cue.map((word, index) => word.text + gapAfter(word, cue[index + 1] ?? next)).join('');
  const cues: Cue[] = [];
  let open: TimedWord[] = [];
  const close = (next: TimedWord | undefined) => {
    if (open.length > 0) cues.push({ words: open, text: quote(open, next) });
    open = [];
  };
  for (const word of words) {
    const first = open[0];
    const last = open.at(-1);
    if (first !== undefined && last !== undefined) {
      const isOver =
        word.line !== first.line ||
        word.speaker !== first.speaker ||
        word.charEnd - first.charStart > MOST_CUE_CHARACTERS ||
        word.endMs - first.startMs > MOST_CUE_MS ||
        word.startMs - last.endMs > PAUSE_MS ||
        SENTENCE_END.test(quote(open, word));
      if (isOver) close(word);
    }
    open.push(word);
  }
  close(undefined);
  return cues;
}

/** A whole caption file. Words in order of time; a cue never overlaps the next. */
export function captionsVtt(words: readonly TimedWord[], { lines, nameOf }: VttOptions): string {
  const cues = toCues(words, lines);
  let passedMs = 0;
  const blocks = cues.map(({ words: inCue, text }, index) => {
    // Words that take no time at all would put two cues in one place: the second waits for the first.
    const startMs = Math.max(passedMs, Math.round(inCue[0]!.startMs));
    const nextMs = Math.round(cues[index + 1]?.words[0]?.startMs ?? Number.POSITIVE_INFINITY);
    const endMs = Math.max(startMs + 1, Math.min(Math.round(inCue.at(-1)!.endMs), nextMs));
    passedMs = endMs;
    const name = nameOf(inCue[0]!.speaker);
    const voice = name === undefined ? '' : `<v ${escaped(name)}>`;
    return `${index + 1}\n${vttTime(startMs)} --> ${vttTime(endMs)}\n${voice}${escaped(text)}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

/** A chapter track of the same format. */
export function chaptersVtt(chapters: readonly Chapter[]): string {
  const blocks = chapters.map(
    ({ title, startMs, endMs }, index) =>
      `${index + 1}\n${vttTime(startMs)} --> ${vttTime(Math.max(startMs + 1, endMs))}\n${escaped(title)}\n`,
  );
  return ['WEBVTT\n', ...blocks].join('\n');
}
