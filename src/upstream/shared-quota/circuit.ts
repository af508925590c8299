// When to stop asking someone who does not answer: after some failures in a row nobody waits for him any more, and from
// time to time one tries.

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
