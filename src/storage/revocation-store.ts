// The port for tokens that were taken back: a token that is signed with a secret that lasts would be good again after a
// restart, or at another instance.

export type Revocation = {
  readonly id: string;
  /** Until then the token could still be used, Unix ms. */
  readonly untilMs: number;
};

export type RevocationStore = {
  /** Resolves when it is not forgotten any more. Those that have expired by `nowMs` are dropped. */
  add(revocation: Revocation, nowMs: number): Promise<void>;
  /** Those that could still be used. */
  list(nowMs: number): Promise<readonly Revocation[]>;
};
