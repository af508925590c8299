// The time of the shared store by this instance's monotonic clock: so that sends made without the store can be reported later, and
// a window is the same for all instances however their wall clocks differ. Each answer bounds it: the store had that time after
// it was asked and before it answered. The bounds of all answers are intersected, so that a slow or late one does not widen them;
// but only while the store's time runs evenly: a new epoch or a clock that was set may move it by less than a bound shows.

import type { Clock } from '../../base/clock.ts';
import type { Told } from './quota-server.ts';

export type StoreTime = {
  isKnown(): boolean;
  /** Whole milliseconds; never ahead of the store. Before the first answer: this instance's own clock. */
  now(): number;
  /** As `now`, but never behind the store: a send that is stamped late counts long enough. */
  latest(): number;
  /** Takes the time of an answer to a request of `askedAtMs` (own clock). Returns by how much `now` has jumped. */
  learn(told: Pick<Told, 'epoch' | 'storeMs' | 'shiftMs'>, askedAtMs: number): number;
};

/** Two clocks may drift apart by this share of the time: 100 parts in a million. */
const DRIFT = 1e-4;

export function createStoreTime(clock: Clock): StoreTime {
  let isKnown = false;
  /** The period of even time that the bounds belong to. */
  let stretch = '';
  /** Bounds of the store's time minus the own, at `boundedAtMs`. */
  let [leastMs, mostMs, boundedAtMs] = [0, 0, 0];
  const slackMs = () => (isKnown ? (clock.now() - boundedAtMs) * DRIFT : 0);
  const offsetMs = () => leastMs - slackMs();

  return {
    isKnown: () => isKnown,
    now: () => Math.floor(clock.now() + offsetMs()),
    latest: () => Math.ceil(clock.now() + mostMs + slackMs()),
    learn({ epoch, storeMs, shiftMs }, askedAtMs) {
      const isEven = stretch === `${epoch} ${shiftMs}`;
      stretch = `${epoch} ${shiftMs}`;
      const beforeMs = offsetMs();
      const answeredAtMs = clock.now();
      // A whole millisecond stands for any moment in it.
      const [fromMs, toMs] = [storeMs - answeredAtMs, storeMs + 1 - askedAtMs];
      const [lowMs, highMs] = [Math.max(fromMs, beforeMs), Math.min(toMs, mostMs + slackMs())];
      // Disjoint bounds: the store's time has jumped.
      [leastMs, mostMs] = isEven && lowMs <= highMs ? [lowMs, highMs] : [fromMs, toMs];
      boundedAtMs = answeredAtMs;
      isKnown = true;
      return Math.round(leastMs - beforeMs);
    },
  };
}
