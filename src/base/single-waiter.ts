// A condition variable with one waiter, for what happens many times a second. A listener on an AbortSignal costs more than
// most of what is waited for, so it is set once for each signal and stays there for the next waits: a signal must not outlive
// its waiter.

type Waiting = { resolve(): void; reject(reason: unknown): void };

/** Three for each turn, so it is itself the listener of its signal. */
export class SingleWaiter {
  private waiting: Waiting | undefined;
  private watched: AbortSignal | undefined;

  isWaiting(): boolean {
    return this.waiting !== undefined;
  }
  /** Resolves at `release`; rejects with what `fail` was given, or with the signal's reason. One wait at a time. */
  wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    this.watch(signal);
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }
  release(): void {
    this.stop()?.resolve();
  }
  fail(reason: unknown): void {
    this.stop()?.reject(reason);
  }
  /** The signal's `abort`. */
  handleEvent(): void {
    this.fail(this.watched?.reason);
  }

  private stop(): Waiting | undefined {
    const waited = this.waiting;
    this.waiting = undefined;
    return waited;
  }
  private watch(signal: AbortSignal): void {
    if (this.watched === signal) return;
    this.watched?.removeEventListener('abort', this);
    this.watched = signal;
    signal.addEventListener('abort', this, { once: true });
  }
}
