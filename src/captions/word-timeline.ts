// When each word of a turn is spoken. Requests are exact (their samples are counted). Words inside one are where the
// aligner heard them; without one, or before it has heard anything, they are spread by weight over the request's length,
// over an estimate of it while its audio is still arriving. A word that was given out is final: later corrections move
// only the words after it; `words` and `lastBegun` give the best times that are known in the end.
//
//   request 0 ├─ exact ─┤ request 1 ├─ given ─┤┄┄ corrected while audio arrives ┄┄┤

import type { SpokenWord } from '../speech/spoken-word.ts';
import { WordDoubt } from './alignment/word-doubt.ts';
import type { WordEstimate } from './alignment/word-estimate.ts';
import { WordPlaces } from './word-places.ts';

export type TimedWord = SpokenWord & {
  readonly startMs: number;
  readonly endMs: number;
  /** The start is within so much of the true one, as a rule (19 of 20); undefined while nothing but weights tells it. */
  readonly withinMs?: number | undefined;
};

export type WordReader = {
  /** Words that begin before `untilMs` and were not read before. */
  read(untilMs: number): readonly TimedWord[];
  /** The last `count` words that were read, or as many as there are, where they are known best to be by now. */
  again(count: number): readonly TimedWord[];
};

const NONE: readonly TimedWord[] = [];

/** A word that is given out sooner than it was found is no more certain than that. */
const within = (withinMs: number | undefined, movedMs: number): number | undefined =>
  withinMs === undefined ? undefined : Math.max(withinMs, movedMs);

/** What a letter takes before the voice's own pace is known. */
export const GUESS_MS_PER_WEIGHT = 62;

/** One for each turn, asked at each frame that is sent. */
export class WordTimeline {
  private readonly places: WordPlaces;
  private readonly doubt: WordDoubt;
  private readonly given = { taken: 0, lastTakenMs: 0, takenUntilMs: 0, passedMs: 0 };
  /**
   * Nothing is taken until then; undefined: not known since something has changed. Frames ask far more often than words come.
   */
  private nextTakenMs: number | undefined;
  /** How many words had begun when that was asked last: a caller that asks often asks for the next ones. */
  private begun = 0;

  /** `guessMsPerWeight`: English at a normal speed takes 60–70 ms a letter. */
  constructor(guessMsPerWeight: number) {
    this.places = new WordPlaces(guessMsPerWeight, this.given);
    this.doubt = new WordDoubt(this.places);
  }

  /** Words of the next request, in order; before its audio there are `pauseMs` of silence. */
  addRequest(words: readonly SpokenWord[], pauseMs = 0): void {
    this.places.addRequest(words, pauseMs);
    this.nextTakenMs = undefined;
  }
  /** Audio of request `index` known so far; `complete` once its body has ended. */
  progress(index: number, knownMs: number, state: 'arriving' | 'complete'): void {
    if (this.places.progress(index, knownMs, state) === 'placed') this.nextTakenMs = undefined;
  }
  /** Where the words of request `index` are in its audio, as far as they have been heard. */
  align(index: number, estimate: WordEstimate): void {
    if (this.places.align(index, estimate) === 'placed') this.nextTakenMs = undefined;
  }
  /** The words of the last request where they are known best to be, ms of its own audio; `spokenMs`: there is no speech behind that. */
  lastRequest(spokenMs?: number): readonly TimedWord[] {
    if (spokenMs !== undefined) this.places.endSpeech(spokenMs);
    const { firstWord, fromMs } = this.places.lastRequest() ?? { firstWord: 0, fromMs: 0 };
    const words = this.best(firstWord, this.places.words.length());
    return words.map((word) => ({ ...word, startMs: word.startMs - fromMs, endMs: word.endMs - fromMs }));
  }
  /**
   * The last request says only its first `words` words, before its audio is `complete`; the next one says the rest. Words of the rest that were
   * given out are not given out again.
   */
  cutLast(words: number): void {
    this.places.cutLast(words);
    this.nextTakenMs = undefined;
    this.begun = Math.min(this.begun, this.places.words.length());
  }
  /** Words that may begin before `untilMs` and were not taken before. They are final from now on. */
  take(untilMs: number): readonly TimedWord[] {
    const { given, places } = this;
    given.passedMs = Math.max(given.passedMs, untilMs);
    this.nextTakenMs ??= this.dueMsOf(given.taken, given.lastTakenMs);
    if (this.nextTakenMs >= untilMs) return NONE;
    const due = this.dueFrom(given.taken, given.lastTakenMs, untilMs);
    this.nextTakenMs = undefined;
    given.taken += due.length;
    given.lastTakenMs = due.at(-1)!.startMs;
    const behindMs = given.taken < places.words.length() ? places.startMsOf(given.taken) : places.totalMs();
    given.takenUntilMs = Math.max(given.lastTakenMs, behindMs);
    return due;
  }
  /** Words for another reader, from the first one on: as `take`, but what it has been given settles nothing. */
  reader(): WordReader {
    let read = 0;
    let lastMs = 0;
    return {
      read: (untilMs) => {
        const given = this.dueFrom(read, lastMs, untilMs);
        read += given.length;
        lastMs = given.at(-1)?.startMs ?? lastMs;
        return given;
      },
      again: (count) => {
        const behind = Math.min(read, this.places.words.length());
        return this.best(Math.max(0, behind - count), behind);
      },
    };
  }
  /** All words, each where it is known best to be, whatever was taken before. */
  words(): TimedWord[] {
    return this.best(0, this.places.words.length());
  }
  private best(first: number, behind: number): TimedWord[] {
    const { startsMs, endsMs } = this.places.finalTimes(first, behind);
    return Array.from({ length: behind - first }, (_, at) => ({
      ...this.places.words.at(first + at),
      startMs: startsMs[at]!,
      endMs: endsMs[at]!,
      withinMs: this.doubt.withinOf(first + at),
    }));
  }
  /** The last word that has surely begun at `atMs`, by the best that is known. */
  lastBegun(atMs: number): SpokenWord | undefined {
    const { words } = this.places;
    while (this.begun > 0 && !this.hasBegun(this.begun - 1, atMs)) this.begun -= 1;
    while (this.begun < words.length() && this.hasBegun(this.begun, atMs)) this.begun += 1;
    return this.begun > 0 ? words.at(this.begun - 1) : undefined;
  }
  /** Where the last word that ends at or before `codePoint` of line `line` has been spoken; undefined while unknown. */
  endOf(line: number, codePoint: number): number | undefined {
    const { words } = this.places;
    // Words stand in the order of the text, so their ends do too.
    let last = -1;
    for (let after = words.length(); last + 1 < after; ) {
      const middle = (last + 1 + after) >> 1;
      if (words.isBehind(middle, line, codePoint)) after = middle;
      else last = middle;
    }
    if (last < 0) return words.length() > 0 ? 0 : undefined;
    if (last < words.length() - 1) return this.places.endMsOf(last);
    // After the last word there is the rest of its request, which is known only when it has ended.
    return this.places.isWhole() ? this.places.totalMs() : undefined;
  }
  /** Where the audio of all requests ends; exact where all of it has come. */
  totalMs(): number {
    return this.places.totalMs();
  }
  /** Milliseconds per unit of weight, learned from complete requests; the given guess before. */
  msPerWeight(): number {
    return this.places.msPerWeight();
  }
  /** Memory that its words take. */
  bytes(): number {
    return this.places.words.bytes();
  }

  private hasBegun(w: number, atMs: number): boolean {
    // What has been asked for begins behind what is there, and nothing of it may come.
    return this.places.hasSound(w) && this.places.startMsOf(w) + this.doubt.doubtOf(w) < atMs;
  }
  /** When word `w` may begin, told no earlier than `lastMs`; never, when there is none. */
  private dueMsOf(w: number, lastMs: number): number {
    if (w >= this.places.words.length()) return Number.POSITIVE_INFINITY;
    return this.doubt.mayBeginMs(w, Math.max(this.places.startMsOf(w), lastMs));
  }
  /** Words from `first` on that may begin before `untilMs`; what was given out stands, so none comes before `lastMs`. */
  private dueFrom(first: number, lastMs: number, untilMs: number): TimedWord[] {
    const { places, doubt } = this;
    const due: TimedWord[] = [];
    let startMs = lastMs;
    for (let w = first; w < places.words.length(); w += 1) {
      const bestMs = Math.max(places.startMsOf(w), startMs);
      const mayMs = doubt.mayBeginMs(w, bestMs);
      if (mayMs >= untilMs) break;
      startMs = Math.max(startMs, doubt.tellMs(w, bestMs, mayMs));
      const movedMs = bestMs - startMs;
      const endMs = Math.max(startMs, places.endMsOf(w) - movedMs);
      due.push({ ...places.words.at(w), startMs, endMs, withinMs: within(doubt.withinOf(w), movedMs) });
      const front = due.at(-2);
      if (front !== undefined && front.endMs > startMs) due[due.length - 2] = { ...front, endMs: startMs };
    }
    return due;
  }
}
