// WebVTT that is read while it is made. A cue is written when it is known to be whole: when a word follows it that belongs
// to the next one, when nothing has been said for as long as ends one, or at the end of the turn.

import { type Cue, type CueOptions, captionCues, PAUSE_MS } from './caption-cues.ts';
import { vttCue } from './web-vtt.ts';
import type { TimedWord } from './word-timeline.ts';

export type GrowingVtt = {
  /** Words of one turn, in order of time; answers with the cues that are whole now, each with an empty line behind it. */
  add(words: readonly TimedWord[], options: CueOptions): readonly string[];
  /** Nothing has come until `nowMs`: what has been silent for long enough is whole. */
  pass(nowMs: number): readonly string[];
  /** The turn is over; words that begin at `heardMs` or later are never heard, and are not shown. */
  end(heardMs: number): readonly string[];
};

/** Behind "WEBVTT" a header may say what it is (W3C WebVTT 4.1). */
export const VTT_HEADER = "WEBVTT - times count from the session's first audio\n\n";

export function createGrowingVtt(): GrowingVtt {
  let held: readonly TimedWord[] = [];
  let options: CueOptions = { lines: [], nameOf: () => undefined };
  let number = 0;
  /** Where the last cue ended: a turn that was cut may have promised more than was heard. */
  let passedMs = 0;

  const write = (cue: Cue): string => {
    const startMs = Math.max(cue.startMs, passedMs);
    const endMs = Math.max(cue.endMs, startMs + 1);
    passedMs = endMs;
    number += 1;
    return `${vttCue(number, { ...cue, startMs, endMs })}\n`;
  };
  /** Signs alone are no cue. */
  const isSeen = ({ text }: Cue) => text !== '';
  const writeAll = (): readonly string[] => {
    const cues = captionCues(held, options);
    held = [];
    return cues.filter(isSeen).map(write);
  };

  return {
    add(words, next) {
      if (words.length === 0) return [];
      options = next;
      held = [...held, ...words];
      const cues = captionCues(held, options);
      const open = cues.at(-1)!.words;
      held = held.slice(held.length - open);
      return cues.slice(0, -1).filter(isSeen).map(write);
    },
    pass(nowMs) {
      const last = held.at(-1);
      return last === undefined || nowMs < last.endMs + PAUSE_MS ? [] : writeAll();
    },
    end(heardMs) {
      held = held.filter((word) => word.startMs < heardMs);
      return writeAll();
    },
  };
}
