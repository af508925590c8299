// What time the shared store has, by this instance's monotonic clock: so that sends made without the store can be told
// to it later, and a window is the same for all instances however their wall clocks differ.

import type { Clock } from '../../base/clock.ts';

export type StoreTime = {
  isKnown(): boolean;
  /** Whole milliseconds; never ahead of the store. This instance's own clock before the store was heard. */
  now(): number;
  /** As `now`, but never behind the store: a send that is stamped late counts long enough. */
  latest(): number;
  /** An answer that was asked for at `askedAtMs` of the own clock has this time. Gives by how much `now` has jumped. */
  learn(storeMs: number, askedAtMs: number): number;
};

export function createStoreTime(clock: Clock): StoreTime {
  let isKnown = false;
  let offsetMs = 0;
  let roundTripMs = 0;
  const now = () => Math.floor(clock.now() + offsetMs);

  return {
    isKnown: () => isKnown,
    now,
    latest: () => Math.ceil(clock.now() + offsetMs + roundTripMs),
    learn(storeMs, askedAtMs) {
      const answeredAtMs = clock.now();
      const jumpMs = Math.round(storeMs - answeredAtMs - offsetMs);
      offsetMs = storeMs - answeredAtMs;
      roundTripMs = answeredAtMs - askedAtMs;
      isKnown = true;
      return jumpMs;
    },
  };
}
