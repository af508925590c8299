// All words of a turn once more, behind its end, where they were found: in parts of a bounded size and one at a time, for a
// chapter's are megabytes, which neither other turns nor the client's socket can take at once.

import type { Clock } from '../../base/clock.ts';
import { pause } from '../../base/pause.ts';
import type { TimedWord } from '../../captions/word-timeline.ts';
import type { EventOf } from '../../dialects/native-events.ts';
import type { TurnOutlet } from '../session-outlet.ts';
import { captionEvents } from './turn-messages.ts';

/** Some 50 kB. */
const MOST_WORDS = 500;
/** Between two parts others have their turn, and the socket sends. */
const BETWEEN_MS = 20;
/** A client that takes nothing for a sixth of this is let go as one that does not read. */
const LONGEST_CONGESTION_MS = 60_000;

/** The bound is told of a whole part. */
const belongTogether = (a: TimedWord, b: TimedWord): boolean =>
  a.line === b.line && wholeBound(a) === wholeBound(b);
const wholeBound = ({ withinMs }: TimedWord): number => (withinMs === undefined ? -1 : Math.ceil(withinMs));

/** The parts, each made when it is wanted; one without words where there are none. `fromMs`: where their time begins in that of the turn. */
export function* wordListParts(
  turn: string,
  words: readonly TimedWord[],
  fromMs: number,
): Generator<EventOf<'words'>, void, undefined> {
  if (words.length === 0) yield { type: 'words', turn, line: 0, words: [], estimated: true, more: false };
  for (let from = 0; from < words.length; ) {
    let to = from + 1;
    while (to < words.length && to < from + MOST_WORDS && belongTogether(words[from]!, words[to]!)) to += 1;
    const [part] = captionEvents(turn, words.slice(from, to), fromMs);
    yield { ...part!, type: 'words', more: to < words.length };
    from = to;
  }
}

/** Resolves when all parts have been told, or nobody takes them. */
export async function tellWordList(
  parts: Iterable<EventOf<'words'>>,
  outlet: Pick<TurnOutlet, 'say' | 'isCongested'>,
  clock: Clock,
): Promise<void> {
  let isFirst = true;
  for (const part of parts) {
    if (!isFirst) await pause(BETWEEN_MS, clock);
    isFirst = false;
    const untilMs = clock.now() + LONGEST_CONGESTION_MS;
    while (outlet.isCongested()) {
      if (clock.now() >= untilMs) return;
      await pause(BETWEEN_MS, clock);
    }
    outlet.say(part);
  }
}
