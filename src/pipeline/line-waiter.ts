// The one who waits for a line's next request: he is told as soon as there is one, or that there will be none.

export type LineWaiter<Item> = {
  /** Looks again. */
  readonly poke: () => void;
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
    poke() {
      const resolve = waiting;
      if (resolve === undefined) return;
      // What is taken makes room, and what comes into that room pokes again: nobody waits meanwhile.
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
