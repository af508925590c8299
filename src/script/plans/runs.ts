// Neighbouring sentences that are told together: a run begins where a sentence stands by itself and goes on to the end of its
// paragraph, or as far as its words last. Sentences that follow each other are a text; those picked here and there are a list.

import type { SourceSentence } from '../source-sentence.ts';

/** How well a sentence suits the style; 0 keeps it out. */
export type Taste = (sentence: SourceSentence) => number;

/** Sentences that are bound to each other: more are no statement with its neighbours but a chapter. */
export const MAX_BOUND = 16;
const MAX_LIST = 8;

/** How far sentences may bring others along. */
export type Reach = {
  readonly taste: Taste;
  /** Sentences that are told because others are bound to them. */
  readonly mostBound: number;
  /** Words of a paragraph before a sentence, with which it is told; 0: a run may begin within a paragraph. */
  readonly ahead: number;
};

/** A short table comes whole; of a long one each line is for itself. */
function tableAround(sentences: readonly SourceSentence[], number: number): number[] {
  const isRow = (at: number) =>
    sentences[at]?.kind === 'row' &&
    sentences[at].unfit === undefined &&
    sentences[at].path === sentences[number]!.path;
  let [from, to] = [number, number];
  // No further than it takes to know that it is long: every line of a long one asks.
  while (to - from < MAX_LIST && isRow(from - 1)) from -= 1;
  while (to - from < MAX_LIST && isRow(to + 1)) to += 1;
  return to - from < MAX_LIST ? Array.from({ length: to - from + 1 }, (_, index) => from + index) : [number];
}

/** Whether a sentence can be told among its neighbours; what announces a list, with the list behind it. */
const isTellable = (sentences: readonly SourceSentence[], number: number, taste: Taste): boolean => {
  const { unfit, kind } = sentences[number]!;
  if (kind === 'row') return false;
  return unfit === undefined
    ? taste(sentences[number]!) > 0
    : unfit === 'lead-in' && sentences[number + 1]?.kind === 'item';
};

/** The stretch from `from` to `to` with all that its sentences are bound to; undefined: something of it cannot be told. */
function bound(
  sentences: readonly SourceSentence[],
  [from, to]: readonly [number, number],
  { taste, mostBound }: Reach,
): [number, number] | undefined {
  const { path } = sentences[to]!;
  // A list of a few words each has as many items.
  const most = Math.max(mostBound, sentences[to]!.kind === 'item' ? MAX_LIST : 0) + (to - from);
  let [first, last] = [from, to];
  for (let at = from; at <= last; at += 1) {
    const { until } = sentences[at]!;
    if (until - first > most) return undefined;
    last = Math.max(last, until);
    if (sentences[last]?.path !== path || !isTellable(sentences, at, taste)) return undefined;
  }
  while (sentences[first]!.leans) {
    const before = sentences[first - 1];
    if (before?.path !== path || last - first >= most || !isTellable(sentences, before.number, taste))
      return undefined;
    // What a lead-in announces is the list behind it, nothing else.
    if (before.unfit === 'lead-in' && sentences[first]!.kind !== 'item') return undefined;
    first -= 1;
  }
  if (first === from) return [first, last];
  return bound(sentences, [first, last], { taste, mostBound, ahead: 0 });
}

/** Where the paragraph of a sentence begins, if it may be told from there in at most `ahead` words. */
function paragraphStart(
  sentences: readonly SourceSentence[],
  number: number,
  { taste, ahead }: Reach,
): number {
  const { block, kind } = sentences[number]!;
  let [first, words] = [number, 0];
  while (kind === 'sentence' && sentences[first - 1]?.block === block) {
    first -= 1;
    words += sentences[first]!.words;
    if (words > ahead || !isTellable(sentences, first, taste)) return -1;
  }
  return first;
}

const numbersFrom = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The sentences that must be told with this one, in order; undefined: it cannot be told. */
export function company(
  sentences: readonly SourceSentence[],
  number: number,
  reach: Reach,
): number[] | undefined {
  if (sentences[number]!.kind === 'row') return tableAround(sentences, number);
  let stretch: [number, number] | undefined = [number, number];
  for (;;) {
    const [first]: [number, number] = stretch;
    const begin = reach.ahead === 0 ? first : paragraphStart(sentences, first, reach);
    if (begin === -1) return undefined;
    stretch = bound(sentences, [begin, stretch[1]], reach);
    if (stretch === undefined) return undefined;
    if (stretch[0] === first) return numbersFrom(...stretch);
  }
}

/** A run that has so much of its words goes no further than its paragraph. */
const FULL_SHARE = 0.6;
/** So much longer a run may become by the rest of a paragraph. */
const OVERRUN = 1.25;

/** `chain` and what follows it under its heading, up to about `mostWords` in all, to the end of a paragraph where that is near. */
export function runFrom(
  sentences: readonly SourceSentence[],
  chain: readonly number[],
  reach: Reach,
  mostWords: number,
): number[] {
  const run = [...chain];
  const wordsOf = (numbers: readonly number[]) =>
    numbers.reduce((sum, number) => sum + sentences[number]!.words, 0);
  let words = wordsOf(run);
  /** How much of the run ends with a paragraph. */
  let whole = run.length;
  for (;;) {
    const last = sentences[run.at(-1)!]!;
    const next = sentences[last.number + 1];
    if (last.kind === 'row' || next === undefined || next.path !== last.path) return run;
    const isWithin = next.block === last.block;
    if (!isWithin) whole = run.length;
    if (!isWithin && words >= mostWords * FULL_SHARE) return run;
    const group = bound(sentences, [next.number, next.number], { ...reach, mostBound: reach.mostBound });
    const added = group === undefined || group[0] < run[0]! ? [] : numbersFrom(next.number, group[1]);
    words += wordsOf(added);
    const most = isWithin ? mostWords * OVERRUN : mostWords;
    if (added.length === 0 || words > most) {
      const kept = run.slice(0, whole);
      return isWithin && kept.length >= chain.length && wordsOf(kept) >= mostWords * FULL_SHARE ? kept : run;
    }
    run.push(...added);
  }
}

/** Of the words: where more would go, the text consists of short passages. */
const MAX_SCRAP_SHARE = 0.35;

/** `picked` in order, without passages of fewer than `leastWords` that nothing before or behind them goes with; all of it where these are many. */
export function withoutScraps(
  sentences: readonly SourceSentence[],
  picked: readonly number[],
  kept: readonly (number | undefined)[],
  leastWords: number,
): number[] {
  const wordsIn = (numbers: readonly number[]) =>
    numbers.reduce((sum, number) => sum + sentences[number]!.words, 0);
  const passages: number[][] = [];
  for (const number of picked) {
    const last = passages.at(-1);
    if (last?.at(-1) === number - 1) last!.push(number);
    else passages.push([number]);
  }
  const rest = passages
    .filter(
      (passage) =>
        wordsIn(passage) >= leastWords ||
        sentences[passage[0]!]!.kind === 'row' ||
        passage.some((number) => kept.includes(number)),
    )
    .flat();
  return wordsIn(rest) < wordsIn(picked) * (1 - MAX_SCRAP_SHARE) ? [...picked] : rest;
}
