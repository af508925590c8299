// Ids of contexts that are over, the last 256: a second close of one is no second end, though it may say that the listener
// was interrupted; and the rest of a text whose beginning was lost is not spoken as if it were whole.

export type PastContext = {
  /** `failed`: it broke off, and its client may still be sending what belongs to it. */
  readonly state: 'over' | 'failed';
  /** Its last turn, which may be in the listener's ear. */
  readonly turn: string | undefined;
};

export type PastContexts = {
  set(id: string, context: PastContext): void;
  get(id: string): PastContext | undefined;
  /** The id is in use again. */
  forget(id: string): void;
};

const MOST_KEPT = 256;

export function createPastContexts(): PastContexts {
  const past = new Map<string, PastContext>();
  return {
    set(id, context) {
      past.delete(id);
      past.set(id, context);
      if (past.size > MOST_KEPT) past.delete(past.keys().next().value!);
    },
    get: (id) => past.get(id),
    forget: (id) => void past.delete(id),
  };
}
