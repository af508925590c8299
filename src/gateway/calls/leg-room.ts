// Legs without a proved owner. They take none of the slots of legs with an owner, and have so many slots of their own
// that only a long flood pushes out one that is about to prove its owner.

import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { UnprovedRoom, type UnprovedRoomBounds } from '../../limits/unproved-room.ts';
import type { IntakeMetrics } from '../sockets/intake-metrics.ts';
import type { LegConnection } from './leg-connection.ts';

export type LegRoomOptions = {
  readonly maxLegs: number;
  readonly clock: Clock;
  readonly intake: Pick<IntakeMetrics, 'legEvicted'>;
  readonly log: Log;
  /** Legs in all. */
  readonly places: () => number;
};

export type LegRoom = {
  /** Lets it in, and evicts another one where there is no room. `onOut`: it was itself evicted, and has been closed. */
  enter(connection: LegConnection, address: string | undefined, onOut: () => void): void;
  /** It has proved its owner, or its socket is closed. */
  leave(connection: LegConnection): void;
  /** Legs that take a slot: neither in this room, nor being evicted from it. */
  proved(): number;
  /** Removes those that have an owner by now. */
  look(): void;
};

/** Of the slots for legs. */
const SHARE = 0.25;
const MIN_SOCKETS = 64;
/** Some kilobytes each; and as many as can come in while one is new. */
const NEW_SOCKETS = { least: 1024, times: 4 } as const;
/** A platform says which call it is as soon as it is let in. */
const NEW_FOR_MS = 2000;

function boundsFor(maxLegs: number): UnprovedRoomBounds {
  const maxMembers = Math.max(MIN_SOCKETS, Math.ceil(maxLegs * SHARE));
  const maxNewMembers = Math.max(NEW_SOCKETS.least, NEW_SOCKETS.times * maxMembers);
  return { maxMembers, maxNewMembers, newForMs: NEW_FOR_MS };
}

export function createLegRoom({ maxLegs, clock, intake, log, places }: LegRoomOptions): LegRoom {
  const room = new UnprovedRoom<LegConnection>(boundsFor(maxLegs));
  const onOutOf = new Map<LegConnection, () => void>();
  /** Evicted, and their sockets are not closed yet. */
  const going = new Set<LegConnection>();

  const leave = (connection: LegConnection) => {
    onOutOf.delete(connection);
    going.delete(connection);
    room.leave(connection);
  };
  return {
    enter(connection, address, onOut) {
      const out = room.enter(connection, address, clock.now());
      onOutOf.set(connection, onOut);
      if (out === undefined) return;
      const tell = onOutOf.get(out);
      onOutOf.delete(out);
      // It has an owner by now, and leaves the room as such.
      if (out.isOwned()) return;
      going.add(out);
      intake.legEvicted();
      log.debug('a leg that had proved nothing went for another');
      out.close('it had proved nothing, and there are others', 'busy');
      tell?.();
    },
    leave,
    proved: () => places() - room.size() - going.size,
    look() {
      for (const connection of [...room.members()]) if (connection.isOwned()) leave(connection);
    },
  };
}
