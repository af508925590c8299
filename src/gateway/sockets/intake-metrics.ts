// What is counted of callers' messages and of telephony legs.

export type IntakeSource = 'session' | 'leg';

export type IntakeMetrics = {
  /** Time of this thread spent on what callers sent. */
  intakeSpent(ms: number): void;
  /** A caller is beyond a budget of time. */
  intakeSlowed(): void;
  /** A caller was closed for sending too much. */
  intakeRefused(by: IntakeSource, limit: 'volume' | 'time'): void;
  /** A leg has said which call it is and has an owner, or may still be claimed by one. */
  legStarted(kind: string): void;
  /** The socket of a leg that had started is closed. */
  legOver(kind: string): void;
  /** The socket of a leg without a proved owner was evicted for another. */
  legEvicted(): void;
};
