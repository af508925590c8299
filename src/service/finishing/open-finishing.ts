// The files that a finisher is making, and their common end: a caller that waits for one when the program stops gets
// `shutting_down`.

import { AppError, toAppError } from '../../base/app-error.ts';

export type OpenFinishing = {
  /** Aborted when the program stops. */
  readonly closing: AbortSignal;
  /** As `work`, rejecting with an `AppError`. */
  follow<T>(work: Promise<T>): Promise<T>;
  /** Resolves when all of them have ended. */
  close(): Promise<void>;
};

export function createOpenFinishing(): OpenFinishing {
  const controller = new AbortController();
  const closing = controller.signal;
  const running = new Set<Promise<unknown>>();
  return {
    closing,
    async follow(work) {
      running.add(work);
      try {
        return await work;
      } catch (thrown) {
        throw closing.aborted ? new AppError('shutting_down', 'Voxgate is stopping.') : toAppError(thrown);
      } finally {
        running.delete(work);
      }
    },
    async close() {
      controller.abort();
      await Promise.allSettled(running);
    },
  };
}
