// The requests of a text that is known as a whole, made one by one, each when the audio that the listener still has to hear
// runs low. Nothing is gathered: what is requested too early is only buffered, or skipped by a seek.

import type { RequestText } from '../text/request-text.ts';
import { createLineWaiter, type LineItem, type RequestLine } from './request-line.ts';

export type WholeLineOptions = {
  /** 'more': a piece of text has been segmented, and there is no request yet. */
  readonly requests: Iterator<RequestText | 'more'>;
  /** Calls `cutOn` after other sessions have had their share of the thread. */
  readonly later: (cutOn: () => void) => void;
  /** Characters that the requests are made of, when none has been made. */
  readonly characters: number;
  /** Below this much audio left to hear, the next request is handed out. */
  readonly readAheadMs: number;
  /** Audio that the listener has not heard yet, ms. */
  readonly remainingMs: () => number;
};

export type WholeLine = Omit<RequestLine, 'add' | 'end' | 'wantsMore' | 'fail'>;

export function createWholeLine(options: WholeLineOptions): WholeLine {
  const { requests, later, readAheadMs, remainingMs } = options;
  let left = options.characters;
  let handedOut = 0;
  let text: 'open' | 'over' = 'open';
  /** They stand at the end of the text. */
  let flushes = 0;

  const isDue = () => handedOut === 0 || remainingMs() <= readAheadMs;
  let cutting: 'now' | 'later' = 'now';

  const cutOn = () => {
    cutting = 'now';
    try {
      waiter.recheck();
    } catch (fault) {
      waiter.fail(fault);
    }
  };
  const take = (): LineItem | undefined => {
    if (text === 'open') {
      if (cutting === 'later' || !isDue()) return undefined;
      const next = requests.next();
      if (next.value === 'more') {
        cutting = 'later';
        later(cutOn);
        return undefined;
      }
      if (next.done !== true) {
        handedOut += 1;
        left -= next.value.text.length;
        return { kind: 'request', text: next.value };
      }
      text = 'over';
      left = 0;
    }
    if (flushes === 0) return undefined;
    const count = flushes;
    flushes = 0;
    return { kind: 'flush', count };
  };
  const waiter = createLineWaiter(take, () => text === 'over');

  return {
    recheck: waiter.recheck,
    next: waiter.next,
    flush() {
      flushes += 1;
      waiter.recheck();
    },
    handedOut: () => handedOut,
    waitingCharacters: () => Math.max(0, left),
    hasText: () => text === 'open',
    bytes: () => 0,
  };
}
