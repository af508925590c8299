// WebVTT (W3C, "WebVTT: The Web Video Text Tracks Format") from timed words, and from chapters.

import { type Cue, type CueOptions, type CuePart, captionCues, cueTime } from './caption-cues.ts';
import type { TimedWord } from './word-timeline.ts';

export type Chapter = { readonly title: string; readonly startMs: number; readonly endMs: number };

const escaped = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\s+/g, ' ').trim();

export const vttTime = (ms: number): string => cueTime(ms, '.');

const voiced = ({ name, hasDash, lines }: CuePart, end: '</v>' | ''): string => {
  const text =
    (hasDash ? '- ' : '') +
    lines
      .filter((line) => line !== '')
      .map(escaped)
      .join('\n');
  return name === undefined ? text : `<v ${escaped(name)}>${text}${end}`;
};

/**
 * One cue; names are voice spans, which may stay open where there is one only (4.2.2). A change between voices without names is
 * marked by a dash, as are the two of a cue that they share. An empty line goes between two cues.
 */
export function vttCue(number: number, { startMs, endMs, parts }: Cue): string {
  const text = parts.map((part) => voiced(part, parts.length > 1 ? '</v>' : '')).join('\n');
  return `${number}\n${vttTime(startMs)} --> ${vttTime(endMs)}\n${text}\n`;
}

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
