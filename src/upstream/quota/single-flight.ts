// A task that must not overlap itself, and whose callers want a run that begins after their call.

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
