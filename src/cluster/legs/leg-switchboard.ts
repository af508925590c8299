// The legs whose sockets are in this process, by their keys, and the moves of calls between processes: handed to one that
// asks for a call, or brought back here.

import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { createLegConnection } from '../../gateway/calls/leg-connection.ts';
import { type DrainTimes, drainInTurn } from '../../gateway/sockets/drain-in-turn.ts';
import { audioSocketLeg } from '../../legs/audiosocket-leg.ts';
import { LEGS } from '../../legs/legs.ts';
import type { OpenRelay } from '../private-listener.ts';
import { createHeldLeg, type HeldLeg } from './held-leg.ts';
import type { MovingLegs } from './moving-legs.ts';

export type LegSwitchboard = {
  /** Makes a call of a socket, as one that may move. */
  readonly connect: typeof createLegConnection;
  /** Another process takes the call over the stream that `open` gives. */
  readonly give: (key: string, open: OpenRelay) => 'given' | 'gone';
  /** Somebody wants a call that another process plays to: it comes back here when that one stands still. */
  readonly askPlayer: (key: string) => void;
  /** Has the call of a socket of this process go on here. Throws when there is none. */
  bringHome(key: string): void;
  /** Gives no more calls. Resolves when no other process plays to one of here any more, or at the deadline. */
  drain(times: DrainTimes): Promise<void>;
};

export type LegSwitchboardOptions = {
  /** Of this process and this start of it, so that no key comes twice in the gateway. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly registry: () => MovingLegs;
  /** The socket of a call is closed, wherever the call was. */
  readonly onGone: (key: string, reason: string) => void;
};

export const openLegCodec = (kind: string) => {
  const leg = [...LEGS, audioSocketLeg].find((each) => each.kind === kind);
  if (leg === undefined) throw new AppError('internal', 'A leg is of no kind.');
  return leg.open();
};

export function createLegSwitchboard(options: LegSwitchboardOptions): LegSwitchboard {
  const { prefix, registry, clock } = options;
  const held = new Map<string, HeldLeg>();
  let count = 0;
  let phase: 'open' | 'draining' = 'open';
  let onHome = () => {};

  return {
    connect(given) {
      const key = `${prefix}.${++count}`;
      const leg = createHeldLeg({
        ...given,
        openCodec: () => openLegCodec(given.kind),
        arrive: (lives, arrived) => registry().arrive(key, lives, arrived),
        turnAway: (away) => registry().turnAway(away),
        onMovedAway: () => registry().movedAway(key),
        onHome: () => onHome(),
        onGone(reason) {
          held.delete(key);
          options.onGone(key, reason);
          onHome();
        },
      });
      held.set(key, leg);
      return leg;
    },
    give(key, open) {
      const leg = phase === 'open' ? held.get(key) : undefined;
      const relay = leg === undefined ? undefined : open();
      if (relay === undefined) return 'gone';
      leg!.moveTo(relay);
      return 'given';
    },
    askPlayer: (key) => held.get(key)?.askPlayer(),
    bringHome(key) {
      const leg = held.get(key);
      if (leg === undefined) throw new AppError('leg_not_found', 'The leg has gone.');
      leg.bringHome();
    },
    drain(times) {
      phase = 'draining';
      const away = () => [...held.values()].filter((leg) => leg.isAway());
      const cancelTelling = drainInTurn(away(), times, clock);
      for (const leg of [...held.values()]) if (!leg.isAway()) leg.drain(times.deadlineMs);
      return new Promise((resolve) => {
        const end = () => {
          cancelDeadline();
          cancelTelling();
          resolve();
        };
        const cancelDeadline = clock.after(times.deadlineMs, end);
        onHome = () => {
          if (away().length === 0) end();
        };
        onHome();
      });
    },
  };
}
