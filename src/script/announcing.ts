// How far a sentence reaches ahead: to the things that it announces ("There are three kinds"), or to the sentence that takes back
// what it says ("However, …"). Told without them it promises what is not given, or says the opposite of the source. The words
// are data of each language (languages/phrases/).
//
// As with leaning (leaning.ts) it is decided in favour of a bond: what is bound without need is told with its neighbour or not at all.

import type { LanguageReader } from './language-reader.ts';
import type { SourceSentence } from './source-sentence.ts';
import { endsAsSentence } from './spoken-form.ts';
import { asks } from './statement.ts';

type Bonds = Pick<LanguageReader, 'turns' | 'announcing' | 'counts' | 'opensList'>;
type Unbound = Omit<SourceSentence, 'until'>;

/** What is announced is not there, or cannot be told. */
const NEVER_TOLD = Number.POSITIVE_INFINITY;

/** So many further paragraphs are looked through for what was announced. */
const MAX_PARAGRAPHS = 8;

/** "Two kinds, globs and magic": the sentence gives what it announces. */
function givesItself(spoken: string, from: number, count: number): boolean {
  const rest = spoken.slice(from);
  if (/[:：;；—–]\s*\S/u.test(rest)) return true;
  return (rest.match(/[,，、،]/gu)?.length ?? 0) >= count - 1 && count > 1 && /[,，、،]/u.test(rest);
}

/** Where the announced things end: of `count` paragraphs, or of the list that follows. */
function endOfAnnounced(sentences: readonly Unbound[], number: number, count: number | undefined): number {
  const { path, block } = sentences[number]!;
  const isUnder = (at: number) => sentences[at]?.path === path;
  let last = number;
  while (isUnder(last + 1) && sentences[last + 1]!.block === block) last += 1;
  if (last > number) return last;
  if (!isUnder(last + 1)) return NEVER_TOLD;
  if (sentences[last + 1]!.kind !== 'sentence') {
    while (isUnder(last + 1) && sentences[last + 1]!.kind !== 'sentence') last += 1;
    return last;
  }
  for (let paragraphs = 0; paragraphs < Math.min(count ?? 1, MAX_PARAGRAPHS); paragraphs += 1) {
    if (!isUnder(last + 1)) return NEVER_TOLD;
    const own = sentences[last + 1]!.block;
    while (isUnder(last + 1) && sentences[last + 1]!.block === own) last += 1;
  }
  return last;
}

/** The last item of the list that `number` stands in, or right before. */
function endOfList(sentences: readonly Unbound[], number: number): number {
  let last = number;
  while (sentences[last + 1]?.kind === 'item' && sentences[last + 1]!.path === sentences[number]!.path)
    last += 1;
  return last;
}

function reachOf(sentences: readonly Unbound[], number: number, reader: Bonds): number {
  const { kind, spoken, text, path, block, unfit, leans, explains } = sentences[number]!;
  const next = sentences[number + 1];
  const follows = next?.path === path;
  const isListed = kind === 'item' && leans && !explains && !endsAsSentence(text);
  if (isListed || (unfit === 'lead-in' && follows && next.kind === 'item'))
    return endOfList(sentences, number);
  if (kind !== 'sentence' || unfit !== undefined) return number;
  if (asks(text)) return follows && next.kind === 'sentence' ? number + 1 : NEVER_TOLD;
  // Somebody's words, set apart, are what the last sentence before them speaks of ("The second letter was more pointed.").
  if (follows && next.unfit === 'quoted' && next.block !== block) return NEVER_TOLD;
  const turned = follows && next.kind === 'sentence' && reader.turns.test(next.text) ? number + 1 : number;
  const announced = reader.announcing.exec(spoken);
  if (announced !== null) {
    const counted = reader.counts.findIndex((word) => announced[0].toLowerCase().startsWith(word)) + 2;
    const count = counted < 2 ? undefined : counted;
    if (!givesItself(spoken, announced.index + announced[0].length, count ?? 2))
      return Math.max(turned, endOfAnnounced(sentences, number, count));
  }
  if (reader.opensList.test(text)) return Math.max(turned, endOfAnnounced(sentences, number, 1));
  return turned;
}

/** The sentences with the number of the last one that each must be told with. Linear but for the look ahead, which is bounded. */
export const withReach = (sentences: readonly Unbound[], reader: Bonds): SourceSentence[] =>
  sentences.map((sentence, number) => ({ ...sentence, until: reachOf(sentences, number, reader) }));
