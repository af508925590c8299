// Which instances could not be reached of late: those are taken for gone, and their sessions go on elsewhere.

import type { Clock } from '../../base/clock.ts';

export type ReachableInstances = {
  /** It is listed, and nothing speaks against its being there. */
  isAlive(instance: string): boolean;
  /** It is worth an attempt, listed or not. */
  isWorthAsking(instance: string): boolean;
  /** It has answered, or has been listed anew: it is there. */
  found(instance: string): void;
  notReached(instance: string): void;
};

/** So long an instance that was not reached is taken for gone. */
const UNREACHABLE_MS = 10_000;
/** The same for one that Redis does not list: by then it is forgotten. An attempt costs 3 s, which its clients wait. */
const UNLISTED_MS = 90_000;

export function createReachableInstances(
  isListed: (instance: string) => boolean,
  clock: Pick<Clock, 'now'>,
): ReachableInstances {
  /** Until when an instance is taken for gone. */
  const unreachable = new Map<string, number>();
  const isReachable = (instance: string) => (unreachable.get(instance) ?? 0) <= clock.now();
  return {
    isAlive: (instance) => isListed(instance) && isReachable(instance),
    isWorthAsking: (instance) => isListed(instance) || isReachable(instance),
    found: (instance) => void unreachable.delete(instance),
    notReached(instance) {
      for (const each of unreachable.keys()) if (isReachable(each)) unreachable.delete(each);
      unreachable.set(instance, clock.now() + (isListed(instance) ? UNREACHABLE_MS : UNLISTED_MS));
    },
  };
}
