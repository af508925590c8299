// A server that callers wait for, and no longer than ASK_MS. After some failures in a row nobody waits for it any more, and from
// time to time one caller tries it.

import type { Clock } from '../../base/clock.ts';

/** The longest that a caller waits for the server. */
const ASK_MS = 100;
/** So many failures in a row open the circuit, for this long. */
const FAILURES = 3;
const OPEN_MS = 2_000;

export type ServerCircuit = {
  /** No caller should wait for an answer now. */
  isOpen(): boolean;
  /** One may try: the circuit is closed, or has been open long enough. */
  mayTry(): boolean;
  /** Counts what becomes of an answer; a failure is told to `onFailure` and goes on. */
  heard<T>(answer: Promise<T>): Promise<T>;
  /** What `ask` comes to, or `alone` when it fails or is too late. An `ask` that comes to undefined was over before. */
  inTime<T>(ask: (isOver: () => boolean) => Promise<T | undefined>, alone: () => T): Promise<T>;
};

export function createServerCircuit(
  clock: Pick<Clock, 'now' | 'after' | 'soon'>,
  onFailure: () => void,
): ServerCircuit {
  let inARow = 0;
  let openUntilMs = 0;
  const isOpen = () => inARow >= FAILURES;
  return {
    isOpen,
    mayTry: () => !isOpen() || clock.now() >= openUntilMs,
    async heard(answer) {
      try {
        const value = await answer;
        inARow = 0;
        return value;
      } catch (error) {
        inARow += 1;
        if (isOpen()) openUntilMs = clock.now() + OPEN_MS;
        onFailure();
        throw error;
      }
    },
    inTime: <T>(ask: (isOver: () => boolean) => Promise<T | undefined>, alone: () => T) =>
      new Promise<T>((resolve) => {
        let isOver = false;
        const settle = (answer: () => T) => {
          if (isOver) return;
          isOver = true;
          cancel();
          resolve(answer());
        };
        // An answer that came while this process was busy is still unread: it is handled first.
        const cancel = clock.after(ASK_MS, () => clock.soon(() => settle(alone)));
        ask(() => isOver).then(
          (answer) => {
            if (answer !== undefined) settle(() => answer);
          },
          () => settle(alone),
        );
      }),
  };
}

// What is exchanged with it all the time must not overlap itself, and its callers want a run that begins after their call.

export type SingleFlight = {
  /** Runs it; while it runs, schedules one next run, which all waiting callers share. */
  run(): Promise<void>;
  /** The run that is under way, or a new one. */
  join(): Promise<void>;
  /** Resolves when no run is under way; never rejects. */
  idle(): Promise<void>;
};

export function singleFlight(task: () => Promise<void>): SingleFlight {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const start = (): Promise<void> => {
    running = task().finally(() => {
      running = undefined;
    });
    return running;
  };
  const run = (): Promise<void> => {
    if (running === undefined) return start();
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  };
  return {
    run,
    join: () => running ?? start(),
    async idle() {
      while (running !== undefined) await running.catch(() => {});
    },
  };
}
