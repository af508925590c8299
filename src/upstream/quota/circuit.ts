// When to stop asking a service that does not answer: after some failures in a row nobody waits for it any more, and from
// time to time one caller tries it.

export type Circuit = {
  /** Nobody should wait for an answer now. */
  isOpen(): boolean;
  /** One may try: the circuit is closed, or has been open long enough. */
  mayTry(nowMs: number): boolean;
  succeeded(): void;
  failed(nowMs: number): void;
};

/** Opens after `failures` in a row, for `openMs`. */
export function createCircuit(failures: number, openMs: number): Circuit {
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
