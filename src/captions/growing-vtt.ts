// WebVTT that is read while it is made. A cue is written when it is complete: when the next word belongs to another cue,
// after a silence that is long enough to end a cue, or at the end of the turn.

import { type Cue, type CueOptions, captionCues, PAUSE_MS } from './caption-cues.ts';
import { vttCue } from './web-vtt.ts';
import type { TimedWord } from './word-timeline.ts';

/** Behind "WEBVTT" a header may say what it is (W3C WebVTT 4.1). */
export const VTT_HEADER = "WEBVTT - times count from the session's first audio\n\n";

/** Signs alone are no cue. */
const isSeen = ({ text }: Cue) => text !== '';

export class GrowingVtt {
  private held: readonly TimedWord[] = [];
  private options: CueOptions = { lines: [], nameOf: () => undefined };
  private number = 0;
  /** Where the last cue ended: a turn that was cut may have promised more than was heard. */
  private passedMs = 0;

  /** Words of one turn, in order of time; answers with the cues that are whole now, each with an empty line behind it. */
  add(words: readonly TimedWord[], next: CueOptions): readonly string[] {
    if (words.length === 0) return [];
    this.options = next;
    this.held = [...this.held, ...words];
    const cues = captionCues(this.held, this.options);
    const open = cues.at(-1)!.words;
    this.held = this.held.slice(this.held.length - open);
    return this.write(cues.slice(0, -1));
  }
  /** Nothing has come until `nowMs`: what has been silent for long enough is whole. */
  pass(nowMs: number): readonly string[] {
    const last = this.held.at(-1);
    return last === undefined || nowMs < last.endMs + PAUSE_MS ? [] : this.writeAll();
  }
  /** The turn is over; words that begin at `heardMs` or later are never heard, and are not shown. */
  end(heardMs: number): readonly string[] {
    this.held = this.held.filter((word) => word.startMs < heardMs);
    return this.writeAll();
  }

  private writeAll(): readonly string[] {
    const cues = captionCues(this.held, this.options);
    this.held = [];
    return this.write(cues);
  }
  private write(cues: readonly Cue[]): readonly string[] {
    return cues.filter(isSeen).map((cue) => {
      const startMs = Math.max(cue.startMs, this.passedMs);
      const endMs = Math.max(cue.endMs, startMs + 1);
      this.passedMs = endMs;
      this.number += 1;
      return `${vttCue(this.number, { ...cue, startMs, endMs })}\n`;
    });
  }
}
