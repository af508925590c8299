// A text through all of a turn's reading: whole, and as it comes in pieces.
import type { Segment } from '../../src/text/segment.ts';
import { segmentText } from '../../src/text/segment.ts';
import { createTurnText, type TurnTextOptions, wholeTextSegments } from '../../src/text/turn-text.ts';

type How = Partial<Omit<TurnTextOptions, 'early' | 'text' | 'within'>>;
const full = (how: How) => ({ language: 'english', markup: 'strip', ...how }) as const;

/** Speaker and text of each stretch that one speaker says, white space made one blank. */
export function spokenOf(segments: readonly Segment[]): string[] {
  const said: { speaker: number | undefined; text: string }[] = [];
  for (const segment of segments) {
    const last = said.at(-1);
    if (last?.speaker === segment.speaker && last !== undefined) last.text += segmentText(segment);
    else said.push({ speaker: segment.speaker, text: segmentText(segment) });
  }
  return said
    .map(({ speaker, text }) => `${speaker ?? '-'} ${text.replace(/\s+/g, ' ').trim()}`)
    .filter((line) => /[\p{L}\p{N}]/u.test(line.slice(2)));
}

export const readWhole = (text: string, how: How = {}): Segment[] => wholeTextSegments(text, full(how));

export function readPieces(chunks: readonly string[], how: How = {}): Segment[] {
  const segments: Segment[] = [];
  const turn = createTurnText({ ...full(how), early: 'off' }, (segment) => segments.push(segment));
  for (const chunk of chunks) turn.append(chunk);
  turn.end();
  return segments;
}
