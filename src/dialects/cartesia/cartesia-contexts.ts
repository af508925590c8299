// The contexts of one connection: each is a native turn under an id of our own, so that a client may use its id again
// when a context is done. One that is over stays until the session has sent its last event about it.

import type { EventOf } from '../native-events.ts';
import type { SampleForm } from './cartesia-opening.ts';

// The flushes of one context: their numbers, and how many may wait for their answer, which each costs the session a
// place in its line. The first one may be our own.

type CartesiaFlushes = {
  /** Of the flush that will be answered next, and so of the sound that comes. */
  number(): number;
  /** Nobody waits for its answer. */
  askOwn(): void;
  /** `full-again`: the client has been told already. */
  ask(): 'taken' | 'full' | 'full-again';
  /** The number to answer with; undefined for our own. */
  answered(): number | undefined;
};

const MAX_WAITING = 256;

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
      if (waiting < MAX_WAITING) {
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

export type CartesiaContext = {
  readonly id: string;
  readonly turn: string;
  readonly samples: SampleForm;
  readonly firstText: string;
  input: 'open' | 'ended' | 'ended-and-told';
  /** `ending`: a cancel is being carried out. `over`: the terminal message has been sent. */
  phase: 'open' | 'ending' | 'over';
  /** The session has said `ended`. */
  hasEnded: boolean;
  hasStarted: boolean;
  heard: EventOf<'heard'> | undefined;
  readonly flushes: CartesiaFlushes;
  /** Since when nothing has been sent of it, as far as the clock has been told; undefined after a message. */
  quietSinceMs: number | undefined;
};

type CartesiaContexts = {
  add(begin: Pick<CartesiaContext, 'id' | 'turn' | 'samples' | 'firstText'>): CartesiaContext;
  /** The latest context of this id that is unfinished or being heard. */
  find(contextId: string): CartesiaContext | undefined;
  ofTurn(turn: string): CartesiaContext | undefined;
  /** Those without a terminal message. */
  open(): readonly CartesiaContext[];
  /** Nothing is left to be heard of it. */
  forget(context: CartesiaContext): void;
};

export function createCartesiaContexts(): CartesiaContexts {
  const byTurn = new Map<string, CartesiaContext>();
  const byId = new Map<string, CartesiaContext>();

  return {
    add(begin) {
      const context: CartesiaContext = {
        ...begin,
        input: 'open',
        phase: 'open',
        hasEnded: false,
        hasStarted: false,
        heard: undefined,
        flushes: createCartesiaFlushes(),
        quietSinceMs: undefined,
      };
      byTurn.set(context.turn, context);
      byId.set(context.id, context);
      return context;
    },
    find: (contextId) => byId.get(contextId),
    ofTurn: (turn) => byTurn.get(turn),
    open: () => [...byTurn.values()].filter(({ phase }) => phase === 'open'),
    forget(context) {
      byTurn.delete(context.turn);
      if (byId.get(context.id) === context) byId.delete(context.id);
    },
  };
}
