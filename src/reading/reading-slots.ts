// Which file is read next: a fixed number at once, a few more waiting, and one user's files never block another's. Of
// several slots a user has all but one at most; the next to get one is a user that has the fewest, and among these the
// one that has waited longest.

import { AppError } from '../base/app-error.ts';

export type ReadingSlotsOptions = {
  readonly maxAtOnce: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerUser: number;
};

type Waiting = { readonly userId: string; readonly enter: () => void };

const RETRY_AFTER_MS = 5_000;

const busy = (message: string) => new AppError('busy', message, { retryAfterMs: RETRY_AFTER_MS });

export class ReadingSlots {
  readonly #options: ReadingSlotsOptions;
  readonly #maxPerUser: number;
  readonly #waiting: Waiting[] = [];
  /** Slots of each user that has any. */
  readonly #taken = new Map<string, number>();
  #free: number;

  constructor(options: ReadingSlotsOptions) {
    this.#options = options;
    this.#maxPerUser = Math.max(1, options.maxAtOnce - 1);
    this.#free = options.maxAtOnce;
  }

  /**
   * Resolves when a file of this user may be read; `leave` gives the slot back. Rejects with `busy`, or the reason of the
   * signal.
   */
  enter(userId: string, signal: AbortSignal): Promise<void> {
    if (this.#mayEnter(userId)) {
      this.#take(userId);
      return Promise.resolve();
    }
    const mine = this.#waiting.filter((each) => each.userId === userId).length;
    if (mine >= this.#options.maxWaitingPerUser)
      return Promise.reject(busy('Several files of this user are being read; come back in a moment.'));
    if (this.#waiting.length >= this.#options.maxWaiting)
      return Promise.reject(busy('Many files are being read; come back in a moment.'));
    return new Promise((resolve, reject) => {
      const waiter: Waiting = {
        userId,
        enter: () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(waiter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  leave(userId: string): void {
    const left = this.#takenBy(userId) - 1;
    if (left === 0) this.#taken.delete(userId);
    else this.#taken.set(userId, left);
    this.#free += 1;
    this.#letIn();
  }

  #letIn(): void {
    const ready = this.#waiting.filter(({ userId }) => this.#mayEnter(userId));
    const [first] = ready;
    if (first === undefined) return;
    const next = ready.reduce((best, each) =>
      this.#takenBy(each.userId) < this.#takenBy(best.userId) ? each : best,
    );
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#take(next.userId);
    next.enter();
  }

  #mayEnter(userId: string): boolean {
    return this.#free > 0 && this.#takenBy(userId) < this.#maxPerUser;
  }

  #take(userId: string): void {
    this.#free -= 1;
    this.#taken.set(userId, this.#takenBy(userId) + 1);
  }

  #takenBy(userId: string): number {
    return this.#taken.get(userId) ?? 0;
  }
}
