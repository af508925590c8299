// The port for the outbox of webhooks: messages written together with the change that they tell, their attempts, and
// when each is tried next. At least once; the id never changes, so that a receiver can tell a repetition.

export type NewDelivery = {
  /** `msg_` and 128 random bits; the `webhook-id` of every attempt. */
  readonly id: string;
  readonly owner: string;
  readonly url: string;
  /** `playnote.completed`, `tts.failed`, … */
  readonly type: string;
  /** The exact bytes to sign and send, as text. */
  readonly body: string;
  readonly createdAtMs: number;
};

export type DeliveryState = 'pending' | 'delivered' | 'given-up';

export type DeliveryAttempt = {
  readonly atMs: number;
  readonly tookMs: number;
  /** HTTP status of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** Why it did not count, in our words; never what the receiver sent. */
  readonly problem: string | undefined;
};

/** Kept of a delivery: a few whole schedules, so that replaying does not grow a row without end. */
export const MAX_ATTEMPTS = 100;

/**
 * Messages of one owner that wait: a receiver that is away for days may leave as many as that owner's jobs write. One
 * more, and the oldest is given up (its log says so): what is told newest is the state of things, and `replay` brings the
 * other back.
 */
export const MAX_PENDING = 1_000;

/** The line in the log of one that had to make room. */
export const crowdedOut = (atMs: number): DeliveryAttempt => ({
  atMs,
  tookMs: 0,
  status: undefined,
  problem: `given up without an attempt: ${MAX_PENDING} newer messages of this user were waiting`,
});

export type Delivery = NewDelivery & {
  readonly state: DeliveryState;
  /** The latest `MAX_ATTEMPTS`. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Attempts since it was written or replayed: its place in the schedule. */
  readonly tries: number;
  /** Undefined when nothing is to be tried. */
  readonly nextAtMs: number | undefined;
};

export type DeliveryStore = {
  /** Of more than `MAX_PENDING` of an owner the oldest are given up; so with `replay`. */
  add(delivery: NewDelivery): Promise<void>;
  /** Pending ones whose time has come, the longest due first; not those held by a claim that has not run out. */
  due(at: {
    readonly nowMs: number;
    readonly holdMs: number;
    readonly limit: number;
  }): Promise<readonly Delivery[]>;
  /** When the next pending one is due; undefined when there is none. */
  nextDueMs(): Promise<number | undefined>;
  /** Pending ones of all owners, and when the first of them is or was due. */
  backlog(): Promise<{ readonly waiting: number; readonly dueAtMs: number | undefined }>;
  /**
   * Writes one attempt and what follows from it. Of a delivery that was given up meanwhile, only a success changes the
   * state.
   */
  settle(
    id: string,
    attempt: DeliveryAttempt,
    then: { readonly state: DeliveryState; readonly nextAtMs: number | undefined },
  ): Promise<void>;
  find(owner: string, id: string): Promise<Delivery | undefined>;
  /** Newest first, as in `WorkStore.list`. */
  list(
    owner: string,
    page: { readonly limit: number; readonly cursor: string | undefined },
  ): Promise<{ readonly deliveries: readonly Delivery[]; readonly next: string | undefined }>;
  /** Makes it due again, its schedule from the start; the attempts stay. False: there is none. */
  replay(owner: string, id: string, nowMs: number): Promise<boolean>;
  /**
   * A receiver that said 410 gets nothing more: pending ones to `url` of `owner` are given up, and those written later
   * begin as given up.
   */
  silence(owner: string, url: string, nowMs: number): Promise<void>;
  /** True when `silence` was called for it and no replay since; not for ever (`forget`). */
  isSilenced(owner: string, url: string): Promise<boolean>;
  /** Forgets what was created before and is not pending, the oldest first; answers how many, at most `limit`. */
  forget(createdBeforeMs: number, limit: number): Promise<number>;
};
