// A circuit breaker: after some failures in a row no caller waits for the service any more, and from time to time one caller
// tries it.

export type CircuitBreaker = {
  /** No caller should wait for an answer now. */
  isOpen(): boolean;
  /** One may try: the circuit is closed, or has been open long enough. */
  mayTry(nowMs: number): boolean;
  succeeded(): void;
  failed(nowMs: number): void;
};

/** Opens after `failures` in a row, for `openMs`. */
export function createCircuitBreaker(failures: number, openMs: number): CircuitBreaker {
  let inARow = 0;
  let openUntilMs = 0;
  const isOpen = () => inARow >= failures;
  return {
    isOpen,
    mayTry: (nowMs) => !isOpen() || nowMs >= openUntilMs,
    succeeded() {
      inARow = 0;
    },
    failed(nowMs) {
      inARow += 1;
      if (isOpen()) openUntilMs = nowMs + openMs;
    },
  };
}
