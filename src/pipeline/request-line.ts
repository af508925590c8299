// Segments wait here until they are worth an upstream request. The upstream counts requests, not characters:
// the first words go at once, later text goes together, when what the listener still has to hear runs low.
// A flush or the end of the text sends what is there.

import { MAX_REQUEST_TEXT } from '../speech/speech-request.ts';
import { type RequestText, splitIntoRequests } from '../text/request-text.ts';
import { type Segment, segmentText } from '../text/segment.ts';
import { createLineWaiter } from './line-waiter.ts';

export type LineItem =
  | { readonly kind: 'request'; readonly text: RequestText }
  /** All requests asked for before so many flushes in a row have been handed out. */
  | { readonly kind: 'flush'; readonly count: number };

export type RequestLine = {
  add(segment: Segment): void;
  flush(): void;
  end(): void;
  /** Looks again whether it is time; called by the session's tick. */
  poke(): void;
  /** The next request; undefined when the text has ended. */
  next(signal: AbortSignal): Promise<LineItem | undefined>;
  /** Requests handed out so far. */
  handedOut(): number;
  /** Characters that have not been handed out. */
  waitingCharacters(): number;
  /** True while there is text that has not been handed out. */
  hasText(): boolean;
};

export type RequestLineOptions = {
  /** Below this much audio left to hear, the next request is sent. */
  readonly prefetchMs: number;
  /** The same where nothing is gained by waiting for more text. */
  readonly readAheadMs: number;
  /** Audio that the listener has not heard yet, in ms. */
  readonly remainingMs: () => number;
  /** The caller's own turn prefixes, used when they do not occur in the spoken text. */
  readonly prefixes: { readonly turnPrefix?: string | undefined; readonly turnPrefix2?: string | undefined };
};

export function createRequestLine(options: RequestLineOptions): RequestLine {
  /** Text up to the next flush, oldest first; `flushes` in a row stand behind it. */
  type Stretch = { readonly segments: Segment[]; flushes: number };
  const stretches: Stretch[] = [];
  const ready: LineItem[] = [];
  let characters = 0;
  let readyCharacters = 0;
  let handedOut = 0;
  let ended = false;
  /** More of a stretch is ready than was due. */
  let isAhead = false;

  const isEmpty = () => stretches.length === 0;
  /** What has ended, or fills a request, gains nothing by waiting, and nobody gains by what is asked for too early. */
  const isFull = () => ended || characters >= MAX_REQUEST_TEXT;
  const isDue = () =>
    !isEmpty() &&
    (handedOut === 0 ||
      stretches[0]!.flushes > 0 ||
      options.remainingMs() <= (isFull() ? options.readAheadMs : options.prefetchMs));

  /** The stretch that text is added to: one behind which there is no flush yet. */
  const lastStretch = (): Stretch => {
    const last = stretches.at(-1);
    if (last !== undefined && last.flushes === 0) return last;
    const stretch = { segments: [], flushes: 0 };
    stretches.push(stretch);
    return stretch;
  };
  const keep = (segment: Segment) => {
    lastStretch().segments.push(segment);
    characters += segmentText(segment).length;
  };

  const collect = () => {
    const { segments, flushes } = stretches.shift()!;
    for (const segment of segments) characters -= segmentText(segment).length;
    for (const text of splitIntoRequests(segments, MAX_REQUEST_TEXT, options.prefixes)) {
      ready.push({ kind: 'request', text });
      readyCharacters += text.text.length;
    }
    if (flushes > 0) ready.push({ kind: 'flush', count: flushes });
  };

  const take = (): LineItem | undefined => {
    while (ready.length === 0 && isDue()) collect();
    if (isAhead && ready.length > 0 && options.remainingMs() > options.readAheadMs) return undefined;
    const item = ready.shift();
    isAhead = item?.kind === 'request' && ready[0]?.kind === 'request';
    if (item?.kind === 'request') {
      handedOut += 1;
      readyCharacters -= item.text.text.length;
    }
    return item;
  };

  const { poke, next } = createLineWaiter(take, () => ended && isEmpty() && ready.length === 0);

  return {
    add(segment) {
      keep(segment);
      poke();
    },
    flush() {
      // Flushes in a row are one place in the line, however many there are.
      (stretches.at(-1) ?? lastStretch()).flushes += 1;
      poke();
    },
    end() {
      ended = true;
      poke();
    },
    poke,
    next,
    handedOut: () => handedOut,
    waitingCharacters: () => characters + readyCharacters,
    hasText: () => !isEmpty() || ready.length > 0,
  };
}
