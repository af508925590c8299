// A clock that stands still until a test moves it. Timers run in the order of their due times (then of their making),
// each at exactly its own time; `soon` tasks run before the next timer, as on the real event loop.

import type { Clock } from '../../src/base/clock.ts';

export type FakeClock = Clock & {
  /** Moves time on by `ms`, synchronously: for code without promises. */
  advance(ms: number): void;
  /** As `advance`, letting promises (and real sockets) go on before each timer and at the end. */
  run(ms: number): Promise<void>;
  /** Runs what is due now: `soon` tasks and timers of 0 ms. */
  flush(): void;
  /** Timers that are set: 0 at the end of a test shows that nothing was left running. */
  readonly timers: number;
};

/** Lets everything that is ready go on: promise reactions, and one turn of the event loop for sockets. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function createFakeClock(startMs = 1_000): FakeClock {
  let now = startMs;
  let made = 0;
  const timers = new Map<number, { readonly dueMs: number; readonly task: () => void }>();
  let tasks: (() => void)[] = [];

  const runTasks = () => {
    while (tasks.length > 0) {
      const batch = tasks;
      tasks = [];
      for (const task of batch) task();
    }
  };
  /** The timer that is due first and not after `endMs`. */
  const nextTimer = (endMs: number) => {
    let first: { id: number; dueMs: number } | undefined;
    for (const [id, { dueMs }] of timers) {
      if (dueMs <= endMs && (first === undefined || dueMs < first.dueMs)) first = { id, dueMs };
    }
    return first?.id;
  };
  const fire = (id: number) => {
    const timer = timers.get(id)!;
    timers.delete(id);
    now = Math.max(now, timer.dueMs);
    timer.task();
    runTasks();
  };

  const clock: FakeClock = {
    now: () => now,
    after(delayMs, task) {
      const id = made++;
      timers.set(id, { dueMs: now + Math.max(0, delayMs), task });
      return () => timers.delete(id);
    },
    soon(task) {
      tasks.push(task);
    },
    advance(ms) {
      const end = now + ms;
      runTasks();
      for (let id = nextTimer(end); id !== undefined; id = nextTimer(end)) fire(id);
      now = end;
    },
    async run(ms) {
      const end = now + ms;
      await settle();
      runTasks();
      for (let id = nextTimer(end); id !== undefined; id = nextTimer(end)) {
        fire(id);
        await settle();
      }
      now = end;
      await settle();
    },
    flush: () => clock.advance(0),
    get timers() {
      return timers.size;
    },
  };
  return clock;
}
