// WebVTT that is read while it is made. A cue is written when the words behind it show where it ends, after a silence that is
// long enough, or when its turn is over; in any case once it has been on the screen for long enough or something else is
// said, for its end stands in it.

import { type Cue, type CueOptions, type CuesBefore, cuesSoFar, nothingBefore } from './caption-cues.ts';
import { QuotedLines } from './cue-tokens.ts';
import { vttCue } from './web-vtt.ts';
import type { TimedWord } from './word-timeline.ts';

/** Behind "WEBVTT" a header may say what it is (W3C WebVTT 4.1). */
export const VTT_HEADER = "WEBVTT - times count from the session's first audio\n\n";

/** After a silence as long as this nobody waits for the next word to end a cue. */
const PAUSE_MS = 700;

export type GrowingOptions = CueOptions & {
  /** Names the turn of the words: no cue has words of two. */
  readonly turn: string;
  /**
   * The last `count` words that were added, or as many as there are, where they are known best to be by now: a word is told
   * before its sound has come, and its cue is written seconds later.
   */
  readonly again?: ((count: number) => readonly TimedWord[]) | undefined;
};

export class GrowingVtt {
  private held: readonly TimedWord[] = [];
  private options: GrowingOptions = { turn: '', lines: [], nameOf: () => undefined };
  private before: CuesBefore = nothingBefore();
  private number = 0;
  private turnIs: 'going-on' | 'over' = 'going-on';
  /** When what is held can end, if nothing follows; undefined: not known since something has changed. */
  private wantedEndMs: number | undefined;

  /** Words of one turn, in order of time; answers with the cues that are whole now, each with an empty line behind it. */
  add(words: readonly TimedWord[], next: GrowingOptions): readonly string[] {
    const first = words[0];
    if (first === undefined) return [];
    const written: string[] = [];
    if (next.turn !== this.options.turn || this.turnIs === 'over') {
      written.push(...this.writeAll(first.startMs));
      this.before = { ...this.before, quoted: new QuotedLines() };
    }
    this.options = next;
    this.turnIs = 'going-on';
    this.held = [...this.held, ...words];
    this.timeAgain();
    written.push(...this.write(this.soFar(Number.POSITIVE_INFINITY).settled()));
    return written;
  }
  /** Nothing has come until `nowMs`: what has been silent for long enough, and can have been read, is whole. */
  pass(nowMs: number): readonly string[] {
    const last = this.held.at(-1);
    if (last === undefined || (this.turnIs === 'going-on' && nowMs < last.endMs + PAUSE_MS)) return [];
    this.wantedEndMs ??= this.soFar(Number.POSITIVE_INFINITY).wantedEndMs;
    if (nowMs < this.wantedEndMs) return [];
    if (this.turnIs === 'going-on') this.timeAgain();
    return this.writeAll(Number.POSITIVE_INFINITY);
  }
  /** A turn is over; words that begin at `heardMs` or later are never heard, and are not shown. */
  end(turn: string, heardMs: number): void {
    if (turn !== this.options.turn || this.turnIs === 'over') return;
    if (heardMs === Number.POSITIVE_INFINITY) this.timeAgain();
    this.held = this.held.filter((word) => word.startMs < heardMs);
    this.turnIs = 'over';
    this.wantedEndMs = undefined;
  }
  /** Nothing follows any more. */
  close(): readonly string[] {
    return this.writeAll(Number.POSITIVE_INFINITY);
  }

  /** Puts what is held where it is known best to be. */
  private timeAgain(): void {
    this.wantedEndMs = undefined;
    const best = this.options.again?.(this.held.length) ?? [];
    // Of what was sought past nothing more is known.
    const kept = this.held.length - best.length;
    const isSame = best.every(({ line, charStart }, at) => {
      const held = this.held[kept + at];
      return held?.line === line && held.charStart === charStart;
    });
    if (best.length > 0 && isSame) this.held = [...this.held.slice(0, kept), ...best];
  }
  private soFar(nextMs: number) {
    return cuesSoFar(this.held, this.options, this.before, nextMs);
  }
  private writeAll(nextMs: number): readonly string[] {
    return this.held.length === 0 ? [] : this.write(this.soFar(Math.max(nextMs, this.before.passedMs)).cues);
  }
  /** Cues of the first words that are held. */
  private write(cues: readonly Cue[]): readonly string[] {
    const last = cues.at(-1);
    if (last === undefined) return [];
    const shown = cues.reduce((sum, { words }) => sum + words, 0);
    const { speaker } = this.held[shown - 1]!;
    this.before = { ...this.before, speaker, passedMs: last.endMs };
    this.held = this.held.slice(shown);
    this.wantedEndMs = undefined;
    return cues.map((cue) => {
      this.number += 1;
      return `${vttCue(this.number, cue)}\n`;
    });
  }
}
