// The one who waits for what comes many times a second. A listener on an AbortSignal costs more than most of what is waited
// for, so it is set once for each signal and stays there for its next waits:
// signals are to last no longer than the one who waits.

export type LoneWaiter = {
  isWaiting(): boolean;
  /** Resolves at `release`; rejects with what `fail` was given, or with the signal's reason. One wait at a time. */
  wait(signal: AbortSignal): Promise<void>;
  release(): void;
  fail(reason: unknown): void;
};

type Waiting = { resolve(): void; reject(reason: unknown): void };

/** Three for each turn. It is the listener of its signal itself. */
class SignalledWaiter implements LoneWaiter {
  private waiting: Waiting | undefined;
  private watched: AbortSignal | undefined;

  isWaiting(): boolean {
    return this.waiting !== undefined;
  }
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

export const createLoneWaiter = (): LoneWaiter => new SignalledWaiter();
