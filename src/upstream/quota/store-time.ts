// What time the shared store has, by this instance's monotonic clock: so that sends made without the store can be told
// to it later, and a window is the same for all instances however their wall clocks differ. Each answer bounds it: the
// store had that time after it was asked and before it had answered. The bounds of all answers are kept together, so
// that one which was long on its way, or was read late, does not blur what is known; but only while the store's time runs
// evenly: an epoch that begins anew, and a clock that was set, move it by less than any bound would show.

import type { Clock } from '../../base/clock.ts';
import type { Told } from './quota-server.ts';

export type StoreTime = {
  isKnown(): boolean;
  /** Whole milliseconds; never ahead of the store. This instance's own clock before the store was heard. */
  now(): number;
  /** As `now`, but never behind the store: a send that is stamped late counts long enough. */
  latest(): number;
  /** An answer that was asked for at `askedAtMs` of the own clock has this time. Gives by how much `now` has jumped. */
  learn(told: Pick<Told, 'epoch' | 'storeMs' | 'shiftMs'>, askedAtMs: number): number;
};

/** Two clocks may part by this share of the time: 100 parts in a million. */
const DRIFT = 1e-4;

export function createStoreTime(clock: Clock): StoreTime {
  let isKnown = false;
  /** The stretch of even time that the bounds are of. */
  let stretch = '';
  /** The store's time less the own, at `boundedAtMs`. */
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
      // A whole millisecond is what its first and its last moment are called.
      const [fromMs, toMs] = [storeMs - answeredAtMs, storeMs + 1 - askedAtMs];
      const [lowMs, highMs] = [Math.max(fromMs, beforeMs), Math.min(toMs, mostMs + slackMs())];
      // Bounds that have nothing in common: the store's time has jumped.
      [leastMs, mostMs] = isEven && lowMs <= highMs ? [lowMs, highMs] : [fromMs, toMs];
      boundedAtMs = answeredAtMs;
      isKnown = true;
      return Math.round(leastMs - beforeMs);
    },
  };
}
