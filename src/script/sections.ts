// A source → the parts of it that a script tells, one after another: under its headings, as deep as they still make parts worth the
// name, or, where there are none, stretches of even length. Each has its share of the words, so that a script follows its source
// from the beginning to the end instead of dwelling where the ranks happen to be high.

import { headingName } from './heading-name.ts';
import type { SourceSentence } from './source-sentence.ts';

export type Section = {
  /** As people say it; undefined: the source has no name for it. */
  readonly name: string | undefined;
  /** Of the sentences that may be told, in order; at least one. */
  readonly numbers: readonly number[];
  readonly words: number;
};

/** What a script tells of a section. */
export type Topic = Pick<Section, 'name' | 'numbers'>;

/** Fewer sentences are passed over with the heading above them. */
const MIN_SENTENCES = 2;
/** Words of a script that make a stretch worth parting off. */
const WORDS_OF_STRETCH = 150;
/** A heading over at least this share of the text is its title, not a section. */
const TITLE_SHARE = 0.8;

/** How many headings from the top are titles of the whole text. */
export function titleDepth(sentences: readonly SourceSentence[]): number {
  for (let depth = 0; ; depth += 1) {
    const counts = new Map<string, number>();
    for (const { path } of sentences)
      if (path.length > depth) counts.set(path[depth]!, (counts.get(path[depth]!) ?? 0) + 1);
    if (!(Math.max(0, ...counts.values()) >= sentences.length * TITLE_SHARE) || sentences.length === 0)
      return depth;
  }
}

const wordsIn = (numbers: readonly number[], sentences: readonly SourceSentence[]): number =>
  numbers.reduce((sum, number) => sum + sentences[number]!.words, 0);

/** Parts of `numbers` whose sentences have the same headings down to `depth`. */
function byHeading(
  numbers: readonly number[],
  sentences: readonly SourceSentence[],
  from: number,
  depth: number,
): Section[] {
  const parts: { key: string; name: string | undefined; numbers: number[] }[] = [];
  for (const number of numbers) {
    const path = sentences[number]!.path.slice(from, from + depth);
    const key = path.join('\n');
    const last = parts.at(-1);
    if (last !== undefined && last.key === key) last.numbers.push(number);
    else parts.push({ key, name: headingName(path.at(-1)), numbers: [number] });
  }
  return parts.map(({ name, numbers: own }) => ({ name, numbers: own, words: wordsIn(own, sentences) }));
}

/** Even parts that end where a paragraph does. */
function byLength(numbers: readonly number[], sentences: readonly SourceSentence[], most: number): Section[] {
  const all = wordsIn(numbers, sentences);
  const parts: number[][] = [[]];
  let words = 0;
  for (const [index, number] of numbers.entries()) {
    const begins = index > 0 && sentences[number]!.block !== sentences[numbers[index - 1]!]!.block;
    if (begins && !sentences[number]!.leans && words >= (all * parts.length) / most) parts.push([]);
    parts.at(-1)!.push(number);
    words += sentences[number]!.words;
  }
  return parts
    .filter((part) => part.length > 0)
    .map((part) => ({ name: undefined, numbers: part, words: wordsIn(part, sentences) }));
}

/**
 * At most `most` sections of the sentences `numbers`; where there are more, those with the most `worth`, and always the one that
 * has `opening` in it. `budget`: words of the whole script.
 */
export function sectionsOf(
  numbers: readonly number[],
  sentences: readonly SourceSentence[],
  {
    most,
    budget,
    opening,
    worth,
  }: {
    readonly most: number;
    readonly budget: number;
    readonly opening: number | undefined;
    readonly worth: (numbers: readonly number[]) => number;
  },
): readonly Section[] {
  const from = titleDepth(sentences);
  const deepest = Math.max(0, ...numbers.map((number) => sentences[number]!.path.length - from));
  const isWorthIt = (section: Section) =>
    section.numbers.length >= MIN_SENTENCES || (opening !== undefined && section.numbers.includes(opening));
  let best = byHeading(numbers, sentences, from, Math.min(1, deepest));
  for (let depth = 2; depth <= deepest; depth += 1) {
    const finer = byHeading(numbers, sentences, from, depth);
    if (finer.length <= most && finer.every(isWorthIt)) best = finer;
  }
  if (best.length === 1) {
    const count = Math.max(1, Math.min(most, Math.round(budget / WORDS_OF_STRETCH)));
    const [whole] = best as [Section];
    return byLength(whole.numbers, sentences, count).map((part, index) =>
      index === 0 ? { ...part, name: whole.name } : part,
    );
  }
  const kept = best.filter(isWorthIt);
  const chosen = kept.length === 0 ? best : kept;
  const worthOf = (section: Section) =>
    opening !== undefined && section.numbers.includes(opening)
      ? Number.POSITIVE_INFINITY
      : worth(section.numbers);
  const heaviest = new Set([...chosen].sort((a, b) => worthOf(b) - worthOf(a)).slice(0, most));
  return withoutLongOnes(
    chosen.filter((section) => heaviest.has(section)),
    sentences,
    Math.min(most, Math.round(budget / WORDS_OF_STRETCH)),
  );
}

/** Sections that would hold the script up for long, in stretches; the first of them keeps the name. */
function withoutLongOnes(
  sections: readonly Section[],
  sentences: readonly SourceSentence[],
  most: number,
): readonly Section[] {
  const all = sections.reduce((sum, { words }) => sum + words, 0);
  const free = Math.max(0, most - sections.length);
  return sections.flatMap((section) => {
    const count = 1 + Math.floor((free * section.words) / all);
    if (count === 1) return [section];
    return byLength(section.numbers, sentences, count).map((part, index) =>
      index === 0 ? { ...part, name: section.name } : part,
    );
  });
}
