// All keys of the pool together: which of them takes the next request, and when the requests that wait will go.

import { createUpstreamKey, type Lease, type PoolKey, type UpstreamKey } from './upstream-key.ts';

export type KeyRing = {
  readonly keys: readonly UpstreamKey[];
  /** A place on the key with the most room, on one outside `tried` if there is one; undefined when none can send now. */
  lease(nowMs: number, tried: ReadonlySet<UpstreamKey>): Lease | undefined;
  /** How many keys outside `tried` could send now. */
  others(nowMs: number, tried: ReadonlySet<UpstreamKey>): number;
  /** The predicted waits of those who wait, first to last, without end: never falling, in milliseconds from now. */
  waits(nowMs: number): Generator<number, never>;
  /** What keeps the first of them: no quota (or a cool-down) anywhere, or no place on a key that could send. */
  obstacle(nowMs: number): 'quota' | 'busy';
  /** Milliseconds until time alone frees a key: one that has a place. Infinity when only an ending stream can. */
  freeInMs(nowMs: number): number;
  /** A place was held this long: the prediction learns from it. */
  learnHold(heldMs: number): void;
};

/** How long a stream is taken to hold its place before any has ended. */
const FIRST_HOLD_MS = 2_000;
/** Weight of the newest hold in the moving average. */
const HOLD_WEIGHT = 0.1;

/** Most quota left first; among equals the one with the least to do. */
const byRoom = (nowMs: number) => (a: UpstreamKey, b: UpstreamKey) => {
  const [roomOfA, roomOfB] = [a.room(nowMs), b.room(nowMs)];
  return roomOfA === roomOfB ? a.inFlight() - b.inFlight() : roomOfB - roomOfA;
};

export function createKeyRing(members: readonly PoolKey[], maxInFlightPerKey: number): KeyRing {
  if (members.length === 0) throw new RangeError('a pool needs at least one key');
  const keys = members.map((member) => createUpstreamKey(member, maxInFlightPerKey));
  let holdMs = FIRST_HOLD_MS;

  const usable = (nowMs: number) => keys.filter((key) => key.places() > 0 && key.waitMs(nowMs, 0) === 0);

  return {
    keys,
    lease(nowMs, tried) {
      const found = usable(nowMs).sort(byRoom(nowMs));
      return (found.find((key) => !tried.has(key)) ?? found[0])?.lease(nowMs);
    },
    others: (nowMs, tried) => usable(nowMs).filter((key) => !tried.has(key)).length,
    *waits(nowMs) {
      const ready = keys.filter((key) => key.waitMs(nowMs, 0) === 0);
      const counted = ready.length > 0 ? ready : keys;
      const free = counted.reduce((sum, key) => sum + key.places(), 0);
      const perPlaceMs = holdMs / (counted.length * maxInFlightPerKey);
      const given = keys.map(() => 0);
      for (let ahead = 0; ; ahead++) {
        // The next send goes to the key that has one first, and from then on that key is one further.
        let first = 0;
        let quotaMs = Number.POSITIVE_INFINITY;
        for (const [index, key] of keys.entries()) {
          const waitMs = key.waitMs(nowMs, given[index]!);
          if (waitMs < quotaMs) [first, quotaMs] = [index, waitMs];
        }
        given[first]! += 1;
        yield Math.max(quotaMs, Math.max(0, ahead - free + 1) * perPlaceMs);
      }
    },
    obstacle: (nowMs) => (keys.some((key) => key.waitMs(nowMs, 0) === 0) ? 'busy' : 'quota'),
    freeInMs: (nowMs) =>
      Math.min(...keys.map((key) => (key.places() > 0 ? key.waitMs(nowMs, 0) : Number.POSITIVE_INFINITY))),
    learnHold(heldMs) {
      holdMs += (heldMs - holdMs) * HOLD_WEIGHT;
    },
  };
}
