// The port to what keeps account of the calls that are in this process, now that they may move between several.

import type { ArrivedLeg, LegPlace, TurnedAwayLeg } from '../../gateway/calls/leg-desk.ts';

export type MovingLegs = {
  /** A call that has begun here: one that is new, or one that goes on here under its key. */
  arrive(key: string, life: 'new' | 'goes-on', arrived: ArrivedLeg): LegPlace;
  /** A call that came here cannot be served. */
  turnAway(leg: TurnedAwayLeg): void;
  /** The call goes on elsewhere. */
  movedAway(key: string): void;
};
