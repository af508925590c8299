// Which sentences are spoken: of each section its beginning and then the weightiest runs, each less wanted the more it resembles
// what was taken (maximal marginal relevance, Carbonell and Goldstein 1998), until the words are used up. A sentence that leans on
// the one before brings it along or stays away; a list comes whole; what says the same as one that was taken stays away.

import type { Ranked } from '../rank-sentences.ts';
import { similarity } from '../sentence-vectors.ts';
import type { SourceSentence } from '../source-sentence.ts';
import { company, MAX_BOUND, type Reach, runFrom, type Taste } from './runs.ts';
import { saysTheSame } from './says-the-same.ts';

export type PickWish = {
  /** Words of all that is picked. */
  readonly words: number;
  readonly taste: Taste;
  /** Words of sentences that are told together; 0: each by itself. */
  readonly run: number;
  /** Sentences that are bound to each other; of what is told of persons nearly all are. */
  readonly mostBound?: number;
  /** Words of a paragraph that are told before a sentence of it; 0: a run may begin within a paragraph. */
  readonly ahead?: number;
  /** Numbers of sentences by section, with the words that each may take at first; what is left goes to the weightiest of all. */
  readonly sections?: readonly { readonly numbers: readonly number[]; readonly words: number }[];
  /** The number of a sentence that is taken first whatever its rank: the one that the text begins with; and of those that its end may begin with, best first, of which one is taken. */
  readonly opening?: number | undefined;
  readonly closings?: readonly number[];
};

/** Relevance against newness. */
const RELEVANCE = 0.7;
/** Compared with each pick: bounds the time. */
const MAX_CANDIDATES = 600;
/** Next to a sentence that was taken. */
const NEIGHBOUR_BONUS = 0.12;
/** A run that begins with its paragraph says what the paragraph is about. */
const PARAGRAPH_BONUS = 0.25;
/** From so many words on a run is worth what its sentence is, and a word alone half of it. */
const WORDS_OF_TEXT = 30;
const SCRAP_SHARE = 0.5;
/** Below this two sentences are not compared word by word. */
const MIN_LIKENESS_OF_SAME = 0.55;
/** At the beginning of a section as many are tried. */
const MAX_TRIED = 12;
/** A run that turns out too long for its room is tried with so much of its words. */
const RUN_SHARES = [1, 0.8, 0.5];
/** Of all words, what the end may take. */
const CLOSING_SHARE = 0.2;

/** Numbers in the order of the source. */
export function pickSentences(
  sentences: readonly SourceSentence[],
  { weights, vectors }: Ranked,
  {
    words: mostWords,
    taste,
    run: runWords,
    mostBound = MAX_BOUND,
    ahead = 0,
    sections = [],
    opening,
    closings = [],
  }: PickWish,
): number[] {
  const heaviest = weights.reduce((most, weight) => Math.max(most, weight), 1e-9);
  const reach: Reach = { taste, mostBound, ahead };
  const wordsIn = (numbers: readonly number[]) =>
    numbers.reduce((sum, number) => sum + sentences[number]!.words, 0);
  /** Of a sentence that is told with its neighbours: one that comes alone, and is short, is a scrap. */
  const byRun = (number: number) => {
    const chain = company(sentences, number, reach);
    if (chain === undefined) return 0;
    return Math.min(
      1,
      SCRAP_SHARE + wordsIn(runFrom(sentences, chain, reach, runWords)) / (2 * WORDS_OF_TEXT),
    );
  };
  const worthOf = ({ number, unfit, block }: SourceSentence) => {
    const own = unfit === undefined ? taste(sentences[number]!) : 0;
    if (own === 0) return 0;
    const weight = weights[number]! / heaviest;
    if (runWords === 0) return weight * own;
    const opens = sentences[number - 1]?.block !== block;
    return (weight + (opens ? PARAGRAPH_BONUS : 0)) * own * byRun(number);
  };
  const wanted = sentences
    .map((sentence) => ({ number: sentence.number, worth: worthOf(sentence), likeness: 0 }))
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth || a.number - b.number)
    .slice(0, MAX_CANDIDATES);

  const picked = new Set<number>();
  let left = mostWords;
  const sectionOf = new Map(
    sections.flatMap(({ numbers }, at) => numbers.map((number) => [number, at] as const)),
  );
  const leftOf = sections.map(({ words }) => words);

  const isNeighbour = (number: number) =>
    [number - 1, number + 1].some(
      (next) => picked.has(next) && sentences[next]!.block === sentences[number]!.block,
    );
  const marginal = ({ number, worth, likeness }: (typeof wanted)[number]) =>
    RELEVANCE * worth - (1 - RELEVANCE) * likeness + (isNeighbour(number) ? NEIGHBOUR_BONUS : 0);
  const saysSame = (one: number, other: number) =>
    similarity(vectors[other]!, vectors[one]!) >= MIN_LIKENESS_OF_SAME &&
    saysTheSame(sentences[other]!.spoken, sentences[one]!.spoken);
  const isSaid = (number: number) => {
    for (const other of picked) if (saysSame(number, other)) return true;
    return false;
  };
  /** The same, of a run that began at `from`: it does not come to what was said, or to what it says itself. */
  const unsaidFrom = (from: number): Reach => ({
    ...reach,
    taste: (sentence) => {
      const own = taste(sentence);
      if (own === 0 || picked.has(sentence.number)) return own;
      for (let at = from; at < sentence.number; at += 1) if (saysSame(sentence.number, at)) return 0;
      return isSaid(sentence.number) ? 0 : own;
    },
  });

  /** Takes the sentence with its company, and as much of its run as there is room for. */
  const take = (number: number, room: number, mostRun = runWords): boolean => {
    const chain = company(sentences, number, reach);
    if (chain === undefined) return false;
    const fresh = (numbers: readonly number[]) => numbers.filter((member) => !picked.has(member));
    const least = fresh(chain);
    // One that does not fit may be followed by a shorter one that does.
    if (least.length === 0 || wordsIn(least) > room || least.some(isSaid)) return false;
    const spared = wordsIn(chain) - wordsIn(least);
    const asked = Math.max(Math.min(mostRun, room + spared), wordsIn(chain));
    const added =
      RUN_SHARES.map((share) => fresh(runFrom(sentences, chain, unsaidFrom(chain[0]!), asked * share))).find(
        (run) => wordsIn(run) <= room,
      ) ?? least;
    left -= wordsIn(added);
    const section = sectionOf.get(number);
    if (section !== undefined) leftOf[section]! -= wordsIn(added);
    for (const member of added) picked.add(member);
    for (const candidate of wanted)
      candidate.likeness = Math.max(
        candidate.likeness,
        similarity(vectors[candidate.number]!, vectors[number]!),
      );
    return true;
  };

  if (opening !== undefined && sentences[opening] !== undefined && taste(sentences[opening]) > 0)
    take(
      opening,
      Math.min(left, Math.max(leftOf[sectionOf.get(opening) ?? -1] ?? left, sentences[opening].words)),
    );
  const roomAtEnd = mostWords * CLOSING_SHARE;
  closings.some(
    (number) => taste(sentences[number]!) > 0 && take(number, Math.min(left, roomAtEnd), roomAtEnd),
  );
  // Each section begins as it does in the source.
  for (const { numbers, words } of sections)
    numbers
      .filter((number) => sentences[number]!.kind === 'sentence' && taste(sentences[number]!) > 0)
      .slice(0, MAX_TRIED)
      .some(
        (number) => picked.has(number) || (!sentences[number]!.leans && take(number, Math.min(left, words))),
      );

  /** The weightiest for which `roomFor` leaves room, one after another. */
  const fill = (roomFor: (number: number) => number) => {
    const open = [...wanted];
    while (open.length > 0) {
      let best = 0;
      for (let at = 1; at < open.length; at += 1) if (marginal(open[at]!) > marginal(open[best]!)) best = at;
      const [{ number }] = open.splice(best, 1) as [(typeof open)[number]];
      if (!picked.has(number)) take(number, roomFor(number));
    }
  };
  if (sections.length > 0) fill((number) => Math.min(left, leftOf[sectionOf.get(number) ?? -1] ?? 0));
  fill(() => left);
  return [...picked].sort((a, b) => a - b);
}
