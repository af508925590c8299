// The port to the registry of the calls in this process, where calls may move between processes.

import type { ArrivedLeg, LegPlace, TurnedAwayLeg } from '../../gateway/calls/local-leg-registry.ts';

export type MovingLegs = {
  /** A call that has begun here: one that is new, or one that goes on here under its key. */
  arrive(key: string, life: 'new' | 'goes-on', arrived: ArrivedLeg): LegPlace;
  /** A call that came here cannot be served. */
  turnAway(leg: TurnedAwayLeg): void;
  /** The call goes on elsewhere. */
  movedAway(key: string): void;
};
