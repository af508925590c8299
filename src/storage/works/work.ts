// What the service does for a caller after the reply: a text-to-speech job or a PlayNote. Both are one kind of row,
// because what keeps them from being lost (a lease, a fence, one transaction with the webhook) is the same.

export type WorkKind = 'tts' | 'playnote';

/** `waiting` and `running` are unfinished; the other three are final. */
export type WorkStatus = 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled';

/** What a store keeps without looking into it; survives JSON. */
export type Stored = { readonly [field: string]: unknown };

export type WorkFailure = { readonly code: string; readonly message: string };

export type Work = {
  /** A version 4 UUID: 122 bits that nobody guesses. */
  readonly id: string;
  readonly kind: WorkKind;
  /** The user id of the caller; every question names it. */
  readonly owner: string;
  readonly status: WorkStatus;
  /** Higher is claimed first, within an owner. */
  readonly urgency: number;
  /** The parameters that it was created with; never changes. */
  readonly input: Stored;
  /** What is being done now, in a word for people. */
  readonly phase: string;
  /** 0 to 1, the furthest that any attempt has come; never goes back. */
  readonly progress: number;
  readonly output: Stored | undefined;
  readonly failure: WorkFailure | undefined;
  readonly requestedAtMs: number;
  readonly completedAtMs: number | undefined;
  /** How often it was begun since it last got further. */
  readonly attempts: number;
};

/** The right to work on one row until the lease ends. A stale fence writes nothing. */
export type Claim = { readonly work: Work; readonly fence: number };
