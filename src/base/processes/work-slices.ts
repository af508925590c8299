// Those who wait for a piece of work, served for a slice of each turn of the event loop, so that what is due in between is not
// kept waiting by all of them. Where turns are long, slices are: a loop with much else to do serves no fewer for it.

export type WorkSlices<Each> = {
  /** One that waits already keeps its place. */
  add(one: Each): void;
  /** Serves those who wait, the first at once, unless that is under way. */
  go(): void;
  clear(): void;
};

export type WorkSlicesOptions<Each> = {
  /** Runs a task when the turn of the event loop is over. */
  readonly soon: (task: () => void) => void;
  readonly now: () => number;
  /** What serving sets going by promises counts, too. */
  readonly serve: (one: Each) => void;
  /** Somebody is served in each turn, however long it takes; who waits gets a third of the time if this is not as much. */
  readonly sliceMs: number;
  /** A slice is no longer than this, however long the rest of a turn is. */
  readonly maxMs?: number;
};

/** A third of all time: half of what went into other things. */
const SHARE = 1 / 2;
/** Behind a stall, too, others have their turn soon: sockets, whose readers may want to interrupt. */
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
      isUnderWay = true; // whoever is served may add others, and ask to go on
      try {
        serve(one);
      } finally {
        isUnderWay = waiting.size > 0;
        // Behind what serving has set going.
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
