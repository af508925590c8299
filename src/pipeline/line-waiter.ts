// The one who waits for a line's next request: he is told as soon as there is one, or that there will be none.

export type LineWaiter<Item> = {
  /** Looks again. */
  readonly poke: () => void;
  /** The next item; undefined when there will be none. Rejects with the signal's reason. One waiter at a time. */
  readonly next: (signal: AbortSignal) => Promise<Item | undefined>;
};

/** `take`: what may be handed out now; `isOver`: nothing will come any more. */
export function createLineWaiter<Item>(
  take: () => Item | undefined,
  isOver: () => boolean,
): LineWaiter<Item> {
  let waiting: ((item: Item | undefined) => void) | undefined;
  return {
    poke() {
      if (waiting === undefined) return;
      const item = take();
      if (item === undefined && !isOver()) return;
      const resolve = waiting;
      waiting = undefined;
      resolve(item);
    },
    next(signal) {
      const item = take();
      if (item !== undefined || isOver()) return Promise.resolve(item);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        const abort = () => {
          waiting = undefined;
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', abort, { once: true });
        waiting = (found) => {
          signal.removeEventListener('abort', abort);
          resolve(found);
        };
      });
    },
  };
}
