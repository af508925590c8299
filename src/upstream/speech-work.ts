// What a request to the speech service is for. The scheduler reads nothing else: the tenant, the class, and the time from which
// a listener would notice the delay. The ids of what it is for go to the log alone.

/**
 * In order of weight: resuming a turn that broke while it is heard; the first words of a turn; what a playing turn needs next;
 * what is made ahead, hedged or tried out; jobs without a listener.
 */
export const WORK_CLASSES = ['resume', 'first', 'next', 'prefetch', 'batch'] as const;
export type WorkClass = (typeof WORK_CLASSES)[number];

export type SpeechWork = {
  readonly class: WorkClass;
  /** Requests of one tenant never hold up those of another. */
  readonly tenant: string;
  /** A listener's session, which has at most a few requests under way. */
  readonly session?: string;
  /** In that session. */
  readonly turn?: string | undefined;
  /** A request over HTTP, by its `X-Request-Id`. */
  readonly request?: string;
  /** A job or PlayNote. */
  readonly work?: string;
  /** Monotonic ms: when the audio is needed. Within a tenant the earliest goes first. */
  readonly deadlineMs: number;
  /**
   * When it is given up without a send, on the clock of the deadline; infinite while its listener may be kept waiting. Read
   * again and again, because a listener may pause. `sinceMs`: when it was requested. Default: the wait of its class in the pool.
   */
  waitsUntilMs?(sinceMs: number): number;
  /**
   * For work whose class may rise, such as a turn made ahead whose time has come: `class` and `deadlineMs` are read again when
   * `listener` is called. Returns the function that removes the listener.
   */
  onRise?(listener: () => void): () => void;
};
