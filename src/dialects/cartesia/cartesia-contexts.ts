// The contexts of one connection: each is a native turn under an id of our own, so that a client may use its id again
// when a context is done. One that is over stays until the session has said its last of it.

import type { EventOf } from '../native-events.ts';
import { type CartesiaFlushes, createCartesiaFlushes } from './cartesia-flushes.ts';
import type { SampleForm } from './cartesia-opening.ts';

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

export type CartesiaContexts = {
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
