// Time as an argument. `now` is monotonic milliseconds (never the wall clock, which steps);
// timers are part of the port so that tests can run hours in microseconds.

export type Clock = {
  /** Monotonic milliseconds with a fraction; only differences mean something. */
  now(): number;
  /** Calls `task` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, task: () => void): () => void;
  /** Calls `task` after the current iteration of the event loop, before timers. */
  soon(task: () => void): void;
};

export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
  soon(task) {
    setImmediate(task);
  },
};
