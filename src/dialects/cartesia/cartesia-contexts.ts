// The contexts of one connection: each is a native turn under an id of our own, so that a client may use its id again
// when a context is done. Ids of contexts that are over are kept for a while, because their last words may be on the way.

import type { EventOf } from '../native-events.ts';
import type { SampleForm } from './cartesia-opening.ts';

export type CartesiaContext = {
  readonly id: string;
  readonly turn: string;
  readonly samples: SampleForm;
  input: 'open' | 'ended' | 'ended-and-told';
  /** `ending`: a cancel is being carried out. `over`: the terminal message has been sent. */
  phase: 'open' | 'ending' | 'over';
  /** The session has said `ended`. */
  hasEnded: boolean;
  hasStarted: boolean;
  heard: EventOf<'heard'> | undefined;
  /** Flushes that have been answered. */
  flushes: number;
  /** The first flush is our own, and nobody waits for its answer. */
  ownFlush: 'none' | 'under-way';
  /** Since when nothing has been sent of it, as far as the clock has been told; undefined after a message. */
  quietSinceMs: number | undefined;
};

/** How a context ended: after `spoken` its id may be used again, after `broken` what comes is meant for the old one. */
export type Ending = 'spoken' | 'broken';

export type CartesiaContexts = {
  add(contextId: string, turn: string, samples: SampleForm): CartesiaContext;
  /** The latest context of this id that is unfinished or being heard. */
  find(contextId: string): CartesiaContext | undefined;
  ofTurn(turn: string): CartesiaContext | undefined;
  /** Those without a terminal message. */
  open(): readonly CartesiaContext[];
  /** The terminal message is about to be sent. */
  end(context: CartesiaContext, ending: Ending): void;
  /** Nothing is left to be heard of it. */
  forget(context: CartesiaContext): void;
  /** How the last context of this id ended, as far as that is remembered. */
  endingOf(contextId: string): Ending | undefined;
  /** As `end` of a context that never came to be. */
  remember(contextId: string, ending: Ending): void;
};

const MOST_REMEMBERED = 256;

export function createCartesiaContexts(): CartesiaContexts {
  const byTurn = new Map<string, CartesiaContext>();
  const byId = new Map<string, CartesiaContext>();
  const endings = new Map<string, Ending>();

  const remember = (contextId: string, ending: Ending) => {
    endings.delete(contextId);
    endings.set(contextId, ending);
    if (endings.size > MOST_REMEMBERED) endings.delete(endings.keys().next().value!);
  };

  return {
    add(id, turn, samples) {
      const context: CartesiaContext = {
        id,
        turn,
        samples,
        input: 'open',
        phase: 'open',
        hasEnded: false,
        hasStarted: false,
        heard: undefined,
        flushes: 0,
        ownFlush: 'none',
        quietSinceMs: undefined,
      };
      byTurn.set(turn, context);
      byId.set(id, context);
      endings.delete(id);
      return context;
    },
    find: (contextId) => byId.get(contextId),
    ofTurn: (turn) => byTurn.get(turn),
    open: () => [...byTurn.values()].filter(({ phase }) => phase === 'open'),
    end(context, ending) {
      context.phase = 'over';
      remember(context.id, ending);
    },
    forget(context) {
      byTurn.delete(context.turn);
      if (byId.get(context.id) === context) byId.delete(context.id);
    },
    endingOf: (contextId) => endings.get(contextId),
    remember,
  };
}
