// The sends of one quota that may still count, each with its reservation: a ring that keeps their order, and a map by reservation,
// so that a send that is asked for twice is counted once and one that was never sent is removed again. It also knows which are
// answered: a request under way proves nothing.

import type { SendTimes } from './quota-window.ts';

export type SendLog = SendTimes & {
  /** Counts one send and answers with the time that it has in the log: `nowMs`, or the newest time if that is later.
   * A reservation that is there already keeps its time and is not counted again. */
  add(reservation: string, nowMs: number): number;
  timeOf(reservation: string): number | undefined;
  /** Number of sends without an answer. */
  unanswered(): number;
  answered(reservation: string): void;
  /** Removes this send; false when it is not there (any more). Cost: the number of later ones. */
  remove(reservation: string): boolean;
  /** Forgets the sends before `ms`. */
  forget(ms: number): void;
};

const FIRST_ROOM = 64;

/** Keeps at most `maxSends`, dropping the oldest; more than any limit over two windows is enough. O(1) amortised. */
export function createSendLog(maxSends: number): SendLog {
  let room = Math.min(maxSends, FIRST_ROOM);
  let times = new Float64Array(room);
  let names = new Array<string>(room);
  const byName = new Map<string, number>();
  const open = new Set<string>();
  let oldest = 0;
  let count = 0;

  const placeOf = (k: number) => (oldest + count - 1 - k) % room;
  const grow = () => {
    const wider = Math.min(maxSends, room * 2);
    const [moreTimes, moreNames] = [new Float64Array(wider), new Array<string>(wider)];
    for (let i = 0; i < count; i++) {
      moreTimes[i] = times[(oldest + i) % room]!;
      moreNames[i] = names[(oldest + i) % room]!;
    }
    [times, names, oldest, room] = [moreTimes, moreNames, 0, wider];
  };
  const dropOldest = () => {
    byName.delete(names[oldest]!);
    open.delete(names[oldest]!);
    names[oldest] = '';
    oldest = (oldest + 1) % room;
    count -= 1;
  };

  return {
    count: () => count,
    newest: (k) => times[placeOf(k)]!,
    timeOf: (reservation) => byName.get(reservation),
    unanswered: () => open.size,
    answered(reservation) {
      open.delete(reservation);
    },
    add(reservation, nowMs) {
      const known = byName.get(reservation);
      if (known !== undefined) return known;
      const atMs = count === 0 ? nowMs : Math.max(nowMs, times[placeOf(0)]!);
      if (count === room && room < maxSends) grow();
      if (count === room) dropOldest();
      count += 1;
      times[placeOf(0)] = atMs;
      names[placeOf(0)] = reservation;
      byName.set(reservation, atMs);
      open.add(reservation);
      return atMs;
    },
    remove(reservation) {
      if (!byName.delete(reservation)) return false;
      open.delete(reservation);
      let k = 0;
      while (names[placeOf(k)] !== reservation) k += 1;
      // Later ones move up; an unsent one is nearly always among the newest.
      for (; k > 0; k--) {
        times[placeOf(k)] = times[placeOf(k - 1)]!;
        names[placeOf(k)] = names[placeOf(k - 1)]!;
      }
      names[placeOf(0)] = '';
      count -= 1;
      return true;
    },
    forget(ms) {
      while (count > 0 && times[oldest]! < ms) dropOldest();
    },
  };
}
