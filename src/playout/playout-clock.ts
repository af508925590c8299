// One timer for every live session. Each tick asks those who are due by their own account, sends for all of them, and
// only then lets decoding go on, for a short slice of each turn of the event loop: no one's decoding delays another's frame.
// Whose far side has next to nothing in hand is asked before all others: after a stall there is much to send.
// Deadlines are absolute on a monotonic clock, so a late tick does not make the next one late. Due times stand side by
// side in a table of the clock's own; whoever has become due sooner than he said tells it by `stir`.

import type { Clock } from '../base/clock.ts';
import { createWorkSlices } from '../base/processes/work-slices.ts';
import { createDueTable } from './due-table.ts';

export type Player = {
  /**
   * When it is to be asked next, on the clock's time, as of the last time; infinite while only something that happens to it
   * can change that. One with a thin cushion is asked for it at every tick, so it may change at any time.
   */
  dueMs(): number;
  /** Sends what is due, and sets `dueMs` anew; to be asked early does no harm. */
  sendDue(nowMs: number): void;
  /** True when a producer waits for room that is there; looked at after `sendDue`. */
  wantsRefill(): boolean;
  refill(): void;
};

export type PlayoutClock = {
  /** Joining twice is joining once. `thin`: a few milliseconds later would be heard. */
  join(player: Player, cushion?: 'thin' | 'ample'): void;
  leave(player: Player): void;
  /** Something has happened to it: it is asked at the next tick, whatever it said. Needless with a thin cushion. */
  stir(player: Player): void;
  /**
   * A tick that is overdue is not kept waiting any longer. Called between pieces of work that come in rows, as after a
   * stall: sockets that have all become readable, say.
   */
  keepTime(): void;
  players(): number;
  /** Those who have had something to send in its time at the last tick; who has a thin cushion is not of them. */
  playing(): number;
  close(): void;
};

export type PlayoutClockOptions = {
  readonly clock: Clock;
  /** Distance of ticks: a frame is late by half of it on average, and listeners are spread over its grid as they come. */
  readonly tickMs?: number;
  readonly onTick?: (latenessMs: number) => void;
  /** A player that throws is not asked again; the others never notice. */
  readonly onFault: (player: Player, fault: unknown) => void;
};

/** Distance of ticks, ms. With 10 a frame would be 2.5 ms later on average; those who are not due cost a tick next to nothing. */
export const TICK_MS = 5;
/** Of a turn of the event loop, for decoding: what a frame that is due may wait for it, and a dozen listeners' share. */
const SLICE_MS = 2;

export function createPlayoutClock({
  clock,
  tickMs = TICK_MS,
  onTick,
  onFault,
}: PlayoutClockOptions): PlayoutClock {
  const thin = new Set<Player>();
  const ample = createDueTable<Player>();
  let nextMs = 0;
  let isTicking = false;
  let playing = 0;
  let cancelTimer: (() => void) | undefined;

  const leave = (player: Player) => {
    thin.delete(player);
    ample.remove(player);
  };
  const count = () => thin.size + ample.size();
  const drop = (player: Player, fault: unknown) => {
    leave(player);
    onFault(player, fault);
  };

  const keepTime = () => {
    if (isTicking || cancelTimer === undefined || clock.now() < nextMs + tickMs) return;
    cancelTimer();
    tick();
  };
  const refill = (player: Player) => {
    keepTime();
    if (!thin.has(player) && !ample.has(player)) return;
    try {
      player.refill();
    } catch (fault) {
      drop(player, fault);
    }
  };
  /** Those who may refill. */
  const refills = createWorkSlices<Player>({
    soon: (task) => clock.soon(task),
    now: () => clock.now(),
    serve: refill,
    sliceMs: SLICE_MS,
  });

  const ask = (player: Player, nowMs: number) => {
    try {
      player.sendDue(nowMs);
      if (player.wantsRefill()) refills.add(player);
    } catch (fault) {
      drop(player, fault);
    }
  };
  const tick = () => {
    const nowMs = clock.now();
    onTick?.(nowMs - nextMs);
    isTicking = true;
    for (const player of thin) if (player.dueMs() <= nowMs) ask(player, nowMs);
    playing = ample.askDue(nowMs, (player) => ask(player, nowMs));
    refills.go();
    isTicking = false;
    schedule(nowMs);
  };

  const schedule = (nowMs: number) => {
    cancelTimer = undefined;
    if (count() === 0) return;
    // Missed ticks are skipped, not made up for: each tick sends all that is due anyway.
    while (nextMs <= nowMs) nextMs += tickMs * Math.max(1, Math.ceil((nowMs - nextMs) / tickMs));
    cancelTimer = clock.after(nextMs - nowMs, tick);
  };

  return {
    join(player, cushion = 'ample') {
      if (cushion === 'thin') thin.add(player);
      else ample.add(player);
      if (cancelTimer !== undefined) return;
      nextMs = clock.now();
      schedule(nextMs);
    },
    leave,
    stir: (player) => ample.stir(player),
    keepTime,
    players: () => count(),
    playing: () => playing,
    close() {
      thin.clear();
      ample.clear();
      refills.clear();
      cancelTimer?.();
      cancelTimer = undefined;
    },
  };
}
