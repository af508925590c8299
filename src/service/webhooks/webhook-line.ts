// Deliveries that this process has claimed: those that wait and those on their way. A receiver that is slow or dead takes
// a few slots and no more, an owner with many of them a few more; all others go past. No receiver has more slots than are
// free for others, so that many slow ones together still leave one for a new one.

import type { Delivery } from '../../storage/delivery-store.ts';

export type ClaimedDelivery = {
  readonly delivery: Delivery;
  /** Name and port of the receiver. */
  readonly host: string;
  /** On the monotonic clock: until then no other process sends it. */
  readonly heldUntilMs: number;
};

export type LineBounds = {
  /** On their way at once: in all, to one host, of one owner. */
  readonly atOnce: number;
  readonly perHost: number;
  readonly perOwner: number;
  /** Waiting: in all, and for one host or of one owner. */
  readonly waiting: number;
  readonly waitingEach: number;
};

export type WebhookLine = {
  /** How many more may wait. */
  room(): number;
  /**
   * False: there are too many of this host or owner, and the claim is left to run out. One that waits already is held
   * for as long as the new claim says; one on its way stays what it is.
   */
  add(claimed: ClaimedDelivery): boolean;
  /** The first that may go, from now on on its way; undefined when none may. */
  next(): ClaimedDelivery | undefined;
  /** It has arrived, or will not. */
  leave(claimed: ClaimedDelivery): void;
  /** Forgets those that wait. */
  clear(): void;
};

type Tally = { add(name: string): void; remove(name: string): void; of(name: string): number };

function createTally(): Tally {
  const counts = new Map<string, number>();
  return {
    of: (name) => counts.get(name) ?? 0,
    add(name) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    remove(name) {
      const left = (counts.get(name) ?? 0) - 1;
      if (left > 0) counts.set(name, left);
      else counts.delete(name);
    },
  };
}

export function createWebhookLine(bounds: LineBounds): WebhookLine {
  const waiting = new Map<string, ClaimedDelivery>();
  const going = new Set<string>();
  // One tally for hosts and owners: what waits and what goes, each under a name of its own.
  const waits = createTally();
  const goes = createTally();
  const hostName = ({ host }: ClaimedDelivery) => `host ${host}`;
  const ownerName = ({ delivery }: ClaimedDelivery) => `owner ${delivery.owner}`;
  const count = (tally: Tally, how: 'add' | 'remove', claimed: ClaimedDelivery) => {
    tally[how](hostName(claimed));
    tally[how](ownerName(claimed));
  };

  return {
    room: () => bounds.waiting - waiting.size,
    add(claimed) {
      const { id } = claimed.delivery;
      if (going.has(id)) return true;
      if (waiting.has(id)) {
        waiting.set(id, claimed);
        return true;
      }
      const most = Math.max(waits.of(hostName(claimed)), waits.of(ownerName(claimed)));
      if (most >= Math.min(bounds.waitingEach, bounds.waiting - waiting.size)) return false;
      waiting.set(id, claimed);
      count(waits, 'add', claimed);
      return true;
    },
    next() {
      const free = bounds.atOnce - going.size;
      if (free <= 0) return undefined;
      for (const [id, claimed] of waiting) {
        if (goes.of(hostName(claimed)) >= Math.min(bounds.perHost, free)) continue;
        if (goes.of(ownerName(claimed)) >= Math.min(bounds.perOwner, free)) continue;
        waiting.delete(id);
        going.add(id);
        count(waits, 'remove', claimed);
        count(goes, 'add', claimed);
        return claimed;
      }
      return undefined;
    },
    leave(claimed) {
      if (going.delete(claimed.delivery.id)) count(goes, 'remove', claimed);
    },
    clear() {
      for (const claimed of waiting.values()) count(waits, 'remove', claimed);
      waiting.clear();
    },
  };
}
