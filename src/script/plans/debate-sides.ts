// Which side says what in a debate: one has the advantages that the text itself names, the other its objections. Where the
// text has not both there is no debate in it, and none is made up.

import type { SourceSentence } from '../source-sentence.ts';
import { answers, type Material, mayPartBehind, turnWords, wordsIn } from './material.ts';

export type DebateSides = {
  /** Facts of neither side, told before they argue. */
  readonly common: readonly (readonly number[])[];
  /** Turns of each side, in the order of the source, in words about equal. */
  readonly sides: readonly [readonly (readonly number[])[], readonly (readonly number[])[]];
};

type Turn = { readonly numbers: readonly number[]; readonly words: number; readonly weight: number };

const WORDS_OF_TURN = 34;
/** Fewer opinions on a side make no debate of them. */
const MIN_OPINIONS = 2;
/** Of all sentences, on the rarer side: in less than that, a word of praise here and there is told, not argued. */
const MIN_OPINION_SHARE = 1 / 12;
/** Of all sentences, on both sides together. */
const MIN_OPINIONS_SHARE = 0.2;
/** Of the words of both sides. */
const COMMON_SHARE = 0.5;
/** Sentences that go on with an opinion, each behind the other. */
const MAX_CARRIED = 2;
const CHARACTERS_OF_STANCE = 60;
const CHARACTERS_OF_CONTRAST = 24;
/** Of the words that were picked, those of both sides: where it is less, the text is about something else. */
const MIN_ARGUED_SHARE = 0.25;
/** What says what it thinks is the last to be dropped. */
const OPINION_WEIGHT = 3;
/** One side has at most this much more than its half. */
const SLACK = 0.04;

const toTurn = (material: Material, numbers: readonly number[]): Turn => ({
  numbers,
  words: wordsIn(material, numbers),
  weight:
    numbers.reduce((most, number) => Math.max(most, material.weights[number]!), 0) +
    (numbers.some((number) => opinionOf(material, material.sentences[number]!.spoken) !== 0)
      ? OPINION_WEIGHT
      : 0),
});

const wordsOfAll = (turns: readonly Turn[]) => turns.reduce((sum, turn) => sum + turn.words, 0);
const inOrder = (turns: readonly Turn[]) => [...turns].sort((a, b) => a.numbers[0]! - b.numbers[0]!);

/** 1: it speaks for the matter; -1: against it; 0: neither, or both. */
const opinionOf = ({ reader }: Pick<Material, 'reader'>, text: string): number =>
  (reader.benefit.test(text) ? 1 : 0) - (reader.concern.test(text) ? 1 : 0);

/** Of which side a paragraph is as a whole: who speaks in it is named where it begins. */
function stancesOf({
  sentences,
  reader,
}: Pick<Material, 'sentences' | 'reader'>): ReadonlyMap<number, number> {
  const stances = new Map<number, number>();
  for (const { block, text } of sentences) {
    if (stances.has(block)) continue;
    const opening = text.slice(0, CHARACTERS_OF_STANCE);
    stances.set(block, (reader.inFavour.test(opening) ? 1 : 0) - (reader.against.test(opening) ? 1 : 0));
  }
  return stances;
}

/**
 * A sentence's own opinion, else that of its paragraph, its heading, or of the one right before it, which it goes on with or, where
 * it begins with a contrast, answers.
 */
function opinionsOf(
  { sentences, reader }: Pick<Material, 'sentences' | 'reader'>,
  numbers: readonly number[],
): Map<number, number> {
  const stances = stancesOf({ sentences, reader });
  const held = new Map<number, number>();
  let carried = 0;
  for (const number of numbers) {
    const { spoken, text, path, block } = sentences[number]!;
    const own =
      opinionOf({ reader }, spoken) || stances.get(block)! || opinionOf({ reader }, path.at(-1) ?? '');
    const goesOn = sentences[number - 1]?.block === block && carried < MAX_CARRIED;
    carried = own !== 0 ? 0 : carried + 1;
    const turns = reader.contrast.test(text.slice(0, CHARACTERS_OF_CONTRAST)) ? -1 : 1;
    held.set(number, own || (goesOn ? turns * (held.get(number - 1) ?? 0) : 0));
  }
  return held;
}

const isTold = ({ unfit, kind }: SourceSentence): boolean => unfit === undefined && kind !== 'row';

/** Whether the text itself weighs its matter up: some of its sentences are for it, and some against. */
function takesSides({ sentences, reader }: Pick<Material, 'sentences' | 'reader'>): boolean {
  const told = sentences.filter(isTold);
  const stances = stancesOf({ sentences, reader });
  const own = told.map(({ spoken, block }) => opinionOf({ reader }, spoken) || stances.get(block)!);
  const held = (sign: number) => own.filter((opinion) => opinion === sign).length;
  const [inFavour, against] = [held(1), held(-1)];
  return (
    Math.min(inFavour, against) >= Math.max(MIN_OPINIONS, told.length * MIN_OPINION_SHARE) &&
    inFavour + against >= told.length * MIN_OPINIONS_SHARE
  );
}

/** Turns of one opinion each; a sentence stays with the one it leans on. */
function turnsByOpinion(material: Material, opinion: ReadonlyMap<number, number>): Turn[] {
  return material.topics.flatMap(({ numbers }) => {
    const stretches: number[][] = [];
    const left = new Set<number>();
    for (const number of numbers) {
      const last = stretches.at(-1);
      const leans = material.sentences[number]!.leans;
      const isSame = last !== undefined && opinion.get(last[0]!) === opinion.get(number);
      // What answers its antecedent cannot be said by the side that has said that, and without it by nobody.
      const isOpposed = last !== undefined && opinion.get(last[0]!)! * opinion.get(number)! < 0;
      const isBound = last?.at(-1) === number - 1 && !mayPartBehind(material, number - 1);
      if ((leans && left.has(number - 1)) || (isBound && isOpposed)) left.add(number);
      else if (last !== undefined && (isSame || isBound)) last.push(number);
      else stretches.push([number]);
    }
    return stretches
      .flatMap((stretch) => answers(material, stretch, turnWords(material, WORDS_OF_TURN)))
      .map((part) => toTurn(material, part));
  });
}

/** Drops turns of the longer side, lightest first, for as long as none of them is more than what it has too much. */
function balanced(sides: [Turn[], Turn[]]): [Turn[], Turn[]] {
  for (;;) {
    const [one, other] = sides.map(wordsOfAll) as [number, number];
    const longer = sides[one >= other ? 0 : 1];
    const gap = Math.abs(one - other);
    const slack = (one + other) * 2 * SLACK;
    if (gap <= slack || longer.length < 2) return sides;
    const [dropped] = longer.filter((turn) => turn.words <= gap + slack).sort((a, b) => a.weight - b.weight);
    if (dropped === undefined) return sides;
    longer.splice(longer.indexOf(dropped), 1);
  }
}

/** The facts of neither side: at most a share of all, the weightiest. */
function commonGround(turns: readonly Turn[], mostWords: number): Turn[] {
  const kept: Turn[] = [];
  for (const turn of [...turns].sort((a, b) => b.weight - a.weight))
    if (wordsOfAll(kept) + turn.words <= mostWords) kept.push(turn);
  return inOrder(kept);
}

const numbersOf = (turns: readonly Turn[]): (readonly number[])[] =>
  inOrder(turns).map(({ numbers }) => numbers);

/** Undefined: the text does not weigh its matter up, or what it says on one side is too little. */
export function debateSides(material: Material): DebateSides | undefined {
  if (!takesSides(material)) return undefined;
  const opinion = opinionsOf(
    material,
    material.topics.flatMap((topic) => topic.numbers),
  );
  const turns = turnsByOpinion(material, opinion);
  const held = (sign: number) => turns.filter(({ numbers }) => opinion.get(numbers[0]!) === sign);
  const inFavour = held(1);
  const against = held(-1);
  if (Math.min(inFavour.length, against.length) < MIN_OPINIONS) return undefined;
  const sides = balanced([inFavour, against]);
  const words = wordsOfAll(sides[0]) + wordsOfAll(sides[1]);
  if (words < wordsOfAll(turns) * MIN_ARGUED_SHARE) return undefined;
  return {
    common: numbersOf(commonGround(held(0), words * COMMON_SHARE)),
    sides: [numbersOf(sides[0]), numbersOf(sides[1])],
  };
}
