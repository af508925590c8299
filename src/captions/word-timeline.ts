// When each word of a turn is spoken. Requests are exact (their samples are counted). Words inside one are where the
// aligner heard them; without one, or before it has heard anything, they are spread by weight over the request's length,
// over an estimate of it while its audio is still arriving. A word that was given out is final: later corrections move
// only the words after it, and what is known better in the end is told by `words` and `lastBegun`.
//
//   request 0 ├─ exact ─┤ request 1 ├─ given ─┤┄┄ corrected while audio arrives ┄┄┤

import type { SpokenWord } from '../speech/spoken-word.ts';
import { createWordDoubt } from './word-doubt.ts';
import type { WordEstimate } from './word-estimate.ts';

export type TimedWord = SpokenWord & {
  readonly startMs: number;
  readonly endMs: number;
  /** The start is within so much of the true one, as a rule (19 of 20); undefined while nothing but weights tells it. */
  readonly withinMs?: number | undefined;
};

export type WordTimeline = {
  /** Words of the next request, in order; before its audio there are `pauseMs` of silence. */
  addRequest(words: readonly SpokenWord[], pauseMs?: number): void;
  /** Audio of request `index` known so far; `complete` once its body has ended. */
  progress(index: number, knownMs: number, state: 'arriving' | 'complete'): void;
  /** Where the words of request `index` are in its audio, as far as they have been heard. */
  align(index: number, estimate: WordEstimate): void;
  /** Words that may begin before `untilMs` and were not taken before. They are final from now on. */
  take(untilMs: number): readonly TimedWord[];
  /** Words for another reader, from the first one on: as `take`, but what he has been given settles nothing. */
  readonly reader: () => (untilMs: number) => TimedWord[];
  /** All words, each where it is known best to be, whatever was taken before. */
  readonly words: () => TimedWord[];
  /** The last word that has surely begun at `atMs`, by the best that is known. */
  lastBegun(atMs: number): SpokenWord | undefined;
  /** Where the last word that ends at or before `codePoint` of line `line` has been spoken; undefined while unknown. */
  endOf(line: number, codePoint: number): number | undefined;
  /** Milliseconds per unit of weight, learned from complete requests; the given guess before. */
  msPerWeight(): number;
};

type Request = {
  readonly firstWord: number;
  readonly weight: number;
  readonly pauseMs: number;
  knownMs: number;
  complete: boolean;
  estimate: WordEstimate | undefined;
  soundMs?: number | undefined;
};

const NONE: readonly TimedWord[] = [];

const spanOf = (word: SpokenWord) => word.weight + word.pause;

/** What a letter takes before the voice's own pace is known. */
export const GUESS_MS_PER_WEIGHT = 62;

/** `guessMsPerWeight`: English at a normal speed takes 60–70 ms a letter. */
export function createWordTimeline(guessMsPerWeight: number): WordTimeline {
  const words: SpokenWord[] = [];
  const requestOf: Request[] = [];
  /** The best that is known of every word, in ms of the turn; the ends only where an aligner tells them. */
  const startsMs: number[] = [];
  const endsMs: (number | undefined)[] = [];
  const requests: Request[] = [];
  let taken = 0;
  /** Of the last word that was taken: its start, and where it was then thought to end. */
  let lastTakenMs = 0;
  let takenUntilMs = 0;
  /** How far the audio has been passed. */
  let passedMs = 0;
  /** Nothing is taken until then; undefined: not known since something has changed. Frames ask far more often than words come. */
  let nextTakenMs: number | undefined;
  /** How many words had begun when that was asked last: who asks often asks for the next ones. */
  let begun = 0;
  let msPerWeight = guessMsPerWeight;

  /** How long a request will be whose audio is still arriving. */
  const foretoldMs = ({ estimate, weight }: Request): number =>
    estimate === undefined ? weight * msPerWeight : (estimate.endsMs[estimate.endsMs.length - 1] ?? 0);
  const lengthOf = (request: Request): number =>
    request.complete ? request.knownMs : Math.max(request.knownMs, foretoldMs(request));
  const totalMs = () => requests.reduce((sum, request) => sum + request.pauseMs + lengthOf(request), 0);
  const behind = (index: number) => requests[index + 1]?.firstWord ?? words.length;

  /** A request that turns out shorter than its given words promised has its other words in what is left of it. */
  const openMs = (endMs: number): number =>
    takenUntilMs < endMs ? takenUntilMs : Math.min(Math.max(passedMs, lastTakenMs), endMs);

  /** Spreads the words not yet taken of request `index`, which begins at `baseMs`, by their weights. */
  const spread = (index: number, baseMs: number) => {
    const request = requests[index]!;
    const end = behind(index);
    const from = Math.max(request.firstWord, Math.min(taken, end));
    let restWeight = 0;
    for (let w = from; w < end; w += 1) restWeight += spanOf(words[w]!);
    const endMs = baseMs + lengthOf(request);
    const fromMs = from === request.firstWord ? baseMs : openMs(endMs);
    const restMs = Math.max(0, endMs - fromMs);
    let passed = 0;
    for (let w = from; w < end; w += 1) {
      startsMs[w] = fromMs + (restWeight === 0 ? 0 : (restMs * passed) / restWeight);
      passed += spanOf(words[w]!);
    }
  };

  /** Puts all words of request `index` where they were heard. */
  const settle = (index: number, baseMs: number, estimate: WordEstimate) => {
    const request = requests[index]!;
    const within = (ms: number | undefined) => baseMs + Math.min(Math.max(ms ?? 0, 0), lengthOf(request));
    request.soundMs = estimate.soundMs === undefined ? undefined : within(estimate.soundMs);
    for (let w = request.firstWord; w < behind(index); w += 1) {
      startsMs[w] = within(estimate.startsMs[w - request.firstWord]);
      endsMs[w] = within(estimate.endsMs[w - request.firstWord]);
    }
  };

  const placeFrom = (index: number) => {
    nextTakenMs = undefined;
    let baseMs = 0;
    for (let r = 0; r < requests.length; r += 1) {
      const { estimate, pauseMs } = requests[r]!;
      baseMs += pauseMs;
      if (r >= index && estimate === undefined) spread(r, baseMs);
      else if (r >= index) settle(r, baseMs, estimate!);
      baseMs += lengthOf(requests[r]!);
    }
  };

  const endMsOf = (w: number): number => {
    const known = endsMs[w];
    if (known !== undefined) return Math.max(known, startsMs[w]!);
    const word = words[w]!;
    const after = requestOf[w + 1];
    const restMs = after === undefined || after === requestOf[w] ? 0 : after.pauseMs;
    const next = (startsMs[w + 1] ?? totalMs()) - restMs;
    const span = spanOf(word);
    return startsMs[w]! + (span === 0 ? 0 : ((next - startsMs[w]!) * word.weight) / span);
  };

  const { withinOf, doubtOf, mayBeginMs, tellMs } = createWordDoubt({
    requestOf: (w) => requestOf[w]!,
    startMsOf: (w) => startsMs[w]!,
    endMsOf,
    goneMsOf: (w) => (words[w]!.pause > 0 ? endMsOf(w) : (startsMs[w + 1] ?? endMsOf(w))),
    usualMsOf: (w) => spanOf(words[w]!) * msPerWeight,
  });

  /** When word `w` may begin, told no earlier than `lastMs`; never, when there is none. */
  const dueMsOf = (w: number, lastMs: number): number =>
    w < words.length ? mayBeginMs(w, Math.max(startsMs[w]!, lastMs)) : Number.POSITIVE_INFINITY;

  /** Words from `first` on that may begin before `untilMs`; what was given out stands, so none comes before `lastMs`. */
  const dueFrom = (first: number, lastMs: number, untilMs: number): TimedWord[] => {
    const due: TimedWord[] = [];
    let startMs = lastMs;
    for (let w = first; w < words.length; w += 1) {
      const bestMs = Math.max(startsMs[w]!, startMs);
      const mayMs = mayBeginMs(w, bestMs);
      if (mayMs >= untilMs) break;
      startMs = Math.max(startMs, tellMs(w, bestMs, mayMs));
      due.push({ ...words[w]!, startMs, endMs: Math.max(startMs, endMsOf(w)), withinMs: withinOf(w) });
    }
    return due;
  };

  return {
    addRequest(added, pauseMs = 0) {
      const weight = added.reduce((sum, word) => sum + spanOf(word), 0);
      const request: Request = {
        firstWord: words.length,
        weight,
        pauseMs,
        knownMs: 0,
        complete: false,
        estimate: undefined,
      };
      requests.push(request);
      for (const word of added) {
        words.push(word);
        requestOf.push(request);
      }
      placeFrom(requests.length - 1);
    },
    progress(index, knownMs, state) {
      const request = requests[index];
      if (request === undefined || request.complete) return;
      const before = lengthOf(request);
      request.knownMs = knownMs;
      request.complete = state === 'complete';
      if (request.complete && request.weight >= 20 && knownMs > 0) msPerWeight = knownMs / request.weight;
      if (lengthOf(request) !== before || request.complete) placeFrom(index);
    },
    align(index, estimate) {
      const request = requests[index];
      if (request === undefined) return;
      request.estimate = estimate;
      placeFrom(index);
    },
    take(untilMs) {
      passedMs = Math.max(passedMs, untilMs);
      nextTakenMs ??= dueMsOf(taken, lastTakenMs);
      if (nextTakenMs >= untilMs) return NONE;
      const given = dueFrom(taken, lastTakenMs, untilMs);
      nextTakenMs = undefined;
      taken += given.length;
      lastTakenMs = given.at(-1)!.startMs;
      takenUntilMs = Math.max(lastTakenMs, startsMs[taken] ?? totalMs());
      return given;
    },
    reader() {
      let read = 0;
      let lastMs = 0;
      return (untilMs) => {
        const given = dueFrom(read, lastMs, untilMs);
        read += given.length;
        lastMs = given.at(-1)?.startMs ?? lastMs;
        return given;
      };
    },
    words: () =>
      words.map((word, w) => ({
        ...word,
        startMs: startsMs[w]!,
        endMs: endMsOf(w),
        withinMs: withinOf(w),
      })),
    lastBegun(atMs) {
      const hasBegun = (w: number) => startsMs[w]! + doubtOf(w) < atMs;
      while (begun > 0 && !hasBegun(begun - 1)) begun -= 1;
      while (begun < words.length && hasBegun(begun)) begun += 1;
      return words[begun - 1];
    },
    endOf(line, codePoint) {
      // Words stand in the order of the text, so their ends do too.
      let last = -1;
      for (let after = words.length; last + 1 < after; ) {
        const middle = (last + 1 + after) >> 1;
        const word = words[middle]!;
        const isBehind = word.line > line || (word.line === line && word.charEnd > codePoint);
        if (isBehind) after = middle;
        else last = middle;
      }
      if (last < 0) return words.length > 0 ? 0 : undefined;
      if (last < words.length - 1) return endMsOf(last);
      // After the last word there is the rest of its request, which is known only when it has ended.
      return requests.at(-1)!.complete ? totalMs() : undefined;
    },
    msPerWeight: () => msPerWeight,
  };
}
