// Which sentences are spoken: the weightiest first, each less wanted the more it resembles what was taken (maximal marginal
// relevance, Carbonell and Goldstein 1998), until the words are used up. A sentence that leans on the one before brings
// it along or stays away; a list comes whole; what says the same as one that was taken stays away.

import type { Ranked } from '../rank-sentences.ts';
import { similarity } from '../sentence-vectors.ts';
import type { SourceSentence } from '../source-sentence.ts';
import { asks } from '../statement.ts';
import { saysTheSame } from './says-the-same.ts';

export type PickWish = {
  /** Words of all that is picked. */
  readonly words: number;
  /** How well a sentence suits the style; 0 keeps it out. */
  readonly taste: (sentence: SourceSentence) => number;
  /** The number of a sentence that is taken first whatever its rank: the one that the text begins with. */
  readonly opening?: number | undefined;
};

/** Relevance against newness. */
const RELEVANCE = 0.7;
/** Compared with each pick: bounds the time. */
const MAX_CANDIDATES = 600;
const MAX_CHAIN = 4;
const MAX_LIST = 8;
/** Next to a sentence that was taken: sentences that follow each other are a text, those picked here and there are a list. */
const NEIGHBOUR_BONUS = 0.12;
/** Below this two sentences are not compared word by word. */
const MIN_LIKENESS_OF_SAME = 0.55;

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

/** The sentences that must be spoken with this one, in order; undefined: it cannot be spoken. */
function company(
  sentences: readonly SourceSentence[],
  number: number,
  taste: PickWish['taste'],
): number[] | undefined {
  const sentence = sentences[number]!;
  const chain = [number];
  if (sentence.kind === 'row') return tableAround(sentences, number);
  const isListed = sentence.kind === 'item' && sentence.leans;
  const longest = isListed ? MAX_LIST : MAX_CHAIN;
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
    if (next?.block !== last.block || next.unfit !== undefined || taste(next) === 0) return undefined;
    if (chain.length > longest) return undefined;
    chain.push(next.number);
  }
  return chain;
}

/** Numbers in the order of the source. */
export function pickSentences(
  sentences: readonly SourceSentence[],
  { weights, vectors }: Ranked,
  wish: PickWish,
): number[] {
  const heaviest = weights.reduce((most, weight) => Math.max(most, weight), 1e-9);
  const wanted = sentences
    .map((sentence) => ({
      number: sentence.number,
      worth: sentence.unfit === undefined ? (weights[sentence.number]! / heaviest) * wish.taste(sentence) : 0,
      likeness: 0,
    }))
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth || a.number - b.number)
    .slice(0, MAX_CANDIDATES);

  const picked = new Set<number>();
  let left = wish.words;
  const isNeighbour = (number: number) =>
    [number - 1, number + 1].some(
      (next) => picked.has(next) && sentences[next]!.block === sentences[number]!.block,
    );
  const marginal = ({ number, worth, likeness }: (typeof wanted)[number]) =>
    RELEVANCE * worth - (1 - RELEVANCE) * likeness + (isNeighbour(number) ? NEIGHBOUR_BONUS : 0);
  const isSaid = (number: number) => {
    for (const other of picked)
      if (
        similarity(vectors[other]!, vectors[number]!) >= MIN_LIKENESS_OF_SAME &&
        saysTheSame(sentences[other]!.spoken, sentences[number]!.spoken)
      )
        return true;
    return false;
  };
  const opening = wanted.findIndex(({ number }) => number === wish.opening);
  const next = (): number => {
    if (picked.size === 0 && opening >= 0 && wanted[opening]?.number === wish.opening) return opening;
    let best = 0;
    for (let at = 1; at < wanted.length; at += 1)
      if (marginal(wanted[at]!) > marginal(wanted[best]!)) best = at;
    return best;
  };
  while (wanted.length > 0) {
    const [{ number }] = wanted.splice(next(), 1) as [(typeof wanted)[number]];
    if (picked.has(number)) continue;
    const added = (company(sentences, number, wish.taste) ?? []).filter((member) => !picked.has(member));
    const words = added.reduce((sum, member) => sum + sentences[member]!.words, 0);
    // One that does not fit may be followed by a shorter one that does.
    if (added.length === 0 || words > left || added.some(isSaid)) continue;
    left -= words;
    for (const member of added) picked.add(member);
    for (const candidate of wanted)
      candidate.likeness = Math.max(
        candidate.likeness,
        similarity(vectors[candidate.number]!, vectors[number]!),
      );
  }
  return [...picked].sort((a, b) => a - b);
}
