// Where each word of a turn is in its audio, by the best that is known: as it was heard, or spread by weight over its request.
// Words that have been given out do not move; the words after them share the time that is left.

import type { SpokenWord } from '../speech/spoken-word.ts';
import type { KnownWords } from './alignment/word-doubt.ts';
import type { WordEstimate } from './alignment/word-estimate.ts';
import { PackedWords } from './packed-words.ts';

/** What has been given out; times are ms of the turn. */
export type GivenWords = {
  readonly taken: number;
  /** Of the last word that was taken: its start, and where it was then thought to end. */
  readonly lastTakenMs: number;
  readonly takenUntilMs: number;
  /** How far the audio has been passed. */
  readonly passedMs: number;
};

type Request = {
  readonly firstWord: number;
  weight: number;
  readonly pauseMs: number;
  knownMs: number;
  complete: boolean;
  estimate: WordEstimate | undefined;
  soundMs: number | undefined;
  /** Words that had been given out before, as those of a request that was cut. */
  readonly toldBefore: number;
};

/** One for each turn. Times are ms of the turn. */
export class WordPlaces implements KnownWords {
  readonly words = new PackedWords();
  private readonly given: GivenWords;
  private readonly requests: Request[] = [];
  private pace: number;

  /** `guessMsPerWeight`: the pace before any request is complete. */
  constructor(guessMsPerWeight: number, given: GivenWords) {
    this.pace = guessMsPerWeight;
    this.given = given;
  }

  addRequest(added: readonly SpokenWord[], pauseMs: number): void {
    const request: Request = {
      firstWord: this.words.length(),
      weight: added.reduce((sum, word) => sum + word.weight + word.pause, 0),
      pauseMs,
      knownMs: 0,
      complete: false,
      estimate: undefined,
      soundMs: undefined,
      toldBefore: Math.max(0, this.given.taken - this.words.length()),
    };
    this.requests.push(request);
    this.words.add(added);
    this.placeFrom(this.requests.length - 1);
  }
  /** As `align`, answers whether words have been placed anew. */
  progress(index: number, knownMs: number, state: 'arriving' | 'complete'): 'placed' | 'as-before' {
    const request = this.requests[index];
    if (request === undefined || request.complete) return 'as-before';
    const before = this.lengthOf(request);
    request.knownMs = knownMs;
    request.complete = state === 'complete';
    if (request.complete && request.weight >= 20 && knownMs > 0) this.pace = knownMs / request.weight;
    if (this.lengthOf(request) === before && !request.complete) return 'as-before';
    this.placeFrom(index);
    return 'placed';
  }
  align(index: number, estimate: WordEstimate): 'placed' | 'as-before' {
    const request = this.requests[index];
    if (request === undefined) return 'as-before';
    request.estimate = estimate;
    this.placeFrom(index);
    return 'placed';
  }
  /** The last request is over after its first `count` words: the next one says the others, those among them that have been given out, too. */
  cutLast(count: number): void {
    const { words } = this;
    const request = this.requests.at(-1);
    if (request === undefined) return;
    const end = request.firstWord + count;
    if (end >= words.length()) return;
    for (let w = end; w < words.length(); w += 1) request.weight -= words.spanOf(w);
    words.cutTo(end);
    this.placeFrom(this.requests.length - 1);
  }
  /** Of the last request's audio no more than `spokenMs` is speech. */
  endSpeech(spokenMs: number): void {
    const request = this.requests.at(-1);
    if (request === undefined || spokenMs >= request.knownMs) return;
    request.knownMs = spokenMs;
    this.placeFrom(this.requests.length - 1);
  }
  /** Words of the last request, and where its audio begins, ms of the turn. */
  lastRequest(): { readonly firstWord: number; readonly fromMs: number } | undefined {
    const request = this.requests.at(-1);
    return request && { firstWord: request.firstWord, fromMs: this.totalMs() - this.lengthOf(request) };
  }
  totalMs(): number {
    return this.requests.reduce((sum, request) => sum + request.pauseMs + this.lengthOf(request), 0);
  }
  /** Some audio of the request of word `w` has come. */
  hasSound(w: number): boolean {
    const { knownMs, complete } = this.requestOf(w);
    return complete || knownMs > 0;
  }
  /** The audio of the last request has ended. */
  isWhole(): boolean {
    return this.requests.at(-1)?.complete ?? false;
  }
  msPerWeight(): number {
    return this.pace;
  }

  requestOf(w: number): Request {
    return this.requests[this.words.requestOf(w)!]!;
  }
  startMsOf(w: number): number {
    return this.words.startsMs[w]!;
  }
  endMsOf(w: number): number {
    const { words, requests } = this;
    const startMs = words.startsMs[w]!;
    const known = words.endsMs[w]!;
    if (!Number.isNaN(known)) return Math.max(known, startMs);
    const after = words.requestOf(w + 1);
    const restMs = after === undefined || after === words.requestOf(w) ? 0 : requests[after]!.pauseMs;
    const next = (after === undefined ? this.totalMs() : words.startsMs[w + 1]!) - restMs;
    const span = words.spanOf(w);
    return startMs + (span === 0 ? 0 : ((next - startMs) * words.weightOf(w)) / span);
  }
  goneMsOf(w: number): number {
    const { words } = this;
    const isLastOfRequest = words.requestOf(w + 1) !== words.requestOf(w);
    return words.pauseOf(w) > 0 || isLastOfRequest ? this.endMsOf(w) : words.startsMs[w + 1]!;
  }
  usualMsOf(w: number): number {
    return this.words.spanOf(w) * this.pace;
  }

  /**
   * Where each word from `first` to `behind` (exclusive) is by the best that is known, whatever was given out: what was heard
   * stands, and words of a request that nothing was heard of are spread over its exact length.
   */
  finalTimes(
    first: number,
    behind: number,
  ): { readonly startsMs: Float64Array; readonly endsMs: Float64Array } {
    const { words, requests } = this;
    const startsMs = words.startsMs.slice(first, behind);
    const endsMs = Float64Array.from({ length: behind - first }, (_, at) => this.endMsOf(first + at));
    let baseMs = 0;
    for (const [index, request] of requests.entries()) {
      baseMs += request.pauseMs;
      if (request.firstWord >= behind) break;
      const end = this.behind(index);
      if (request.estimate === undefined && request.complete && end > first) {
        const msPerWeight = request.weight === 0 ? 0 : request.knownMs / request.weight;
        let passed = 0;
        for (let w = request.firstWord; w < end; w += 1) {
          if (w >= first && w < behind) {
            startsMs[w - first] = baseMs + passed * msPerWeight;
            endsMs[w - first] = startsMs[w - first]! + words.weightOf(w) * msPerWeight;
          }
          passed += words.spanOf(w);
        }
      }
      baseMs += this.lengthOf(request);
    }
    return { startsMs, endsMs };
  }

  private placeFrom(index: number): void {
    let baseMs = 0;
    for (let r = 0; r < this.requests.length; r += 1) {
      const { estimate, pauseMs } = this.requests[r]!;
      baseMs += pauseMs;
      if (r >= index && estimate === undefined) this.spread(r, baseMs);
      else if (r >= index) this.settle(r, baseMs, estimate!);
      baseMs += this.lengthOf(this.requests[r]!);
    }
  }
  /** Spreads the words not yet taken of request `index`, which begins at `baseMs`, by their weights. */
  private spread(index: number, baseMs: number): void {
    const { words } = this;
    const { startsMs } = words;
    const request = this.requests[index]!;
    const end = this.behind(index);
    const { firstWord, toldBefore } = request;
    const given = Math.min(this.given.taken, end);
    const from = given > firstWord + toldBefore ? given : firstWord;
    let restWeight = 0;
    for (let w = from; w < end; w += 1) restWeight += words.spanOf(w);
    const endMs = baseMs + this.lengthOf(request);
    const fromMs = from === firstWord ? baseMs : this.openMs(endMs);
    const restMs = Math.max(0, endMs - fromMs);
    let passed = 0;
    for (let w = from; w < end; w += 1) {
      startsMs[w] = fromMs + (restWeight === 0 ? 0 : (restMs * passed) / restWeight);
      passed += words.spanOf(w);
    }
  }
  /** In a request that turns out shorter than its given words promised, the other words share what is left. */
  private openMs(endMs: number): number {
    const { takenUntilMs, passedMs, lastTakenMs } = this.given;
    return takenUntilMs < endMs ? takenUntilMs : Math.min(Math.max(passedMs, lastTakenMs), endMs);
  }
  /** Puts all words of request `index` where they were heard. */
  private settle(index: number, baseMs: number, estimate: WordEstimate): void {
    const request = this.requests[index]!;
    const lengthMs = this.lengthOf(request);
    const within = (ms: number | undefined) => baseMs + Math.min(Math.max(ms ?? 0, 0), lengthMs);
    request.soundMs = estimate.soundMs === undefined ? undefined : within(estimate.soundMs);
    const end = this.behind(index);
    for (let w = request.firstWord; w < end; w += 1) {
      this.words.startsMs[w] = within(estimate.startsMs[w - request.firstWord]);
      this.words.endsMs[w] = within(estimate.endsMs[w - request.firstWord]);
    }
  }
  private behind(index: number): number {
    return this.requests[index + 1]?.firstWord ?? this.words.length();
  }
  private lengthOf(request: Request): number {
    return request.complete ? request.knownMs : Math.max(request.knownMs, this.predictedMs(request));
  }
  /** How long a request will be whose audio is still arriving. */
  private predictedMs({ estimate, weight }: Request): number {
    return estimate === undefined ? weight * this.pace : (estimate.endsMs[estimate.endsMs.length - 1] ?? 0);
  }
}
