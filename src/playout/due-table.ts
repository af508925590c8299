// When each of many is to be asked, in one row of numbers: a look at all of them reads a few lines of memory, and nothing of
// those who are not due. What a player keeps is far apart in the heap, and with hundreds of calls never in the cache.

/** Whoever says when he is to be asked next, as of the last time that he was. */
type Timed = { dueMs(): number };

export type DueTable<Player extends Timed> = {
  /** Adding twice is adding once. Its due time is read now, and again after each time that it was asked. */
  add(player: Player): void;
  remove(player: Player): boolean;
  has(player: Player): boolean;
  /** It is due, whatever it said. */
  stir(player: Player): void;
  /** Has `ask` called for each who is due, and answers how many of all wait for a time and not for something to happen. */
  askDue(nowMs: number, ask: (player: Player) => void): number;
  size(): number;
  clear(): void;
};

const NEVER = Number.POSITIVE_INFINITY;
const FIRST_PLACES = 64;

export function createDueTable<Player extends Timed>(): DueTable<Player> {
  /** By place; a place that is free is never due. */
  const players: (Player | undefined)[] = [];
  let dueMs = new Float64Array(FIRST_PLACES);
  const places = new Map<Player, number>();
  const free: number[] = [];

  const takePlace = (): number => {
    const place = free.pop() ?? players.length;
    if (place === dueMs.length) {
      const wider = new Float64Array(2 * dueMs.length);
      wider.set(dueMs);
      dueMs = wider;
    }
    return place;
  };

  return {
    add(player) {
      if (places.has(player)) return;
      const place = takePlace();
      places.set(player, place);
      players[place] = player;
      dueMs[place] = player.dueMs();
    },
    remove(player) {
      const place = places.get(player);
      if (place === undefined) return false;
      places.delete(player);
      players[place] = undefined;
      dueMs[place] = NEVER;
      free.push(place);
      return true;
    },
    has: (player) => places.has(player),
    stir(player) {
      const place = places.get(player);
      if (place !== undefined) dueMs[place] = Number.NEGATIVE_INFINITY;
    },
    askDue(nowMs, ask) {
      let timed = 0;
      // Who joins meanwhile is asked at the next tick, or in this one.
      for (let place = 0; place < players.length; place += 1) {
        const atMs = dueMs[place]!;
        if (atMs < NEVER) timed += 1;
        if (atMs > nowMs) continue;
        const player = players[place]!;
        dueMs[place] = NEVER; // but for what stirs it meanwhile
        ask(player);
        if (players[place] === player) dueMs[place] = Math.min(dueMs[place]!, player.dueMs());
      }
      return timed;
    },
    size: () => places.size,
    clear() {
      places.clear();
      players.length = 0;
      free.length = 0;
    },
  };
}
