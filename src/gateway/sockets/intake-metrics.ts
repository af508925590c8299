// What is counted of what callers send.

export type IntakeSource = 'session' | 'leg';

export type IntakeMetrics = {
  /** Time of this thread spent on what callers sent. */
  intakeSpent(ms: number): void;
  /** A caller is beyond a budget of time. */
  intakeSlowed(): void;
  /** A caller was closed for sending too much. */
  intakeRefused(by: IntakeSource, limit: 'volume' | 'time'): void;
  /** The socket of a leg without a proved owner was evicted for another. */
  legEvicted(): void;
};
