// Picked sentences → the topics of a script, in the order of the source: by its headings as deep as they still make
// chapters worth the name, or, where there are none, by sections of even length.

import { headingName } from './heading-name.ts';
import type { SourceSentence } from './source-sentence.ts';

export type Topic = {
  /** As people say it; undefined: the source has no name for it. */
  readonly name: string | undefined;
  readonly numbers: readonly number[];
};

const SENTENCES_OF_STRETCH = 6;
const MIN_IN_TOPIC = 2;
/** A heading over at least this share of the text is its title, not a topic. */
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

/** Parts of `numbers` whose sentences have one heading at `depth`, in order. */
function byHeading(
  numbers: readonly number[],
  sentences: readonly SourceSentence[],
  from: number,
  depth: number,
): Topic[] {
  const topics: { key: string; name: string | undefined; numbers: number[] }[] = [];
  for (const number of numbers) {
    const path = sentences[number]!.path.slice(from, from + depth);
    const key = path.join('\n');
    const last = topics.at(-1);
    if (last !== undefined && last.key === key) last.numbers.push(number);
    else topics.push({ key, name: headingName(path.at(-1)), numbers: [number] });
  }
  return topics;
}

/** Even parts that end where a paragraph does, if one ends near. */
function byLength(topic: Topic, sentences: readonly SourceSentence[], most: number): Topic[] {
  const { numbers } = topic;
  const count = Math.max(1, Math.min(most, Math.round(numbers.length / SENTENCES_OF_STRETCH)));
  const block = (at: number) => sentences[numbers[at]!]!.block;
  const parts: Topic[] = [];
  let from = 0;
  for (let part = 1; part <= count; part += 1) {
    let to = Math.round((part * numbers.length) / count);
    while (to < numbers.length && (block(to) === block(to - 1) || sentences[numbers[to]!]!.leans)) to += 1;
    if (to > from)
      parts.push({ name: part === 1 ? topic.name : undefined, numbers: numbers.slice(from, to) });
    from = Math.max(from, to);
  }
  return parts;
}

/** There may be more than `most` where the source has more chapters; the caller then picks from fewer of them. */
export function topicsOf(
  numbers: readonly number[],
  sentences: readonly SourceSentence[],
  most: number,
): readonly Topic[] {
  const from = titleDepth(sentences);
  const deepest = Math.max(0, ...numbers.map((number) => sentences[number]!.path.length - from));
  let best = byHeading(numbers, sentences, from, Math.min(1, deepest));
  for (let depth = 2; depth <= deepest; depth += 1) {
    const finer = byHeading(numbers, sentences, from, depth);
    if (finer.length <= most && numbers.length / finer.length >= MIN_IN_TOPIC) best = finer;
  }
  return best.length === 1 ? byLength(best[0]!, sentences, most) : best;
}
