// What is counted of what callers send.

export type IntakeSource = 'session' | 'leg';

export type IntakeMetrics = {
  /** Time of this thread in which what somebody sent was handled. */
  intakeSpent(ms: number): void;
  /** Somebody is beyond a budget of time. */
  intakeSlowed(): void;
  /** Somebody was closed for sending too much. */
  intakeRefused(by: IntakeSource, limit: 'volume' | 'time'): void;
  /** The socket of a leg that had proved nothing had to go for another. */
  legEvicted(): void;
};
