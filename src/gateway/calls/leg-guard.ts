// Isolates faults per leg: a fault in what a leg reads, in what a session plays to it or in what the shared clock paces
// for it ends that leg alone. Its kind is logged once; the leg is closed after the work that is under way, so that a
// session does not lose it in the middle of a frame.

import type { Clock } from '../../base/clock.ts';
import { faultKind, type Log } from '../../base/log.ts';
import type { Player, PlayoutClock } from '../../playout/playout-clock.ts';

/** Wraps what a leg has its codec do, once per leg: nothing is made for each message. */
export type CodecGuard = <Value>(work: (value: Value) => void) => (value: Value) => void;

export type LegGuard = {
  /** Does nothing once something has failed. */
  readonly unlessBroken: CodecGuard;
  /** The shared clock as this leg sees it: a player that throws also ends its leg. */
  readonly clock: (paced: PlayoutClock) => PlayoutClock;
};

export function createLegGuard(log: Log, clock: Clock, end: () => void): LegGuard {
  let state: 'sound' | 'broken' = 'sound';
  const unlessBroken: CodecGuard = (work) => (value) => {
    if (state === 'broken') return;
    try {
      work(value);
    } catch (fault) {
      log.error('a codec failed inside', { cause: faultKind(fault) });
      state = 'broken';
      clock.soon(end);
    }
  };
  const guardedPlayer = (player: Player): Player => ({
    dueMs: () => (state === 'sound' ? player.dueMs() : Number.POSITIVE_INFINITY),
    sendDue: unlessBroken((nowMs: number) => player.sendDue(nowMs)),
    wantsRefill: () => player.wantsRefill(),
    refill: unlessBroken(() => player.refill()) as () => void,
  });

  return {
    unlessBroken,
    clock(paced) {
      const guards = new Map<Player, Player>();
      return {
        ...paced,
        join(player, cushion) {
          const guard = guards.get(player) ?? guardedPlayer(player);
          guards.set(player, guard);
          paced.join(guard, cushion);
        },
        leave(player) {
          const guard = guards.get(player);
          if (guard !== undefined) paced.leave(guard);
        },
        markDue(player, when) {
          const guard = guards.get(player);
          if (guard !== undefined) paced.markDue(guard, when);
        },
      };
    },
  };
}
