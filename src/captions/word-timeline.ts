// When each word of a turn is spoken. Requests are exact (their samples are counted); words inside one are
// spread by weight over its length, over an estimate of it while its audio is still arriving. A word that was
// given out is final: later corrections move only the words after it.
//
//   request 0 ├─ exact ─┤ request 1 ├─ given ─┤┄┄ corrected while audio arrives ┄┄┤

import type { SpokenWord } from '../speech/spoken-word.ts';

export type TimedWord = SpokenWord & { readonly startMs: number; readonly endMs: number };

export type WordTimeline = {
  /** Words of the next request, in order. */
  addRequest(words: readonly SpokenWord[]): void;
  /** Audio of request `index` known so far; `complete` once its body has ended. */
  progress(index: number, knownMs: number, state: 'arriving' | 'complete'): void;
  /** Words that begin before `untilMs` and were not taken before. They are final from now on. */
  take(untilMs: number): TimedWord[];
  /** The last word that has begun at `atMs`, by final times where words were taken. */
  lastBegun(atMs: number): SpokenWord | undefined;
  /** Where the last word that ends at or before `codePoint` of line `line` has been spoken; undefined while unknown. */
  endOf(line: number, codePoint: number): number | undefined;
  /** Milliseconds per unit of weight, learned from complete requests; the given guess before. */
  readonly msPerWeight: number;
};

type Request = {
  readonly firstWord: number;
  readonly weight: number;
  knownMs: number;
  complete: boolean;
};

const spanOf = (word: SpokenWord) => word.weight + word.pause;

/** What a letter takes before the voice's own pace is known. */
export const GUESS_MS_PER_WEIGHT = 62;

/** `guessMsPerWeight`: English at a normal speed takes 60–70 ms a letter. */
export function createWordTimeline(guessMsPerWeight: number): WordTimeline {
  const words: SpokenWord[] = [];
  const startsMs: number[] = [];
  const requests: Request[] = [];
  let taken = 0;
  /** Where the first word that was not taken began when the last one was; and how far the audio has been passed. */
  let takenUntilMs = 0;
  let passedMs = 0;
  let msPerWeight = guessMsPerWeight;

  const lengthOf = (request: Request): number =>
    request.complete ? request.knownMs : Math.max(request.knownMs, request.weight * msPerWeight);

  /** A request that turns out shorter than its given words promised has its other words in what is left of it. */
  const openMs = (endMs: number): number =>
    takenUntilMs < endMs ? takenUntilMs : Math.min(Math.max(passedMs, startsMs[taken - 1]!), endMs);

  /** Spreads the words not yet taken of request `index`, which begins at `baseMs`. */
  const spread = (index: number, baseMs: number) => {
    const request = requests[index]!;
    const end = requests[index + 1]?.firstWord ?? words.length;
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

  const spreadFrom = (index: number) => {
    let baseMs = 0;
    for (let r = 0; r < requests.length; r += 1) {
      if (r >= index) spread(r, baseMs);
      baseMs += lengthOf(requests[r]!);
    }
  };

  const endMsOf = (w: number): number => {
    const word = words[w]!;
    const next = startsMs[w + 1] ?? totalMs();
    const span = spanOf(word);
    return startsMs[w]! + (span === 0 ? 0 : ((next - startsMs[w]!) * word.weight) / span);
  };
  const totalMs = () => requests.reduce((sum, request) => sum + lengthOf(request), 0);

  return {
    addRequest(added) {
      const weight = added.reduce((sum, word) => sum + spanOf(word), 0);
      requests.push({ firstWord: words.length, weight, knownMs: 0, complete: false });
      words.push(...added);
      spreadFrom(requests.length - 1);
    },
    progress(index, knownMs, state) {
      const request = requests[index];
      if (request === undefined || request.complete) return;
      const before = lengthOf(request);
      request.knownMs = knownMs;
      request.complete = state === 'complete';
      if (request.complete && request.weight >= 20 && knownMs > 0) msPerWeight = knownMs / request.weight;
      if (lengthOf(request) !== before || request.complete) spreadFrom(index);
    },
    take(untilMs) {
      const given: TimedWord[] = [];
      passedMs = Math.max(passedMs, untilMs);
      while (taken < words.length && startsMs[taken]! < untilMs) {
        const startMs = startsMs[taken]!;
        const endMs = endMsOf(taken);
        given.push({ ...words[taken]!, startMs, endMs });
        takenUntilMs = startsMs[taken + 1] ?? totalMs();
        taken += 1;
      }
      return given;
    },
    lastBegun(atMs) {
      let found: SpokenWord | undefined;
      for (let w = 0; w < words.length && startsMs[w]! < atMs; w += 1) found = words[w];
      return found;
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
    get msPerWeight() {
      return msPerWeight;
    },
  };
}
