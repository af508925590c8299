// Those who wait for a piece of work, served one in a turn of the event loop, so that what is due in between is not kept
// waiting by all of them. The first is served at once.

export type OnePerTurn<Each> = {
  /** Whoever waits already keeps his place. */
  add(one: Each): void;
  /** Serves those who wait, unless that is under way. */
  go(): void;
  clear(): void;
};

/** `soon` runs a task when the turn of the event loop is over. */
export function createOnePerTurn<Each>(
  soon: (task: () => void) => void,
  serve: (one: Each) => void,
): OnePerTurn<Each> {
  const waiting = new Set<Each>();
  let isUnderWay = false;
  const serveNext = () => {
    isUnderWay = false;
    for (const one of waiting) {
      waiting.delete(one);
      isUnderWay = waiting.size > 0;
      if (isUnderWay) soon(serveNext);
      serve(one);
      return;
    }
  };
  return {
    add(one) {
      waiting.add(one);
    },
    go() {
      if (!isUnderWay) serveNext();
    },
    clear() {
      waiting.clear();
    },
  };
}
