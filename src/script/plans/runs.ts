// Neighbouring sentences that are told together: a run begins where a sentence stands by itself and goes on to the end of its
// paragraph, or as far as its words last. Sentences that follow each other are a text; those picked here and there are a list.

import type { SourceSentence } from '../source-sentence.ts';
import { endsAsSentence } from '../spoken-form.ts';
import { asks } from '../statement.ts';

/** How well a sentence suits the style; 0 keeps it out. */
export type Taste = (sentence: SourceSentence) => number;

export const MAX_CHAIN = 5;
const MAX_LIST = 8;

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

/** The sentences that must be told with this one, in order, at most `mostLeaning`; undefined: it cannot be told. */
export function company(
  sentences: readonly SourceSentence[],
  number: number,
  taste: Taste,
  mostLeaning = MAX_CHAIN,
): number[] | undefined {
  const sentence = sentences[number]!;
  const chain = [number];
  if (sentence.kind === 'row') return tableAround(sentences, number);
  // A list of a few words each comes whole; of sentences, as many as there is room for.
  const isListed = sentence.kind === 'item' && sentence.leans && !endsAsSentence(sentence.text);
  const longest = sentence.kind === 'item' ? MAX_LIST : mostLeaning;
  while (sentences[chain[0]!]!.leans) {
    const before = sentences[chain[0]! - 1];
    if (before === undefined || before.path !== sentence.path || chain.length >= longest) return undefined;
    // What a lead-in announces is the list behind it, nothing else.
    const announces = before.unfit === 'lead-in' && sentences[chain[0]!]!.kind === 'item';
    if (before.unfit === undefined ? taste(before) === 0 : !announces) return undefined;
    chain.unshift(before.number);
  }
  if (isListed)
    for (
      let next = sentences[number + 1];
      next?.kind === 'item' && next.leans;
      next = sentences[next.number + 1]
    ) {
      if (next.path !== sentence.path || next.unfit !== undefined || chain.length > longest) return undefined;
      chain.push(next.number);
    }
  // A question comes with what is said to it.
  for (let last = sentences[chain.at(-1)!]!; asks(last.text); last = sentences[last.number + 1]!) {
    const next = sentences[last.number + 1];
    if (next === undefined || next.path !== last.path || next.unfit !== undefined || taste(next) === 0)
      return undefined;
    if (chain.length > longest) return undefined;
    chain.push(next.number);
  }
  return chain;
}

/** `chain` and what follows it in its paragraph, up to `mostWords` in all. */
export function runFrom(
  sentences: readonly SourceSentence[],
  chain: readonly number[],
  taste: Taste,
  mostWords: number,
): number[] {
  const run = [...chain];
  let words = run.reduce((sum, number) => sum + sentences[number]!.words, 0);
  for (;;) {
    const last = sentences[run.at(-1)!]!;
    const next = sentences[last.number + 1];
    if (last.kind !== 'sentence' || next?.block !== last.block || next.unfit !== undefined) return run;
    words += next.words;
    if (taste(next) === 0 || words > mostWords || asks(next.text)) return run;
    run.push(next.number);
  }
}

/** Shorter ones that stand alone, far from what else is told, are notes rather than statements ("Manage packet is ignored."). */
const MIN_WORDS_OF_SCRAP = 10;
/** Of the words: where more would go, the text consists of short sentences. */
const MAX_SCRAP_SHARE = 0.25;

/** `picked` in order, without sentences that nothing before or behind them goes with; all of it where these are many. */
export function withoutScraps(
  sentences: readonly SourceSentence[],
  picked: readonly number[],
  kept: number | undefined,
): number[] {
  const all = new Set(picked);
  const wordsIn = (numbers: readonly number[]) =>
    numbers.reduce((sum, number) => sum + sentences[number]!.words, 0);
  const isScrap = (number: number) => {
    const { kind, words } = sentences[number]!;
    return (
      number !== kept &&
      kind === 'sentence' &&
      words < MIN_WORDS_OF_SCRAP &&
      !all.has(number - 1) &&
      !all.has(number + 1)
    );
  };
  const rest = picked.filter((number) => !isScrap(number));
  return wordsIn(rest) < wordsIn(picked) * (1 - MAX_SCRAP_SHARE) ? [...picked] : rest;
}
