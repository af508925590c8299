// Whether a server elsewhere is worth asking, by what came of it lately: while it does not answer, what is asked of it fails
// at once, and one question in a while is the trial of all.

import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import { pause } from '../base/pause.ts';
import type { Random } from '../base/random.ts';

export type CircuitOptions = {
  readonly clock: Clock;
  readonly random: Random;
  /** What is thrown while it is open. */
  readonly refusal: (fault: unknown) => AppError;
  readonly onOpen: (fault: unknown) => void;
  readonly onClosed: () => void;
};

export const FIRST_BACKOFF_MS = 250;
export const MAX_BACKOFF_MS = 5_000;
/** Answers that break one after another say that it is not the connection. */
const MAX_BROKEN = 3;

export class Circuit {
  readonly #options: CircuitOptions;
  #state: 'closed' | 'open' | 'on trial' = 'closed';
  #retryAtMs = 0;
  #backoffMs = FIRST_BACKOFF_MS;
  #broken = 0;
  #lastFault: unknown;

  constructor(options: CircuitOptions) {
    this.#options = options;
  }

  isClosed(): boolean {
    return this.#state === 'closed';
  }

  check(): void {
    if (this.#state !== 'closed') throw this.#options.refusal(this.#lastFault);
  }

  /** Before it is asked: throws unless it is worth it; the first after a pause is the trial of all. */
  enter(): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'on trial' || this.#options.clock.now() < this.#retryAtMs) this.check();
    this.#state = 'on trial';
  }

  /** The next one to enter is let in. */
  tryNow(): void {
    if (this.#state === 'open') this.#retryAtMs = 0;
  }

  answered(): void {
    this.#broken = 0;
    this.#backoffMs = FIRST_BACKOFF_MS;
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#options.onClosed();
  }

  /** `connection`: it was not reached at all; `answer`: it was, and something else went wrong. */
  failed(fault: unknown, what: 'connection' | 'answer'): void {
    this.#lastFault = fault;
    this.#broken += 1;
    if (what === 'answer' && this.#state === 'closed' && this.#broken < MAX_BROKEN) return;
    const { clock, random, onOpen } = this.#options;
    if (this.#state === 'closed') onOpen(fault);
    this.#state = 'open';
    this.#retryAtMs = clock.now() + this.#backoffMs / 2 + random.below(this.#backoffMs / 2 + 1);
    this.#backoffMs = Math.min(2 * this.#backoffMs, MAX_BACKOFF_MS);
  }
}

export type FirstUse = {
  readonly clock: Clock;
  readonly startMs: number;
  /** What stands before the fault in the cause of an `AppError`. */
  readonly label: string;
  /** Whether the server says no, which no waiting mends. */
  readonly isRefusal: (fault: string) => boolean;
  /** In words for the operator. */
  readonly toError: (fault: string) => Error;
};

/** The first use: waited for where nothing answers, refused in words for the operator where something says no. */
export async function waitForAnswer(
  { clock, startMs, label, isRefusal, toError }: FirstUse,
  use: () => Promise<void>,
): Promise<void> {
  const untilMs = clock.now() + startMs;
  for (;;) {
    try {
      return await use();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const fault = String((error.cause as Error | undefined)?.message).replace(label, '');
      if (isRefusal(fault) || clock.now() >= untilMs) throw toError(fault);
      await pause(FIRST_BACKOFF_MS, clock);
    }
  }
}
