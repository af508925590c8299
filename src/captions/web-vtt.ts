// WebVTT (W3C, "WebVTT: The Web Video Text Tracks Format") from timed words, and from chapters.

import { type Cue, type CueOptions, captionCues, cueTime } from './caption-cues.ts';
import type { TimedWord } from './word-timeline.ts';

export type Chapter = { readonly title: string; readonly startMs: number; readonly endMs: number };

const escaped = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\s+/g, ' ').trim();

export const vttTime = (ms: number): string => cueTime(ms, '.');

/** One cue; names are voice tags. An empty line goes between two of them. */
export function vttCue(number: number, { startMs, endMs, text, name }: Cue): string {
  const voice = name === undefined ? '' : `<v ${escaped(name)}>`;
  return `${number}\n${vttTime(startMs)} --> ${vttTime(endMs)}\n${voice}${escaped(text)}\n`;
}

/** A whole caption file; names are voice tags. Words in order of time; a cue never overlaps the next. */
export function captionsVtt(words: readonly TimedWord[], options: CueOptions): string {
  const blocks = captionCues(words, options).map((cue, index) => vttCue(index + 1, cue));
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
