// Ids whose contexts are over, the last 256. One that broke in the middle of its text is held: what still comes of that
// text would be spoken with a hole. A new context under such an id is recognised by its message, so that a retry gets an
// answer.

import { createHash } from 'node:crypto';
import type { CartesiaRequest } from './cartesia-request.ts';

type Text = Pick<Extract<CartesiaRequest, { kind: 'generate' }>, 'contextId' | 'transcript' | 'input'>;

export type CartesiaPastIds = {
  has(contextId: string): boolean;
  /** The context is over, and so is its text: what comes begins anew. */
  free(contextId: string): void;
  /** The context broke while its text, which began so, was coming. */
  hold(contextId: string, firstText: string): void;
  /** Whether a message belongs to a text that is held, and is to be dropped. */
  takesRest(message: Text): boolean;
  /** The id is in use again. */
  forget(contextId: string): void;
  tick(nowMs: number): void;
};

type Held = { readonly first: string; quietSinceMs: number | undefined };

const MAX_KEPT = 256;
/** A text of which nothing comes for so long has stopped. */
const QUIET_MS = 2000;

/** Texts may be long, and are nobody's business when they are over. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');

export function createCartesiaPastIds(): CartesiaPastIds {
  const past = new Map<string, Held | 'free'>();
  const keep = (contextId: string, as: Held | 'free') => {
    past.delete(contextId);
    past.set(contextId, as);
    if (past.size > MAX_KEPT) past.delete(past.keys().next().value!);
  };
  const free = (contextId: string) => keep(contextId, 'free');

  return {
    has: (contextId) => past.has(contextId),
    free,
    hold: (contextId, firstText) => keep(contextId, { first: digestOf(firstText), quietSinceMs: undefined }),
    takesRest({ contextId, transcript, input }) {
      const held = past.get(contextId);
      if (held === undefined || held === 'free') return false;
      const isBlank = transcript.trim() === '';
      if (!isBlank && (input === 'whole' || digestOf(transcript) === held.first)) return false;
      held.quietSinceMs = undefined;
      if (input !== 'goes-on') free(contextId);
      return true;
    },
    forget: (contextId) => void past.delete(contextId),
    tick(nowMs) {
      for (const [contextId, held] of past) {
        if (held === 'free') continue;
        held.quietSinceMs ??= nowMs;
        // In its place: to be moved behind the others would have it met again.
        if (nowMs - held.quietSinceMs >= QUIET_MS) past.set(contextId, 'free');
      }
    },
  };
}
