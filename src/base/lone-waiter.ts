// The one who waits for what comes many times a second. A listener on an AbortSignal costs more than most of what is waited
// for, so it is set once for each signal and stays there for its next waits:
// signals are to last no longer than the one who waits.

export type LoneWaiter = {
  isWaiting(): boolean;
  /** Resolves at `release`; rejects with what `fail` was given, or with the signal's reason. One wait at a time. */
  wait(signal: AbortSignal): Promise<void>;
  release(): void;
  fail(reason: unknown): void;
};

export function createLoneWaiter(): LoneWaiter {
  let waiting: { resolve(): void; reject(reason: unknown): void } | undefined;
  let watched: AbortSignal | undefined;

  const fail = (reason: unknown) => {
    const waited = waiting;
    waiting = undefined;
    waited?.reject(reason);
  };
  const onAbort = () => fail(watched?.reason);
  const watch = (signal: AbortSignal) => {
    if (watched === signal) return;
    watched?.removeEventListener('abort', onAbort);
    watched = signal;
    signal.addEventListener('abort', onAbort, { once: true });
  };

  return {
    isWaiting: () => waiting !== undefined,
    wait(signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      watch(signal);
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
      });
    },
    release() {
      const waited = waiting;
      waiting = undefined;
      waited?.resolve();
    },
    fail,
  };
}
