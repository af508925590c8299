// SubRip (.srt) from timed words. It has no specification; this is what its readers agree on: numbered cues, a comma before
// the milliseconds, a blank line after each cue.

import { type CueOptions, type CuePart, captionCues, cueTime } from './caption-cues.ts';
import type { TimedWord } from './word-timeline.ts';

/**
 * SubRip knows no escapes: a reader shows `&lt;` as it is, and takes `<i>` or `{\\an8}` for styling. A joiner that cannot be
 * seen behind the bracket keeps the text as it was written, and keeps `-->` from being a line of times.
 */
const WORD_JOINER = '\u2060';
const shown = (text: string) =>
  text
    .replace(/<(?=[/a-z])/gi, `<${WORD_JOINER}`)
    .replace(/\{(?=\\)/g, `{${WORD_JOINER}`)
    .replace(/--(?=>)/g, `--${WORD_JOINER}`);

const shownPart = ({ name, isNew, hasDash, lines }: CuePart): string => {
  const prefix = (hasDash ? '- ' : '') + (isNew && name !== undefined ? `${name}: ` : '');
  return shown((prefix + lines.join('\n')).replace(/ \n/, '\n'));
};

/**
 * A whole caption file, empty without words. When the speaker changes, the name stands before the first words, or a dash where
 * there are no names.
 */
export function captionsSrt(words: readonly TimedWord[], options: CueOptions): string {
  return captionCues(words, options)
    .map(({ startMs, endMs, parts }, index) => {
      const text = parts.map(shownPart).join('\n');
      return `${index + 1}\n${cueTime(startMs, ',')} --> ${cueTime(endMs, ',')}\n${text}\n`;
    })
    .join('\n');
}
