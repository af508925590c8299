// Simulated time for very many events: a heap, where a fake clock looks through all of its timers.

export type Timeline = {
  readonly nowMs: number;
  /** Runs `task` at that time, or at once when it has passed; at the same time in the order of asking. */
  at(atMs: number, task: () => void): void;
  runTo(endMs: number): void;
};

type Event = { readonly atMs: number; readonly order: number; readonly task: () => void };

const isBefore = (a: Event, b: Event) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

export function createTimeline(): Timeline {
  const heap: Event[] = [];
  let nowMs = 0;
  let order = 0;

  const pop = (): Event => {
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
    return first;
  };

  return {
    get nowMs() {
      return nowMs;
    },
    at(atMs, task) {
      const event = { atMs: Math.max(nowMs, atMs), order: order++, task };
      let place = heap.length;
      heap.push(event);
      while (place > 0) {
        const parent = (place - 1) >> 1;
        if (!isBefore(event, heap[parent]!)) break;
        heap[place] = heap[parent]!;
        place = parent;
      }
      heap[place] = event;
    },
    runTo(endMs) {
      while (heap.length > 0 && heap[0]!.atMs <= endMs) {
        const event = pop();
        nowMs = event.atMs;
        event.task();
      }
      nowMs = endMs;
    },
  };
}
