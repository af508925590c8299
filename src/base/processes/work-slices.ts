// A queue of work that is served for a slice of each iteration of the event loop, so that what is due in between does not
// wait for all of it. Where iterations are long, slices are: a loop with much else to do serves no less work.

export type WorkSlices<Each> = {
  /** One that is queued already keeps its place. */
  add(one: Each): void;
  /** Serves the queue, the first at once, unless that is under way. */
  go(): void;
  clear(): void;
};

export type WorkSlicesOptions<Each> = {
  /** Runs a task after the current iteration of the event loop. */
  readonly soon: (task: () => void) => void;
  readonly now: () => number;
  /** Work that serving starts by promises counts, too. */
  readonly serve: (one: Each) => void;
  /**
   * At least one is served in each iteration, however long it takes; the queue gets a third of the time if that is more.
   */
  readonly sliceMs: number;
  /** A slice is no longer than this, however long the rest of an iteration is. */
  readonly maxMs?: number;
};

/** A third of all time: half of what went into other things. */
const SHARE = 1 / 2;
/** Even after a stall, sockets are served soon: their clients may want to interrupt. */
const MAX_MS = 10;

export function createWorkSlices<Each>({
  soon,
  now,
  serve,
  sliceMs,
  maxMs = MAX_MS,
}: WorkSlicesOptions<Each>): WorkSlices<Each> {
  const waiting = new Set<Each>();
  let isUnderWay = false;
  let sliceEndsMs = 0;

  const serveNext = () => {
    for (const one of waiting) {
      waiting.delete(one);
      isUnderWay = true; // serving may add others, and call `go`
      try {
        serve(one);
      } finally {
        isUnderWay = waiting.size > 0;
        // After what serving has started.
        if (isUnderWay) queueMicrotask(goOn);
      }
      return;
    }
    isUnderWay = false;
  };
  const beginSlice = (elsewhereMs: number) => {
    sliceEndsMs = now() + Math.min(Math.max(sliceMs, elsewhereMs * SHARE), maxMs);
    serveNext();
  };
  const goOn = () => {
    const nowMs = now();
    if (nowMs < sliceEndsMs) serveNext();
    else soon(() => beginSlice(now() - nowMs));
  };

  return {
    add(one) {
      waiting.add(one);
    },
    go() {
      if (!isUnderWay) beginSlice(0);
    },
    clear() {
      waiting.clear();
    },
  };
}
