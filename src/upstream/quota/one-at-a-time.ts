// A task that must not overlap itself, and whose callers want it to begin after they have called.

export type OneAtATime = {
  /** Runs it; while it runs, the next run, which all who wait share. */
  run(): Promise<void>;
  /** The run that is under way, or a new one. */
  join(): Promise<void>;
  /** When nothing is under way; never rejects. */
  idle(): Promise<void>;
};

export function oneAtATime(task: () => Promise<void>): OneAtATime {
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
