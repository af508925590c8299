// Segments wait here until they are worth an upstream request. The upstream counts requests, not characters:
// the first words go at once, later text goes together, when what the listener still has to hear runs low.
// A flush or the end of the text sends what is there.

import { MAX_REQUEST_TEXT } from '../speech/speech-request.ts';
import {
  MAX_SPOKEN_SEGMENTS,
  MAX_SPOKEN_SIZE,
  type RequestText,
  requestEnd,
  segmentSize,
  splitIntoRequests,
} from '../text/request-text.ts';
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
  /** Somebody reads it, and it has less than fills a request. */
  wantsMore(): boolean;
  /** Memory that what waits takes. */
  bytes(): number;
  /** The text cannot be cut any further: whoever reads is told `fault`. */
  fail(fault: unknown): void;
};

export type RequestLineOptions = {
  /** Below this much audio left to hear, the next request is sent. */
  readonly prefetchMs: number;
  /** The same where nothing is gained by waiting for more text. */
  readonly readAheadMs: number;
  /** Audio that the listener has not heard yet, in ms. */
  readonly remainingMs: () => number;
  /** Called when there may be room for more text, and somebody reads. */
  readonly onRoom?: () => void;
  /** More text is there, which is being cut: a request waits for it, but for the first one. */
  readonly hasUncut?: () => boolean;
  /** The caller's own turn prefixes, used when they do not occur in the spoken text. */
  readonly prefixes: { readonly turnPrefix?: string | undefined; readonly turnPrefix2?: string | undefined };
};

export function createRequestLine(options: RequestLineOptions): RequestLine {
  /** Text up to the next flush, oldest first; `flushes` in a row stand behind it. */
  type Stretch = {
    segments: Segment[];
    flushes: number;
    /** Some of it has been handed out, because it was more than a request. */
    isBegun: boolean;
  };
  const stretches: Stretch[] = [];
  const ready: LineItem[] = [];
  let characters = 0;
  let size = 0;
  let segmentsWaiting = 0;
  let readyCharacters = 0;
  let handedOut = 0;
  let ended = false;
  let isRead = false;
  /** More of a stretch is ready than was due. */
  let isAhead = false;

  const isEmpty = () => stretches.length === 0;
  const fillsRequest = () => size >= MAX_SPOKEN_SIZE || segmentsWaiting >= MAX_SPOKEN_SEGMENTS;
  /** What has ended, or fills a request, gains nothing by waiting, and nobody gains by what is asked for too early. */
  const isFull = () => ended || fillsRequest();
  const isDue = () => {
    if (isEmpty()) return false;
    const { flushes, isBegun } = stretches[0]!;
    const isFlushed = flushes > 0;
    if (handedOut === 0 || (isFlushed && !isBegun)) return true;
    if (!isFull() && !isFlushed && options.hasUncut?.() === true) return false;
    return options.remainingMs() <= (isFull() || isFlushed ? options.readAheadMs : options.prefetchMs);
  };

  /** The stretch that text is added to: one behind which there is no flush yet. */
  const lastStretch = (): Stretch => {
    const last = stretches.at(-1);
    if (last !== undefined && last.flushes === 0) return last;
    const stretch = { segments: [], flushes: 0, isBegun: false };
    stretches.push(stretch);
    return stretch;
  };
  const count = (segment: Segment, by: 1 | -1) => {
    characters += by * segmentText(segment).length;
    size += by * segmentSize(segment);
    segmentsWaiting += by;
  };
  const keep = (segment: Segment) => {
    lastStretch().segments.push(segment);
    count(segment, 1);
  };

  /** Makes what is due ready: the first stretch, or what fills a request of it. */
  const collect = () => {
    const stretch = stretches[0]!;
    const { segments, flushes } = stretch;
    const end = requestEnd(segments, MAX_SPOKEN_SIZE);
    const group = segments.slice(0, end);
    for (const segment of group) count(segment, -1);
    for (const text of splitIntoRequests(group, MAX_REQUEST_TEXT, options.prefixes)) {
      ready.push({ kind: 'request', text });
      readyCharacters += text.text.length;
    }
    if (end < segments.length) {
      stretch.segments = segments.slice(end);
      stretch.isBegun = ready.length > 0;
      return;
    }
    stretches.shift();
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
    if (item !== undefined) options.onRoom?.();
    return item;
  };

  const waiter = createLineWaiter(take, () => ended && isEmpty() && ready.length === 0);

  return {
    add(segment) {
      keep(segment);
      waiter.poke();
    },
    flush() {
      // Flushes in a row are one place in the line, however many there are.
      (stretches.at(-1) ?? lastStretch()).flushes += 1;
      waiter.poke();
    },
    end() {
      ended = true;
      waiter.poke();
    },
    poke: waiter.poke,
    next(signal) {
      isRead = true;
      const item = waiter.next(signal);
      options.onRoom?.();
      return item;
    },
    handedOut: () => handedOut,
    waitingCharacters: () => characters + readyCharacters,
    hasText: () => !isEmpty() || ready.length > 0,
    wantsMore: () => isRead && !fillsRequest(),
    bytes: () => segmentsWaiting * SEGMENT_BYTES + 2 * (characters + readyCharacters),
    fail: waiter.fail,
  };
}

/** What a segment takes besides its text: itself, the run that it mostly has, and their places in lists. */
const SEGMENT_BYTES = 240;
