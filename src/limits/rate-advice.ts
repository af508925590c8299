// What an answer's headers say about the service's request limit, after everything absurd has been dropped.

export type RateAdvice = {
  /** Requests per window. */
  readonly limit?: number;
  readonly windowMs?: number;
  readonly remaining?: number;
  /** Until the window ends (RateLimit t, Retry-After). */
  readonly resetMs?: number;
  /** Requests that may run at once. */
  readonly concurrent?: number;
};
