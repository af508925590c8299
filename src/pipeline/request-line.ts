// Segments wait here until they are worth an upstream request. The upstream counts requests, not characters: the first
// words go at once; later text is sent together, when the audio that the listener still has to hear runs low.
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

export type LineItem =
  | { readonly kind: 'request'; readonly text: RequestText }
  /** All requests asked for before so many flushes in a row have been handed out. */
  | { readonly kind: 'flush'; readonly count: number };

export type RequestLine = {
  add(segment: Segment): void;
  flush(): void;
  end(): void;
  /** Checks again whether a request is due; called by the session's tick. */
  recheck(): void;
  /** The next request; undefined when the text has ended. */
  next(signal: AbortSignal): Promise<LineItem | undefined>;
  /** Requests handed out so far. */
  handedOut(): number;
  /** Characters that have not been handed out. */
  waitingCharacters(): number;
  /** True while there is text that has not been handed out. */
  hasText(): boolean;
  /** It has a reader, and less text than fills a request. */
  wantsMore(): boolean;
  /** Memory of the waiting text. */
  bytes(): number;
  /** The text cannot be segmented any further: the reader gets `fault`. */
  fail(fault: unknown): void;
};

export type RequestLineOptions = {
  /** Below this much audio left to hear, the next request is sent. */
  readonly prefetchMs: number;
  /** The same where nothing is gained by waiting for more text. */
  readonly readAheadMs: number;
  /** Audio that the listener has not heard yet, in ms. */
  readonly remainingMs: () => number;
  /** Called when there may be room for more text, and it has a reader. */
  readonly onRoom?: () => void;
  /** More text is being segmented: every request but the first waits for it. */
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
  /** More of a stretch is ready than is due. */
  let isAhead = false;

  const isEmpty = () => stretches.length === 0;
  const fillsRequest = () => size >= MAX_SPOKEN_SIZE || segmentsWaiting >= MAX_SPOKEN_SEGMENTS;
  /** Waiting for more text gains nothing: it has ended, or fills a request. */
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

  /** Makes ready what is due: the first stretch, or as much of it as fills a request. */
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
      waiter.recheck();
    },
    flush() {
      // Flushes in a row are one entry of the line, however many there are.
      (stretches.at(-1) ?? lastStretch()).flushes += 1;
      waiter.recheck();
    },
    end() {
      ended = true;
      waiter.recheck();
    },
    recheck: waiter.recheck,
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

/** Memory of a segment besides its text: the object, its usual one run, and their list entries. */
const SEGMENT_BYTES = 240;

/** The one waiter for the next item of a line. */
export type LineWaiter<Item> = {
  /** Hands out an item to the waiter, if there is one now. */
  readonly recheck: () => void;
  /** The next item; undefined when there will be none. Rejects with the signal's reason. One waiter at a time. */
  readonly next: (signal: AbortSignal) => Promise<Item | undefined>;
  /** Nothing will come any more, because of `fault`. */
  readonly fail: (fault: unknown) => void;
};

/** `take`: what may be handed out now; `isOver`: nothing will come any more. */
export function createLineWaiter<Item>(
  take: () => Item | undefined,
  isOver: () => boolean,
): LineWaiter<Item> {
  let waiting: ((item: Item | undefined) => void) | undefined;
  let refuse: ((fault: unknown) => void) | undefined;
  let broken: { readonly fault: unknown } | undefined;
  return {
    recheck() {
      const resolve = waiting;
      if (resolve === undefined) return;
      // Taking makes room, and text that then comes in calls `recheck` again: no waiter is registered meanwhile.
      waiting = undefined;
      const item = take();
      if (item === undefined && !isOver()) waiting = resolve;
      else resolve(item);
    },
    fail(fault) {
      broken = { fault };
      waiting = undefined;
      refuse?.(fault);
    },
    next(signal) {
      if (broken !== undefined) return Promise.reject(broken.fault as Error);
      const item = take();
      if (item !== undefined || isOver()) return Promise.resolve(item);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        const abort = () => {
          waiting = undefined;
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', abort, { once: true });
        refuse = reject;
        waiting = (found) => {
          signal.removeEventListener('abort', abort);
          resolve(found);
        };
      });
    },
  };
}
