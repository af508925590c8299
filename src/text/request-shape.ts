// Requests cut further to what one service takes: one voice, so much text. The cut follows from the text and the service alone.

import { type RequestShape, type RequestText, splitAlone, splitIntoRequests } from './request-text.ts';
import type { Segment } from './segment.ts';

/**
 * A request as those that a service takes; it follows from the text and the service alone. `saidLength`: how long a request is
 * when it is sent, where that is not the length of its text.
 */
export function shapedRequests(
  request: RequestText,
  shape: RequestShape,
  saidLength?: (text: RequestText) => number,
): readonly RequestText[] {
  const requests = cutToShape(request, shape);
  return saidLength === undefined
    ? requests
    : requests.flatMap((each) => cutUntilFit(each, shape, saidLength));
}

/** Shorter pieces are not cut any further: what makes a few words too long is no pronunciation. */
const MIN_PIECE_UNITS = 64;

/** What becomes too long is cut at a length that shrinks with what it grows by. */
function cutUntilFit(
  request: RequestText,
  shape: RequestShape,
  saidLength: (text: RequestText) => number,
): readonly RequestText[] {
  const { length } = request.text;
  const said = saidLength(request);
  if (said <= shape.maxText || length <= MIN_PIECE_UNITS) return [request];
  const maxText = Math.max(
    MIN_PIECE_UNITS,
    Math.min(length - 1, Math.floor((length * shape.maxText) / said)),
  );
  return cutToShape(request, { ...shape, maxText }).flatMap((each) =>
    each.text.length < length ? cutUntilFit(each, shape, saidLength) : [each],
  );
}

function cutToShape(request: RequestText, { voices, maxText }: RequestShape): readonly RequestText[] {
  const { turnPrefix, turnPrefix2, parts } = request;
  const isDialogue = turnPrefix !== undefined;
  if (request.text.length <= maxText && !(isDialogue && voices === 'one')) return [request];
  const segments = parts.map(({ segment }) => segment);
  if (voices === 'two') {
    const own = { turnPrefix, turnPrefix2 };
    return splitIntoRequests(segments, maxText, own);
  }
  const turns: Segment[][] = [];
  for (const segment of segments) {
    const turn = turns.at(-1);
    if (turn !== undefined && (turn[0]!.speaker ?? 1) === (segment.speaker ?? 1)) turn.push(segment);
    else turns.push([segment]);
  }
  return turns.flatMap((turn) => splitAlone(turn, maxText));
}
