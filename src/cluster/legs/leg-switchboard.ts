// The legs whose sockets are in this process, by their keys, and the moves of calls between processes: handed to one that
// asks for a call, or brought back here.

import type { Duplex } from 'node:stream';
import { AppError } from '../../base/app-error.ts';
import type { createLegConnection } from '../../gateway/calls/leg-connection.ts';
import { audioSocketLeg } from '../../legs/audiosocket-leg.ts';
import { LEGS } from '../../legs/legs.ts';
import type { LegAddress, PlayerNumber, PrimaryAsks, PrimaryNews } from '../messages.ts';
import type { Peer } from '../peer.ts';
import { createHeldLeg, type HeldLeg } from './held-leg.ts';
import type { MovingLegs } from './moving-legs.ts';

export type LegSwitchboard = {
  /** Makes a call of a socket, as one that may move. */
  readonly connect: typeof createLegConnection;
  /** Another process takes the call; the stream is closed when there is none of this key. */
  readonly give: (key: string, relay: Duplex) => void;
  /** Has the call of a socket of this process go on here. Throws when there is none. */
  bringHome(key: string): void;
};

export type LegSwitchboardOptions = {
  readonly player: PlayerNumber;
  readonly primary: Peer<PrimaryAsks, PrimaryNews>;
  readonly registry: () => MovingLegs;
  /** Distinguishes this process from an earlier one with its number, so that no key comes twice. */
  readonly life: string;
};

export const openLegCodec = (kind: string) => {
  const leg = [...LEGS, audioSocketLeg].find((each) => each.kind === kind);
  if (leg === undefined) throw new AppError('internal', 'A leg is of no kind.');
  return leg.open();
};

export function createLegSwitchboard(options: LegSwitchboardOptions): LegSwitchboard {
  const { player, primary, registry, life } = options;
  const held = new Map<LegAddress['key'], HeldLeg>();
  let count = 0;

  return {
    connect(given) {
      const key = `${player}.${life}.${++count}`;
      const leg = createHeldLeg({
        ...given,
        openCodec: () => openLegCodec(given.kind),
        arrive: (lives, arrived) => registry().arrive(key, lives, arrived),
        turnAway: (away) => registry().turnAway(away),
        onMovedAway: () => registry().movedAway(key),
        onGone(reason) {
          held.delete(key);
          primary.tell('legLeft', { key, reason });
        },
      });
      held.set(key, leg);
      return leg;
    },
    give(key, relay) {
      const leg = held.get(key);
      if (leg === undefined) relay.destroy();
      else leg.moveTo(relay);
    },
    bringHome(key) {
      const leg = held.get(key);
      if (leg === undefined) throw new AppError('leg_not_found', 'The leg has gone.');
      leg.bringHome();
    },
  };
}
