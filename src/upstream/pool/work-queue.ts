// The order of waiting requests. Live speech goes before what is made ahead, and that before jobs without a listener; within such
// a band the tenants take turns, and within a tenant the earliest deadline goes first. It knows neither keys nor time: the
// caller says which entries may go, and one that may not (yet) blocks no other.

import type { SpeechWork, WorkClass } from '../speech-work.ts';

export type QueueEntry = {
  /** Changed by `rise` alone. */
  work: Pick<SpeechWork, 'class' | 'tenant' | 'deadlineMs'>;
  /** `front`: requeued after a failed attempt; it goes before others of its deadline. */
  readonly place: 'front' | 'back';
};

export type QueueBounds = {
  /**
   * Entries of one band, and ten times as many requests of turns that have begun: each kind has its own bound, so that neither
   * uses the room of the other. A requeued entry always fits.
   */
  readonly perBand: number;
  /** The same for one tenant in one band. */
  readonly perTenant: number;
};

export type WorkQueue<Entry extends QueueEntry> = {
  length(): number;
  add(entry: Entry): 'added' | 'full' | 'tenant-full';
  /** The next entry that `may` go, of the classes that `mayClass` allows; it stays in the queue. */
  next(may: (entry: Entry) => boolean, mayClass?: (of: WorkClass) => boolean): Entry | undefined;
  /** Removes an entry that is sent: its tenant's turn is over. */
  take(entry: Entry): void;
  /** Removes an entry that gives up, if it is still there: the turn stays with its tenant. */
  remove(entry: Entry): boolean;
  has(entry: Entry): boolean;
  /** Changes class and deadline of an entry that is still there; the turns of the tenants stay as they are. */
  rise(entry: Entry, work: Entry['work']): void;
  /** How many would go before `entry` if each could. */
  ahead(entry: Entry): number;
  /** The order in which they would go if each could. */
  order(): Generator<Entry>;
};

/** Served in this order; a later band goes only when no entry of an earlier one can use what is free. */
const BANDS: readonly (readonly WorkClass[])[] = [['resume', 'first', 'next'], ['prefetch'], ['batch']];
const bandNumber = (of: WorkClass): number => BANDS.findIndex((classes) => classes.includes(of));

/** Requests of turns that have begun may wait long, and such a turn must not end because others wait: ten times the room. */
const BEGUN: readonly WorkClass[] = ['resume', 'next'];
const BEGUN_ROOM = 10;
const isBegun = ({ work }: Pick<QueueEntry, 'work'>): boolean => BEGUN.includes(work.class);

/**
 * Tenants in the order of their turns, each with its entries in the order of theirs; never an empty list. Of `length`
 * entries `begun` belong to turns that have begun.
 */
type Band<Entry> = { tenants: Map<string, Entry[]>; length: number; begun: number };

/** The index of `entry` in a list ordered by deadline: `front` before equal ones, `back` behind them. */
function indexByDeadline<Entry extends QueueEntry>(
  entries: readonly Entry[],
  { work, place }: Entry,
): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { deadlineMs } = entries[middle]!.work;
    if (deadlineMs < work.deadlineMs || (place === 'back' && deadlineMs === work.deadlineMs))
      low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Every request costs the same, so deficit round robin is plain round robin: a tenant waits for at most one request of each
 * other tenant in its band. Adding is O(log n + entries of the tenant), `next` O(1) where all may go.
 */
export function createWorkQueue<Entry extends QueueEntry>(bounds: QueueBounds): WorkQueue<Entry> {
  const bands = BANDS.map((): Band<Entry> => ({ tenants: new Map(), length: 0, begun: 0 }));
  const bandOf = ({ work }: Entry) => bands[bandNumber(work.class)]!;
  const count = (band: Band<Entry>, entry: Entry, change: 1 | -1) => {
    band.length += change;
    if (isBegun(entry)) band.begun += change;
  };

  const drop = (entry: Entry): Entry[] | undefined => {
    const band = bandOf(entry);
    const entries = band.tenants.get(entry.work.tenant);
    const index = entries?.indexOf(entry) ?? -1;
    if (entries === undefined || index < 0) return undefined;
    entries.splice(index, 1);
    count(band, entry, -1);
    if (entries.length === 0) band.tenants.delete(entry.work.tenant);
    return entries;
  };

  const insert = (entry: Entry) => {
    const band = bandOf(entry);
    const entries = band.tenants.get(entry.work.tenant) ?? [];
    entries.splice(indexByDeadline(entries, entry), 0, entry);
    band.tenants.set(entry.work.tenant, entries);
    count(band, entry, 1);
  };

  return {
    length: () => bands.reduce((sum, band) => sum + band.length, 0),
    add(entry) {
      const band = bandOf(entry);
      const { tenant } = entry.work;
      const entries = band.tenants.get(tenant) ?? [];
      if (entry.place === 'back') {
        const hasBegun = isBegun(entry);
        const room = hasBegun ? BEGUN_ROOM : 1;
        const inBand = hasBegun ? band.begun : band.length - band.begun;
        if (inBand >= room * bounds.perBand) return 'full';
        const ofTenant = entries.filter((other) => isBegun(other) === hasBegun).length;
        if (ofTenant >= room * bounds.perTenant) return 'tenant-full';
      }
      insert(entry);
      if (entry.place === 'front')
        band.tenants = new Map([[tenant, band.tenants.get(tenant)!], ...band.tenants]);
      return 'added';
    },
    next(may, mayClass = () => true) {
      for (const [number, { tenants, length }] of bands.entries()) {
        if (length === 0 || !BANDS[number]!.some(mayClass)) continue;
        for (const entries of tenants.values()) {
          const found = entries.find(may);
          if (found !== undefined) return found;
        }
      }
      return undefined;
    },
    take(entry) {
      const entries = drop(entry);
      if (entries === undefined || entries.length === 0) return;
      const { tenants } = bandOf(entry);
      tenants.delete(entry.work.tenant);
      tenants.set(entry.work.tenant, entries);
    },
    remove: (entry) => drop(entry) !== undefined,
    has: (entry) => bandOf(entry).tenants.get(entry.work.tenant)?.includes(entry) ?? false,
    rise(entry, work) {
      const from = bandOf(entry);
      const entries = from.tenants.get(entry.work.tenant);
      const index = entries?.indexOf(entry) ?? -1;
      if (entries === undefined || index < 0) return;
      if (bands[bandNumber(work.class)] !== from) {
        drop(entry);
        entry.work = work;
        insert(entry);
        return;
      }
      // Its tenant keeps its turn, also when this is its only entry.
      entries.splice(index, 1);
      count(from, entry, -1);
      entry.work = work;
      entries.splice(indexByDeadline(entries, entry), 0, entry);
      count(from, entry, 1);
    },
    ahead(entry) {
      const own = bandOf(entry);
      let ahead = 0;
      for (const band of bands) {
        if (band === own) break;
        ahead += band.length;
      }
      const turns = own.tenants.get(entry.work.tenant)?.indexOf(entry) ?? 0;
      let turn: 'before' | 'after' = 'before';
      for (const [tenant, { length }] of own.tenants) {
        if (tenant === entry.work.tenant) turn = 'after';
        // A tenant whose turn comes before has had one more by then.
        ahead += Math.min(length, turn === 'before' ? turns + 1 : turns);
      }
      return ahead;
    },
    *order() {
      for (const { tenants, length } of bands) {
        const lists = [...tenants.values()].map((entries) => [...entries]);
        let left = length;
        for (let turn = 0; left > 0; turn++) {
          for (const entries of lists) {
            const entry = entries[turn];
            if (entry === undefined) continue;
            left -= 1;
            yield entry;
          }
        }
      }
    },
  };
}
