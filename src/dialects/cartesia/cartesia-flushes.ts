// The flushes of one context: their numbers, and how many may wait for their answer, which each costs the session a
// place in its line. The first one may be our own.

export type CartesiaFlushes = {
  /** Of the flush that will be answered next, and so of the sound that comes. */
  number(): number;
  /** Nobody waits for its answer. */
  askOwn(): void;
  /** `full-again`: the client has been told already. */
  ask(): 'taken' | 'full' | 'full-again';
  /** The number to answer with; undefined for our own. */
  answered(): number | undefined;
};

const MOST_WAITING = 256;

export function createCartesiaFlushes(): CartesiaFlushes {
  let number = 1;
  let waiting = 0;
  let own: 'none' | 'under-way' = 'none';
  let room: 'open' | 'told-full' = 'open';
  return {
    number: () => number,
    askOwn() {
      own = 'under-way';
    },
    ask() {
      if (waiting < MOST_WAITING) {
        waiting += 1;
        return 'taken';
      }
      const wasTold = room === 'told-full';
      room = 'told-full';
      return wasTold ? 'full-again' : 'full';
    },
    answered() {
      const isOwn = own === 'under-way';
      own = 'none';
      if (isOwn) return undefined;
      waiting -= 1;
      room = 'open';
      return number++;
    },
  };
}
