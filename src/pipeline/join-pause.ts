// The silence where two requests of one text are joined, by what ends and begins there.

import { isParagraphEnd } from '../text/paragraphs.ts';
import { type RequestText, speakerOf } from '../text/request-text.ts';
import { segmentText } from '../text/segment.ts';

/** As long as the embedded engine rests at these places within a request, at the voice's own pace. */
const PARAGRAPH_MS = 400;
const SPEAKER_MS = 300;
const SENTENCE_MS = 200;

/** Between them the other speaker begins, at a service with one voice for each request. */
const isCutTurn = (before: RequestText, after: RequestText): boolean =>
  before.turnPrefix === undefined && after.turnPrefix === undefined && speakerOf(before) !== speakerOf(after);

/**
 * Milliseconds at a speed of 1. Text that comes bit by bit is cut where time has it: only the end of a paragraph, and the turn of
 * the other speaker, are known to be places where anybody would pause.
 */
export function joinPauseMs(before: RequestText, after: RequestText, cut: 'whole' | 'as-it-comes'): number {
  const last = before.parts.at(-1)?.segment;
  const next = after.parts[0]?.segment;
  if (last === undefined || next === undefined) return 0;
  if (isParagraphEnd(segmentText(last), segmentText(next))) return PARAGRAPH_MS;
  if (cut === 'as-it-comes') return isCutTurn(before, after) ? SPEAKER_MS : 0;
  if ((last.speaker ?? 1) !== (next.speaker ?? 1)) return SPEAKER_MS;
  const isEnd = last.boundary === 'sentence' || last.boundary === 'line' || last.line !== next.line;
  return isEnd ? SENTENCE_MS : 0;
}
