// What a request to the speech service is for. The scheduler reads nothing else: who pays, how much it matters, and
// when somebody would hear that it is late.

/**
 * In order of weight: going on with a turn that broke while it is heard; the first words of a turn; what a playing
 * turn needs next; what is made ahead, hedged or tried out; jobs that nobody waits for.
 */
export const WORK_CLASSES = ['resume', 'first', 'next', 'prefetch', 'batch'] as const;
export type WorkClass = (typeof WORK_CLASSES)[number];

export type SpeechWork = {
  readonly class: WorkClass;
  /** Requests of one tenant never hold up those of another. */
  readonly tenant: string;
  /** One listener's session: it has at most a few requests under way. */
  readonly session?: string;
  /** Monotonic ms: when the audio is needed. Within a tenant the earliest goes first. */
  readonly deadlineMs: number;
  /**
   * When it is given up without a send, on the clock of the deadline; infinite while its listener may be kept waiting. Asked
   * now and then, for a listener may pause. `sinceMs`: when it was asked for. Absent: by what the pool has for its class.
   */
  waitsUntilMs?(sinceMs: number): number;
  /**
   * For work that may come to be worth more, as a turn made ahead whose time has come: `class` and `deadlineMs` are
   * read anew when `listener` is called. Answers with what ends the listening.
   */
  onRise?(listener: () => void): () => void;
};
