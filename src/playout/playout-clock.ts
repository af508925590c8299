// One timer for every live session. Each tick calls the players that are due, has them send, and only then lets decoding go
// on, for a short slice of each iteration of the event loop: no player's decoding delays another's frame. Players whose far
// side buffers next to nothing are called first: after a stall there is much to send.
// Deadlines are absolute on a monotonic clock, so a late tick does not make the next one late. Due times stand side by
// side in a table of the clock's own; a player that becomes due sooner than it said is marked so (`markDue`). A listener
// that is short of audio does not wait for the tick: its player is called as soon as the task that runs now has ended, and
// never from inside it, so that a decoder's stack ends at the frame queue.

import type { Clock } from '../base/clock.ts';
import { createWorkSlices } from '../base/processes/work-slices.ts';

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
  /**
   * Something has happened to it: it is asked at the next tick, whatever it said, or (`now`) when the task that runs now has
   * ended. Needless with a thin cushion.
   */
  markDue(player: Player, when: 'tick' | 'now'): void;
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
  /** Marked due now, and not called yet. */
  const awaited = new Set<Player>();

  const leave = (player: Player) => {
    thin.delete(player);
    ample.remove(player);
    awaited.delete(player);
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

  const ask = (player: Player, nowMs: number, refilling: 'this-tick' | 'later') => {
    try {
      player.sendDue(nowMs);
      if (refilling === 'this-tick' && player.wantsRefill()) refills.add(player);
    } catch (fault) {
      drop(player, fault);
    }
  };
  const tick = () => {
    const nowMs = clock.now();
    onTick?.(nowMs - nextMs);
    isTicking = true;
    for (const player of thin) if (player.dueMs() <= nowMs) ask(player, nowMs, 'this-tick');
    playing = ample.askDue(nowMs, (player) => ask(player, nowMs, 'this-tick'));
    refills.go();
    isTicking = false;
    schedule(nowMs);
  };

  const askAwaited = () => {
    const nowMs = clock.now();
    const players = [...awaited];
    awaited.clear();
    for (const player of players) {
      if (!ample.has(player)) continue; // it has left meanwhile
      ask(player, nowMs, 'later');
      ample.markDue(player); // what it made room for is looked at by the next tick
    }
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
    markDue(player, when) {
      ample.markDue(player);
      if (when === 'tick' || !ample.has(player)) return;
      if (awaited.size === 0) queueMicrotask(askAwaited);
      awaited.add(player);
    },
    keepTime,
    players: () => count(),
    playing: () => playing,
    close() {
      thin.clear();
      ample.clear();
      awaited.clear();
      refills.clear();
      cancelTimer?.();
      cancelTimer = undefined;
    },
  };
}

/** Returns when it is to be called next, as of its last call. */
type Timed = { dueMs(): number };

export type DueTable<Player extends Timed> = {
  /** Adding twice is adding once. Its due time is read now, and again after each call. */
  add(player: Player): void;
  remove(player: Player): boolean;
  has(player: Player): boolean;
  /** Makes it due now, whatever its due time was. */
  markDue(player: Player): void;
  /** Calls `ask` for each player that is due; returns how many of all wait for a time, not for an event. */
  askDue(nowMs: number, ask: (player: Player) => void): number;
  size(): number;
  clear(): void;
};

const NEVER = Number.POSITIVE_INFINITY;
const FIRST_SLOTS = 64;

export function createDueTable<Player extends Timed>(): DueTable<Player> {
  /** By slot; a free slot is never due. */
  const players: (Player | undefined)[] = [];
  let dueMs = new Float64Array(FIRST_SLOTS);
  const slots = new Map<Player, number>();
  const free: number[] = [];

  const takeSlot = (): number => {
    const slot = free.pop() ?? players.length;
    if (slot === dueMs.length) {
      const wider = new Float64Array(2 * dueMs.length);
      wider.set(dueMs);
      dueMs = wider;
    }
    return slot;
  };

  return {
    add(player) {
      if (slots.has(player)) return;
      const slot = takeSlot();
      slots.set(player, slot);
      players[slot] = player;
      dueMs[slot] = player.dueMs();
    },
    remove(player) {
      const slot = slots.get(player);
      if (slot === undefined) return false;
      slots.delete(player);
      players[slot] = undefined;
      dueMs[slot] = NEVER;
      free.push(slot);
      return true;
    },
    has: (player) => slots.has(player),
    markDue(player) {
      const slot = slots.get(player);
      if (slot !== undefined) dueMs[slot] = Number.NEGATIVE_INFINITY;
    },
    askDue(nowMs, ask) {
      let timed = 0;
      // A player that joins meanwhile is asked at the next tick, or in this one.
      for (let slot = 0; slot < players.length; slot += 1) {
        const atMs = dueMs[slot]!;
        if (atMs < NEVER) timed += 1;
        if (atMs > nowMs) continue;
        const player = players[slot]!;
        dueMs[slot] = NEVER; // but for what marks it due meanwhile
        ask(player);
        if (players[slot] === player) dueMs[slot] = Math.min(dueMs[slot]!, player.dueMs());
      }
      return timed;
    },
    size: () => slots.size,
    clear() {
      slots.clear();
      players.length = 0;
      free.length = 0;
    },
  };
}
